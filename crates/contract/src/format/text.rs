//! Encodings and identifiers: base64, UUIDs, JSON pointers and regular expressions.
//!
//! - `byte` is base64 of RFC 4648 with padding, in the standard or the URL-safe alphabet but not a mixture
//!   of both, and without line breaks. Bits behind the last whole byte may be set, as most decoders allow.
//! - `uuid` is 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12; version and variant are not checked.
//! - `json-pointer` is RFC 6901; its relative form starts with how many levels to go up.
//! - `regex` is ECMA-262 with look-around and back-references, which patterns of contracts cannot have. It is the one format
//!   whose check builds something: the parsed expression.

use super::scan::{Class, Scan};

pub(super) fn byte(text: &str) -> bool {
    let mut scan = Scan::new(text);
    let mut digits = 0;
    let (mut standard, mut url_safe) = (false, false);
    loop {
        digits += scan.bytes_while(|byte| byte.is_ascii_alphanumeric());
        match scan.byte_if(|byte| matches!(byte, b'+' | b'/' | b'-' | b'_')) {
            Some(b'+' | b'/') => standard = true,
            Some(_) => url_safe = true,
            None => break,
        }
        digits += 1;
    }
    let padding = scan.bytes_while(|byte| byte == b'=');
    scan.is_at_end() && !(standard && url_safe) && matches!((digits % 4, padding), (0, 0) | (2, 2) | (3, 1))
}

pub(super) fn regex(text: &str) -> bool {
    crate::pattern::is_ecma(text)
}

pub(super) fn uuid(text: &str) -> bool {
    let mut scan = Scan::new(text);
    let mut read = || {
        read_hex::<8>(&mut scan)?;
        for _ in 0..3 {
            scan.byte(b'-')?;
            read_hex::<4>(&mut scan)?;
        }
        scan.byte(b'-')?;
        read_hex::<12>(&mut scan)
    };
    read().is_some() && scan.is_at_end()
}

/// Reads hexadecimal digits, without a branch for each: nearly all are what they should be.
fn read_hex<const N: usize>(scan: &mut Scan<'_>) -> Option<()> {
    let digits: [u8; N] = scan.chunk()?;
    digits.iter().fold(true, |valid, byte| valid & Class::HEX.has(*byte)).then_some(())
}

pub(super) fn json_pointer(text: &str) -> bool {
    (text.is_empty() || text.starts_with('/'))
        && text.split('~').skip(1).all(|escaped| escaped.starts_with(['0', '1']))
}

pub(super) fn relative_json_pointer(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (levels, rest) = text.split_at(digits);
    let levels_are_valid = levels == "0" || (!levels.is_empty() && !levels.starts_with('0'));
    levels_are_valid && (rest == "#" || json_pointer(rest))
}

#[cfg(test)]
mod tests {
    use crate::format::{Format, check};

    #[test]
    fn regular_expressions_may_have_what_patterns_cannot_have() {
        check(
            Format::Regex,
            &["", "^[a-z]+$", "(?=a)b", "(?<!a)b", r"(a)\1", r"(?<x>a)\k<x>", r"\p{L}", "a{2,3}"],
            &["[a", "(", "a)", "*", "a**", r"\", r"\k<", "(?=[a)b", "(?", r"\p{Nope}", "[z-a]"],
        );
    }

    #[test]
    fn base64_needs_its_padding_and_one_alphabet() {
        check(
            Format::Byte,
            &["", "aGk=", "aA==", "aGkh", "+/+/", "-_-_", "aGl=", "AAAAAAAA"],
            &[
                "a", "aA", "aA=", "aGk", "aGk==", "aGkh=", "====", "=", "a===", "aG k", "aGkh\n", "+-AA",
                "aG=k", "aGké", "*AAA",
            ],
        );
    }

    #[test]
    fn a_uuid_has_five_groups() {
        check(
            Format::Uuid,
            &[
                "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
                "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6",
                "00000000-0000-0000-0000-000000000000",
            ],
            &[
                "",
                "f81d4fae7dec11d0a76500a0c91e6bf6",
                "{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}",
                "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
                "f81d4fae-7dec-11d0-a765-00a0c91e6bf",
                "f81d4fae-7dec-11d0-a765-00a0c91e6bf6-",
                "g81d4fae-7dec-11d0-a765-00a0c91e6bf6",
                "f81d4fa-e7dec-11d0-a765-00a0c91e6bf6",
            ],
        );
    }

    #[test]
    fn a_json_pointer_escapes_its_tildes() {
        check(
            Format::JsonPointer,
            &["", "/", "/a/b", "//", "/a~0b~1c", "/é %", "/0"],
            &["a", "#/a", "/~", "/~2", "/a~/b", "~0"],
        );
    }

    #[test]
    fn a_relative_json_pointer_starts_with_levels() {
        check(
            Format::RelativeJsonPointer,
            &["0", "1/a", "0#", "120/a~1b", "2/0"],
            &["", "/a", "#", "01", "-1/a", "+1/a", "0##", "0#/a", "1a", "1/~"],
        );
    }
}
