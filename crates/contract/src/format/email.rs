//! Email addresses: a mailbox as RFC 5321 writes it.
//!
//! The local part is a dot-separated row of atoms or a quoted string, of at most 64 octets; the domain is a
//! host name or an address in brackets; the whole has at most 254 octets. Display names, comments and
//! non-ASCII characters are not part of a mailbox.

use super::net;
use super::scan::{Class, Scan};

pub(super) fn email(text: &str) -> bool {
    // An `@` in a quoted local part comes before the one that separates, and a domain has none.
    text.len() <= 254
        && text.rsplit_once('@').is_some_and(|(local, domain)| is_local(local) && is_domain(domain))
}

fn is_local(text: &str) -> bool {
    if text.len() > 64 {
        return false;
    }
    if text.starts_with('"') {
        return is_quoted(text);
    }
    let mut scan = Scan::new(text);
    loop {
        if scan.bytes_while(|byte| Class::ATOM.has(byte)) == 0 {
            return false;
        }
        if scan.byte(b'.').is_none() {
            return scan.is_at_end();
        }
    }
}

fn is_quoted(text: &str) -> bool {
    let is_printable = |byte: u8| matches!(byte, b' '..=b'~');
    let mut scan = Scan::new(text);
    if scan.byte(b'"').is_none() {
        return false;
    }
    loop {
        scan.bytes_while(|byte| is_printable(byte) && !matches!(byte, b'"' | b'\\'));
        if scan.byte(b'\\').is_none() {
            break;
        }
        if scan.byte_if(is_printable).is_none() {
            return false;
        }
    }
    scan.byte(b'"').is_some() && scan.is_at_end()
}

fn is_domain(text: &str) -> bool {
    const IPV6_TAG: &str = "IPv6:";

    match text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        None => net::hostname(text),
        // The one tag that is registered; like all of SMTP's keywords it has no case.
        Some(literal) => match literal.split_at_checked(IPV6_TAG.len()) {
            Some((tag, address)) if tag.eq_ignore_ascii_case(IPV6_TAG) => net::ipv6(address),
            _ => net::ipv4(literal),
        },
    }
}

#[cfg(test)]
mod tests {
    use crate::format::{Format, check};

    #[test]
    fn a_mailbox_is_a_local_part_and_a_domain() {
        check(
            Format::Email,
            &[
                "joe@example.com",
                "joe.bloggs+tag@example.com",
                "a@b",
                "!#$%&'*+-/=?^_`{|}~@example.com",
                "1@2.3",
                "joe@xn--nxasmq6b",
            ],
            &[
                "",
                "@",
                "joe",
                "joe@",
                "@example.com",
                ".joe@example.com",
                "joe.@example.com",
                "joe..bloggs@example.com",
                "joe bloggs@example.com",
                "joe@bloggs@example.com",
                "joe@example.com.",
                "joe@-example.com",
                "joe@exa_mple.com",
                "joe@example.com\n",
                "Joe <joe@example.com>",
                "joe(comment)@example.com",
                "jöe@example.com",
                "joe@exämple.com",
            ],
        );
    }

    #[test]
    fn a_quoted_local_part_may_hold_any_printable_character() {
        check(
            Format::Email,
            &[
                r#""joe bloggs"@example.com"#,
                r#""joe@bloggs"@example.com"#,
                r#""joe..bloggs"@example.com"#,
                r#""\"\\"@example.com"#,
                r#"""@example.com"#,
            ],
            &[
                r#""joe@example.com"#,
                r#""joe"bloggs@example.com"#,
                r#""joe\"@example.com"#,
                r#"joe"x"@example.com"#,
                "\"joe\t\"@example.com",
                r#"""#,
                r#"@example.com""#,
            ],
        );
    }

    #[test]
    fn an_address_in_brackets_is_a_domain() {
        check(
            Format::Email,
            &["joe@[192.0.2.1]", "joe@[IPv6:2001:db8::1]", "joe@[ipv6:::1]"],
            &[
                "joe@[192.0.2.256]",
                "joe@[2001:db8::1]",
                "joe@[IPv6:192.0.2.1]",
                "joe@[192.0.2.1",
                "joe@192.0.2.1]",
                "joe@[]",
                "joe@[example.com]",
                "joe@[x:y]",
            ],
        );
    }

    #[test]
    fn lengths_are_limited() {
        let local = "a".repeat(64);
        let label = "b".repeat(63);
        let longest = format!("{local}@{label}.{label}.{}", "c".repeat(61));
        assert_eq!(longest.len(), 254);
        let long_local = format!("a{local}@example.com");
        let too_long = format!("{longest}c");
        check(Format::Email, &[&longest], &[&long_local, &too_long]);
    }
}
