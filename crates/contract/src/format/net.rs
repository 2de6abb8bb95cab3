//! Names and addresses of hosts.
//!
//! - A host name is what RFC 1123 allows: labels of letters, digits and inner hyphens, up to 63 each and 253
//!   in all, without a dot at the end. Whether an `xn--` label decodes to a valid name is not checked.
//! - IPv4 is four decimal octets without leading zeros.
//! - IPv6 is the text form of RFC 4291, with `::` for one group or more and perhaps an IPv4 tail; a zone
//!   such as `%eth0` is not part of an address.

use super::scan::{Class, Scan};

pub(super) fn hostname(text: &str) -> bool {
    /// The longest label of a host name in bytes, as RFC 1035 has it.
    const LONGEST: usize = 63;

    if text.len() > 253 {
        return false;
    }
    let mut scan = Scan::new(text);
    loop {
        let label = scan.rest();
        let length = scan.bytes_while(|byte| Class::LABEL.has(byte));
        let last = length.checked_sub(1).and_then(|last| label.get(last));
        if length > LONGEST || last.is_none_or(|last| *last == b'-') || label.first() == Some(&b'-') {
            return false;
        }
        if scan.byte(b'.').is_none() {
            return scan.is_at_end();
        }
    }
}

pub(super) fn ipv4(text: &str) -> bool {
    let mut scan = Scan::new(text);
    read_ipv4(&mut scan).is_some() && scan.is_at_end()
}

fn read_ipv4(scan: &mut Scan<'_>) -> Option<()> {
    for octet in 0..4 {
        if octet > 0 {
            scan.byte(b'.')?;
        }
        let digit = |scan: &mut Scan<'_>| {
            scan.byte_if(|byte| byte.is_ascii_digit()).map(|byte| u32::from(byte - b'0'))
        };
        // Up to three digits, and none behind a leading zero.
        let mut value = digit(scan)?;
        for _ in 0..2 {
            match value {
                0 => break,
                _ => match digit(scan) {
                    Some(next) => value = value * 10 + next,
                    None => break,
                },
            }
        }
        (value <= 255).then_some(())?;
    }
    Some(())
}

pub(super) fn ipv6(text: &str) -> bool {
    let mut scan = Scan::new(text);
    read_ipv6(&mut scan).is_some() && scan.is_at_end()
}

fn read_ipv6(scan: &mut Scan<'_>) -> Option<()> {
    let mut groups = 0;
    let mut shortened = false;
    if let [b':', b':', ..] = scan.rest() {
        scan.byte(b':')?;
        scan.byte(b':')?;
        shortened = true;
    }
    while !(shortened && scan.is_at_end()) {
        let before = *scan;
        let length = scan.bytes_while(|byte| Class::HEX.has(byte));
        if scan.rest().first() == Some(&b'.') {
            *scan = before;
            read_ipv4(scan)?;
            groups += 2;
            break;
        }
        (1..=4).contains(&length).then_some(())?;
        groups += 1;
        if scan.is_at_end() {
            break;
        }
        scan.byte(b':')?;
        if scan.byte(b':').is_some() {
            if shortened {
                return None;
            }
            shortened = true;
        } else if scan.is_at_end() {
            return None;
        }
    }
    (if shortened { groups <= 7 } else { groups == 8 }).then_some(())
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use proptest::prelude::*;

    use crate::Node;
    use crate::format::{Format, check};

    #[test]
    fn host_names_are_labels_with_dots_between() {
        let label = "a".repeat(63);
        let longest = format!("{label}.{label}.{label}.{}", "a".repeat(61));
        let too_long = format!("{longest}a");
        check(
            Format::Hostname,
            &[
                "localhost",
                "www.example.com",
                "1host",
                "a--b.c-d",
                "xn--nxasmq6b",
                "192.0.2.1",
                &label,
                &longest,
            ],
            &[
                "",
                ".",
                "a.",
                ".a",
                "a..b",
                "-a",
                "a-",
                "a.-b",
                "a_b",
                "a b",
                "bücher.de",
                "a\n",
                &format!("{label}a"),
                &too_long,
            ],
        );
    }

    #[test]
    fn ipv4_is_four_decimal_octets() {
        check(
            Format::Ipv4,
            &["0.0.0.0", "127.0.0.1", "255.255.255.255"],
            &[
                "",
                "1.2.3",
                "1.2.3.4.5",
                "256.0.0.1",
                "01.2.3.4",
                "1.2.3.04",
                "1.2.3.4 ",
                "0x7f.0.0.1",
                "2130706433",
                "1..2.3",
                "1.2.3.٤",
                "-1.2.3.4",
                "1.2.3.4/8",
            ],
        );
    }

    #[test]
    fn ipv6_may_be_compressed_once_and_end_in_ipv4() {
        check(
            Format::Ipv6,
            &[
                "::",
                "::1",
                "1::",
                "2001:db8::1",
                "1:2:3:4:5:6:7:8",
                "1:2:3:4:5:6:7::",
                "::2:3:4:5:6:7:8",
                "1:2:3::5:6:7:8",
                "::ffff:192.0.2.1",
                "1:2:3:4:5:6:192.0.2.1",
                "ABCD:ef01::",
            ],
            &[
                "",
                ":",
                ":::",
                "1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:8:9",
                "1:2:3:4:5:6:7:8::",
                "1::2::3",
                "12345::",
                "g::",
                ":1:2:3:4:5:6:7:8",
                "1:2:3:4:5:6:7:",
                "::ffff:192.0.2.256",
                "::192.0.2.01",
                "192.0.2.1::",
                "1:2:3:4:5:6:7:192.0.2.1",
                "fe80::1%eth0",
                "::1/64",
                "[::1]",
                " ::1",
            ],
        );
    }

    proptest! {
        #[test]
        fn addresses_are_those_that_the_standard_library_reads(
            text in "[0-9a-f:.]{0,20}|([0-9a-f]{0,5}:){0,9}[0-9a-f]{0,4}|(::)?([0-9a-f]{1,4}:){0,7}(:[0-9a-f]{1,4}){0,7}|([0-9a-f]{1,3}:){0,7}:?([0-9]{1,3}\\.){3}[0-9]{1,3}"
        ) {
            prop_assert_eq!(Format::Ipv6.holds(&Node::Text(&text)), text.parse::<Ipv6Addr>().is_ok());
            prop_assert_eq!(Format::Ipv4.holds(&Node::Text(&text)), text.parse::<Ipv4Addr>().is_ok());
        }
    }
}
