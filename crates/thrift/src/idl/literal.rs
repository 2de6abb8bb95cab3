//! What a string literal stands for.
//!
//! The value is bytes, not text: `\xff` is one byte. Compilers read escapes differently, so the spelling is
//! kept beside the value, and everything that is not read alike everywhere is noted.

use crate::Span;

/// A string literal: its value, its spelling and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    /// What it stands for, escapes decoded; any bytes.
    pub value: Vec<u8>,
    /// The text between the quotes, as written.
    pub raw: String,
    /// The quote, `"` or `'`.
    pub quote: char,
    /// The place, with the quotes.
    pub span: Span,
}

impl Literal {
    /// Returns the value as text, with each byte that is not text replaced.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.value)
    }
}

/// Something in a literal that needs a word: where in the raw text, and what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Oddity {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) kind: OddityKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OddityKind {
    /// An escape that the Apache compiler refuses.
    Unportable,
    /// `\x`, `\u` or `\U` without enough digits, or a number that is not a character.
    Bad,
}

/// Decodes the text between the quotes.
///
/// Known are the quotes, `\\`, `\n \r \t \0 \a \b \f \v`, `\xHH`, `\uHHHH` and `\UHHHHHHHH`. A backslash
/// before anything else stays, so that `"\d+"` works as a pattern.
pub fn decode(raw: &str) -> Vec<u8> {
    decode_noting(raw, |_| {})
}

/// Decodes and reports each escape that is not the same everywhere.
pub(crate) fn decode_noting(raw: &str, mut note: impl FnMut(Oddity)) -> Vec<u8> {
    let mut value = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(slash) = rest.find('\\') {
        let (plain, escape) = rest.split_at(slash);
        value.extend_from_slice(plain.as_bytes());
        let start = raw.len() - escape.len();
        let mut chars = escape.chars();
        chars.next();
        let escaped = chars.next();
        let mut unportable = true;
        let length = match escaped {
            None => {
                value.push(b'\\');
                1
            }
            Some(letter) => match simple_escape(letter) {
                Some((byte, portable)) => {
                    value.push(byte);
                    unportable = !portable;
                    2
                }
                None => match digits_of(letter) {
                    0 => {
                        value.push(b'\\');
                        let mut buffer = [0; 4];
                        value.extend_from_slice(letter.encode_utf8(&mut buffer).as_bytes());
                        1 + letter.len_utf8()
                    }
                    digits => match numeric_escape(letter, chars.as_str(), digits) {
                        Some(bytes) => {
                            value.extend_from_slice(&bytes);
                            2 + digits
                        }
                        None => {
                            note(Oddity { start, end: start + 2, kind: OddityKind::Bad });
                            unportable = false;
                            value.extend_from_slice(escape.as_bytes().get(..2).unwrap_or(&[]));
                            2
                        }
                    },
                },
            },
        };
        if unportable {
            note(Oddity { start, end: start + length, kind: OddityKind::Unportable });
        }
        rest = escape.get(length..).unwrap_or("");
    }
    value.extend_from_slice(rest.as_bytes());
    value
}

/// The byte of a one-letter escape, and whether every compiler knows it.
fn simple_escape(letter: char) -> Option<(u8, bool)> {
    Some(match letter {
        '"' => (b'"', true),
        '\'' => (b'\'', true),
        '\\' => (b'\\', true),
        'n' => (b'\n', true),
        'r' => (b'\r', true),
        't' => (b'\t', true),
        '0' => (0, false),
        'a' => (7, false),
        'b' => (8, false),
        'f' => (12, false),
        'v' => (11, false),
        _ => return None,
    })
}

/// How many hexadecimal digits follow the letter.
fn digits_of(letter: char) -> usize {
    match letter {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => 0,
    }
}

fn numeric_escape(letter: char, rest: &str, digits: usize) -> Option<Vec<u8>> {
    let digits = rest.get(..digits)?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let number = u32::from_str_radix(digits, 16).ok()?;
    if letter == 'x' {
        return Some(vec![number as u8]);
    }
    Some(char::from_u32(number)?.to_string().into_bytes())
}

/// Whether thriftgo finds the end of the literal where everybody else does.
///
/// It reads `\"` and `\'` as escapes and knows no `\\`, so a literal that ends in an escaped backslash
/// seems to it to go on.
pub(crate) fn thriftgo_ends_here(raw: &str, quote: u8) -> bool {
    let mut bytes = raw.bytes().chain([quote]).peekable();
    let mut remaining = raw.len() + 1;
    while let Some(byte) = bytes.next() {
        remaining -= 1;
        if byte == b'\\' && matches!(bytes.peek(), Some(b'"' | b'\'')) {
            bytes.next();
            remaining -= 1;
        } else if byte == quote {
            return remaining == 0;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_decode_to_bytes() {
        for (raw, value) in [
            (r"plain", &b"plain"[..]),
            (r#"say \"hi\""#, b"say \"hi\""),
            (r"a\\", b"a\\"),
            (r"\n\r\t\0\a\b\f\v", b"\n\r\t\0\x07\x08\x0c\x0b"),
            (r"\xff\x00", b"\xff\0"),
            (r"\u4e2d\U0001F600", "\u{4e2d}\u{1f600}".as_bytes()),
            (r"\d+\.", br"\d+\."),
            ("\\\u{e9}", "\\\u{e9}".as_bytes()),
            (r"\\d", br"\d"),
            (r"\", b"\\"),
        ] {
            assert_eq!(decode(raw), value, "{raw}");
        }
    }

    #[test]
    fn escapes_that_are_no_character_are_noted_and_kept() {
        for raw in [r"\xg0", r"\x1", r"\ud800", r"\U00110000", r"\u12", r"\u+123"] {
            let mut notes = Vec::new();
            assert_eq!(decode_noting(raw, |oddity| notes.push(oddity.kind)), raw.as_bytes(), "{raw}");
            assert_eq!(notes, [OddityKind::Bad], "{raw}");
        }
    }

    #[test]
    fn thriftgo_reads_past_an_escaped_backslash() {
        assert!(thriftgo_ends_here(r"a\d", b'"'));
        assert!(thriftgo_ends_here(r#"a\"b"#, b'"'));
        assert!(!thriftgo_ends_here(r"a\\", b'"'));
        assert!(thriftgo_ends_here(r"a\\b", b'"'));
    }
}
