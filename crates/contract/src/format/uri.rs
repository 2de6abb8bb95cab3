//! URIs and references to them as RFC 3986 writes them.
//!
//! Every character has to be one that its component allows, `%` has to begin a pair of hexadecimal digits,
//! and brackets only stand around an IP literal. Non-ASCII characters have to be percent-encoded.

use super::net;
use super::scan::{Class, Scan};

pub(super) fn uri(text: &str) -> bool {
    let mut scan = Scan::new(text);
    read_scheme(&mut scan).is_some() && is_rest(scan)
}

pub(super) fn uri_reference(text: &str) -> bool {
    let mut scan = Scan::new(text);
    if read_scheme(&mut scan).is_some() {
        return is_rest(scan);
    }
    // Without a scheme a colon in the first segment would look like the end of one.
    let scan = Scan::new(text);
    let first = { scan }.until(|byte| matches!(byte, b'/' | b'?' | b'#'));
    !first.rest().contains(&b':') && is_rest(scan)
}

/// A template as RFC 6570 writes it, with the operators that it reserves.
pub(super) fn uri_template(text: &str) -> bool {
    let mut scan = Scan::new(text);
    loop {
        scan.bytes_while(|byte| Class::TEMPLATE.has(byte));
        let read = match scan.rest().first() {
            None => return true,
            Some(b'{') => read_expression(&mut scan),
            Some(_) => read_encoded_byte(&mut scan),
        };
        if read.is_none() {
            return false;
        }
    }
}

/// Reads an operator and variables in braces.
fn read_expression(scan: &mut Scan<'_>) -> Option<()> {
    scan.byte(b'{')?;
    scan.byte_if(|byte| b"+#./;?&=,!@|".contains(&byte));
    loop {
        read_variable(scan)?;
        if scan.byte(b',').is_none() {
            return scan.byte(b'}');
        }
    }
}

/// Reads a name, with dots between its parts, and how much of its value is taken.
fn read_variable(scan: &mut Scan<'_>) -> Option<()> {
    loop {
        let mut length = 0;
        loop {
            length += scan.bytes_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            if scan.rest().first() != Some(&b'%') {
                break;
            }
            read_encoded_byte(scan)?;
            length += 1;
        }
        if length == 0 {
            return None;
        }
        if scan.byte(b'.').is_none() {
            break;
        }
    }
    if scan.byte(b':').is_some() {
        scan.byte_if(|byte| matches!(byte, b'1'..=b'9'))?;
        return (scan.bytes_while(|byte| byte.is_ascii_digit()) <= 3).then_some(());
    }
    // It may be taken apart instead.
    let _ = scan.byte(b'*');
    Some(())
}

fn read_encoded_byte(scan: &mut Scan<'_>) -> Option<()> {
    scan.byte(b'%')?;
    let [high, low] = scan.chunk()?;
    (Class::HEX.has(high) && Class::HEX.has(low)).then_some(())
}

/// Reads a scheme and its colon.
fn read_scheme(scan: &mut Scan<'_>) -> Option<()> {
    scan.byte_if(|byte| byte.is_ascii_alphabetic())?;
    scan.bytes_while(|byte| Class::SCHEME.has(byte));
    scan.byte(b':')
}

/// Tells whether a text is an authority and path, or only a path, with an optional query and fragment.
fn is_rest(mut scan: Scan<'_>) -> bool {
    let mut read = || {
        if let [b'/', b'/', ..] = scan.rest() {
            scan.byte(b'/')?;
            scan.byte(b'/')?;
            read_authority(scan.until(|byte| matches!(byte, b'/' | b'?' | b'#')))?;
        }
        scan.encoded(Class::PATH)?;
        if scan.byte(b'?').is_some() {
            scan.encoded(Class::QUERY)?;
        }
        if scan.byte(b'#').is_some() {
            scan.encoded(Class::QUERY)?;
        }
        Some(())
    };
    read().is_some() && scan.is_at_end()
}

fn read_authority(mut scan: Scan<'_>) -> Option<()> {
    if scan.rest().contains(&b'@') {
        loop {
            scan.encoded(Class::NAME)?;
            if scan.byte(b':').is_none() {
                break;
            }
        }
        scan.byte(b'@')?;
    }
    if scan.byte(b'[').is_some() {
        let literal = scan.until(|byte| byte == b']');
        scan.byte(b']')?;
        is_ip_literal(str::from_utf8(literal.rest()).ok()?).then_some(())?;
    } else {
        scan.encoded(Class::NAME)?;
    }
    if scan.byte(b':').is_some() {
        scan.bytes_while(|byte| byte.is_ascii_digit());
    }
    scan.is_at_end().then_some(())
}

/// Tells whether a text may stand in brackets: an IPv6 address, or `v`, a version and an address.
fn is_ip_literal(text: &str) -> bool {
    let Some(future) = text.strip_prefix(['v', 'V']) else { return net::ipv6(text) };
    future.split_once('.').is_some_and(|(version, address)| {
        !version.is_empty()
            && Class::HEX.has_all(version)
            && !address.is_empty()
            && address.bytes().all(|byte| Class::NAME.has(byte) || byte == b':')
    })
}

#[cfg(test)]
mod tests {
    use crate::format::{Format, check};

    const URIS: &[&str] = &[
        "https://example.com",
        "http://user:pw@example.com:8080/a/b;c=d?e=f&g#h/i?j",
        "ftp://ftp.is.co.za/rfc/rfc1808.txt",
        "ldap://[2001:db8::7]/c=GB?objectClass?one",
        "mailto:John.Doe@example.com",
        "news:comp.infosystems.www.servers.unix",
        "tel:+1-816-555-1212",
        "telnet://192.0.2.16:80/",
        "urn:oasis:names:specification:docbook:dtd:xml:4.1.2",
        "file:///etc/hosts",
        "a:",
        "http://",
        "http://example.com:",
        "http://[v1.fe80::a+en1]/",
        "http://999.1.1.1/",
        "x://%C3%A9/%20?%20#%20",
        "a:/b//c",
        "a+b-c.d:e",
    ];

    const NEITHER: &[&str] = &[
        "http://exa mple.com",
        "http://example.com/<b>",
        "http://example.com/\"b\"",
        "http://example.com/%",
        "http://example.com/%2",
        "http://example.com/%zz",
        "http://example.com/a[1]",
        "http://example.com/?a[1]",
        "http://example.com/#a#b",
        "http://[::1",
        "http://::1]",
        "http://[::1]x",
        "http://[192.0.2.1]",
        "http://[fe80::1%25en0]",
        "http://[v.1]",
        "http://example.com:80a",
        "http://example.com:80:80",
        "http://a@b@c",
        "http://é.com",
        "http://example.com/é",
        "http://example.com\\a",
        "http://example.com/\n",
        "1http://example.com",
        ":a",
        "://a",
        "a b:c",
        "http://example.com/`",
        "http://example.com/{a}",
        "http://example.com/a|b^c",
    ];

    const RELATIVE: &[&str] =
        &["", "/", "//example.com/a", "a/b:c", "../a", "?q", "#f", "a?b:c", "./a:b", "/a:b", "#", "%41"];

    #[test]
    fn a_template_has_expressions_in_braces() {
        check(
            Format::UriTemplate,
            &[
                "",
                "https://example.com",
                "https://api.example.com/users/{user}/gists{/gist_id}",
                "/search{?q,page*,lang:2}",
                "{+path}{#frag.ment}{;x_y}",
                "/a%20b/{%41}",
                "/dé",
            ],
            &[
                "{",
                "}",
                "a b",
                "{}",
                "{a",
                "{a b}",
                "{a,}",
                "{a..b}",
                "{a:0}",
                "{a:12345}",
                "%4",
                "<a>",
                "{-a}",
            ],
        );
    }

    #[test]
    fn a_uri_has_a_scheme() {
        check(Format::Uri, URIS, NEITHER);
        check(Format::Uri, &[], RELATIVE);
    }

    #[test]
    fn a_reference_may_leave_the_scheme_out() {
        check(Format::UriReference, URIS, NEITHER);
        check(Format::UriReference, RELATIVE, &["1a:b", "%41:b", "//[::1", "a\\b"]);
    }
}
