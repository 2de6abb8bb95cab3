//! URIs and references to them as RFC 3986 writes them.
//!
//! Every character has to be one that its component allows, `%` has to begin a pair of hexadecimal digits,
//! and brackets only stand around an IP literal. Non-ASCII characters have to be percent-encoded.

use super::net;
use super::scan::Scan;

pub(super) fn uri(text: &str) -> bool {
    split_scheme(text).is_some_and(is_rest)
}

pub(super) fn uri_reference(text: &str) -> bool {
    if let Some(rest) = split_scheme(text) {
        return is_rest(rest);
    }
    // Without a scheme a colon in the first segment would look like the end of one.
    let first = text.split(['/', '?', '#']).next().unwrap_or_default();
    !first.contains(':') && is_rest(text)
}

/// What comes behind the scheme and its colon.
fn split_scheme(text: &str) -> Option<&str> {
    let (scheme, rest) = text.split_once(':')?;
    let (first, others) = scheme.as_bytes().split_first()?;
    let valid = first.is_ascii_alphabetic()
        && others.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte));
    valid.then_some(rest)
}

/// Tells whether a text is an authority and path, or only a path, with an optional query and fragment.
fn is_rest(text: &str) -> bool {
    let (text, fragment) = text.split_once('#').unwrap_or((text, ""));
    let (text, query) = text.split_once('?').unwrap_or((text, ""));
    let (authority, path) = match text.strip_prefix("//") {
        None => (None, text),
        Some(text) => {
            let (authority, path) = text.split_at(text.find('/').unwrap_or(text.len()));
            (Some(authority), path)
        }
    };
    authority.is_none_or(is_authority)
        && is_encoded(path, |byte| is_path_byte(byte) || byte == b'/')
        && [query, fragment]
            .iter()
            .all(|part| is_encoded(part, |byte| is_path_byte(byte) || matches!(byte, b'/' | b'?')))
}

fn is_authority(text: &str) -> bool {
    let (user, host_and_port) = text.split_once('@').unwrap_or(("", text));
    if !is_encoded(user, |byte| is_name_byte(byte) || byte == b':') {
        return false;
    }
    let (host_is_valid, port) = match host_and_port.strip_prefix('[') {
        Some(literal) => match literal.split_once(']') {
            Some((literal, port)) => (is_ip_literal(literal), port),
            None => return false,
        },
        None => {
            let (host, port) = host_and_port.split_at(host_and_port.find(':').unwrap_or(host_and_port.len()));
            (is_encoded(host, is_name_byte), port)
        }
    };
    let port_is_valid = match port.as_bytes() {
        [] => true,
        [b':', digits @ ..] => digits.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    host_is_valid && port_is_valid
}

/// Tells whether a text may stand in brackets: an IPv6 address, or `v`, a version and an address.
fn is_ip_literal(text: &str) -> bool {
    let Some(future) = text.strip_prefix(['v', 'V']) else { return net::ipv6(text) };
    future.split_once('.').is_some_and(|(version, address)| {
        !version.is_empty()
            && version.bytes().all(|byte| byte.is_ascii_hexdigit())
            && !address.is_empty()
            && address.bytes().all(|byte| is_name_byte(byte) || byte == b':')
    })
}

/// Tells whether a text consists of accepted bytes and percent-encoded ones.
fn is_encoded(text: &str, accept: impl Fn(u8) -> bool) -> bool {
    let mut scan = Scan::new(text);
    loop {
        scan.bytes_while(&accept);
        if scan.byte(b'%').is_none() {
            return scan.is_at_end();
        }
        if scan.hex_digits(2).is_none() {
            return false;
        }
    }
}

/// The bytes of a registered name: the unreserved ones and the delimiters within a component.
fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(&byte)
}

fn is_path_byte(byte: u8) -> bool {
    is_name_byte(byte) || matches!(byte, b':' | b'@')
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
