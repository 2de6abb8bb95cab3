//! Names and addresses of hosts.
//!
//! - A host name is what RFC 1123 allows: labels of letters, digits and inner hyphens, up to 63 each and 253
//!   in all, without a dot at the end. Whether an `xn--` label decodes to a valid name is not checked.
//! - IPv4 is four decimal octets without leading zeros.
//! - IPv6 is the text form of RFC 4291, with `::` for one group or more and perhaps an IPv4 tail; a zone
//!   such as `%eth0` is not part of an address.

use std::net::{Ipv4Addr, Ipv6Addr};

pub(super) fn hostname(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(is_label)
}

fn is_label(label: &str) -> bool {
    let bytes = label.as_bytes();
    (1..=63).contains(&bytes.len())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
        && bytes.first() != Some(&b'-')
        && bytes.last() != Some(&b'-')
}

pub(super) fn ipv4(text: &str) -> bool {
    text.parse::<Ipv4Addr>().is_ok()
}

pub(super) fn ipv6(text: &str) -> bool {
    text.parse::<Ipv6Addr>().is_ok()
}

#[cfg(test)]
mod tests {
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
}
