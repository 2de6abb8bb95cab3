//! Bytes as text, by the mark they begin with or by the encoding that the program names.

use std::borrow::Cow;

/// An encoding that a program can name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Encoding {
    Ascii,
    Latin1,
    #[default]
    Utf8,
    Utf16,
    Utf16Be,
}

const NAMES: [(&str, Encoding); 5] = [
    ("us-ascii", Encoding::Ascii),
    ("iso-8859-1", Encoding::Latin1),
    ("utf-8", Encoding::Utf8),
    ("utf-16", Encoding::Utf16),
    ("utf-16BE", Encoding::Utf16Be),
];

impl Encoding {
    /// The encoding with a name.
    pub(crate) fn named(name: &str) -> Option<Encoding> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, encoding)| *encoding)
    }

    /// The names of all encodings.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        NAMES.into_iter().map(|(name, _)| name)
    }

    /// The name of the encoding.
    pub(crate) fn name(self) -> &'static str {
        NAMES.iter().find(|(_, encoding)| *encoding == self).map_or("", |(name, _)| name)
    }

    /// The text, and the encoding that a mark at its start stands for. The mark counts more than the name.
    pub(super) fn decode(self, bytes: &[u8]) -> (Cow<'_, str>, Option<Encoding>) {
        let (marked, rest) = Encoding::marked(bytes);
        (marked.unwrap_or(self).plain(rest), marked)
    }

    /// The encoding that a mark stands for, and what is behind the mark.
    fn marked(bytes: &[u8]) -> (Option<Encoding>, &[u8]) {
        match bytes {
            [0xEF, 0xBB, 0xBF, rest @ ..] => (Some(Encoding::Utf8), rest),
            [0xFF, 0xFE, rest @ ..] => (Some(Encoding::Utf16), rest),
            [0xFE, 0xFF, rest @ ..] => (Some(Encoding::Utf16Be), rest),
            _ => (None, bytes),
        }
    }

    /// Where bytes are no text of the encoding, in words; none if all are.
    pub(super) fn fault(self, bytes: &[u8]) -> Option<String> {
        let (marked, rest) = Encoding::marked(bytes);
        let encoding = marked.unwrap_or(self);
        let end = match encoding {
            Encoding::Latin1 => None,
            Encoding::Ascii => rest.iter().position(|byte| !byte.is_ascii()),
            Encoding::Utf8 => std::str::from_utf8(rest).err().map(|error| error.valid_up_to()),
            Encoding::Utf16 => wide_fault(rest, u16::from_le_bytes),
            Encoding::Utf16Be => wide_fault(rest, u16::from_be_bytes),
        }?;
        let before = encoding.plain(rest.get(..end).unwrap_or(rest));
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Some(format!("line {line}, column {column}: it is not {}", encoding.name()))
    }

    /// The text of bytes without a mark; what is none becomes the replacement character.
    fn plain(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Encoding::Utf8 => String::from_utf8_lossy(bytes),
            Encoding::Utf16 => wide(bytes, u16::from_le_bytes).into(),
            Encoding::Utf16Be => wide(bytes, u16::from_be_bytes).into(),
            Encoding::Latin1 => bytes.iter().map(|byte| char::from(*byte)).collect::<String>().into(),
            Encoding::Ascii => bytes
                .iter()
                .map(|byte| if byte.is_ascii() { char::from(*byte) } else { char::REPLACEMENT_CHARACTER })
                .collect::<String>()
                .into(),
        }
    }
}

/// The text of a program without its byte order mark: UTF-8, unless the mark says UTF-16 or UTF-32. The mark is no
/// character of the program, columns count from behind it; bytes that are no text become replacement characters.
pub(crate) fn source_text(bytes: &[u8]) -> Cow<'_, str> {
    match bytes {
        [0xFF, 0xFE, 0, 0, rest @ ..] => very_wide(rest, u32::from_le_bytes).into(),
        [0, 0, 0xFE, 0xFF, rest @ ..] => very_wide(rest, u32::from_be_bytes).into(),
        _ => Encoding::Utf8.decode(bytes).0,
    }
}

fn very_wide(bytes: &[u8], read: fn([u8; 4]) -> u32) -> String {
    let (units, rest) = bytes.as_chunks::<4>();
    let of = |unit: &[u8; 4]| char::from_u32(read(*unit)).unwrap_or(char::REPLACEMENT_CHARACTER);
    let odd = (!rest.is_empty()).then_some(char::REPLACEMENT_CHARACTER);
    units.iter().map(of).chain(odd).collect()
}

fn wide(bytes: &[u8], read: fn([u8; 2]) -> u16) -> String {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units = char::decode_utf16(pairs.iter().map(|pair| read(*pair)));
    let mut text: String = units.map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    if !rest.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text
}

/// The first byte of a half of a pair that is alone, or of half a unit.
fn wide_fault(bytes: &[u8], read: fn([u8; 2]) -> u16) -> Option<usize> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut at = 0;
    for unit in char::decode_utf16(pairs.iter().map(|pair| read(*pair))) {
        match unit {
            Ok(character) => at += 2 * character.len_utf16(),
            Err(_) => return Some(at),
        }
    }
    (!rest.is_empty()).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_have_a_place() {
        let fault = |encoding: &str, bytes: &[u8]| Encoding::named(encoding).unwrap().fault(bytes);
        assert_eq!(fault("utf-8", b"\xEF\xBB\xBF\xC3\xA9"), None);
        assert_eq!(fault("utf-8", b"a\n\xC3\xA9\xFF"), Some("line 2, column 2: it is not utf-8".to_owned()));
        assert_eq!(
            fault("utf-8", b"\xFF\xFEa\0\x00\xD8b\0"),
            Some("line 1, column 2: it is not utf-16".to_owned())
        );
        assert_eq!(
            fault("utf-16BE", b"\xD8\x3D\xDE\x00\0a\0"),
            Some("line 1, column 3: it is not utf-16BE".to_owned())
        );
        assert_eq!(fault("us-ascii", b"a\x80"), Some("line 1, column 2: it is not us-ascii".to_owned()));
        assert_eq!(fault("iso-8859-1", b"\x80\xFF"), None);
    }

    #[test]
    fn bytes_become_text_by_their_mark_or_the_named_encoding() {
        let text = |encoding: &str, bytes: &[u8]| {
            let (text, marked) = Encoding::named(encoding).unwrap().decode(bytes);
            (text.into_owned(), marked.map(Encoding::name))
        };
        assert_eq!(text("utf-16", b"\xEF\xBB\xBFa"), ("a".into(), Some("utf-8")));
        assert_eq!(text("utf-8", b"\xFF\xFEa\0"), ("a".into(), Some("utf-16")));
        assert_eq!(text("utf-8", b"\xFE\xFF\0a"), ("a".into(), Some("utf-16BE")));
        assert_eq!(text("utf-16", b"a\0b\0"), ("ab".into(), None));
        assert_eq!(text("utf-16BE", b"\0a\0b"), ("ab".into(), None));
        assert_eq!(text("utf-16", b"a\0b"), ("a\u{FFFD}".into(), None));
        assert_eq!(text("iso-8859-1", b"\xE9"), ("é".into(), None));
        assert_eq!(text("us-ascii", b"\xE9"), ("\u{FFFD}".into(), None));
        assert_eq!(Encoding::named("UTF-8"), None);
    }

    #[test]
    fn a_program_is_read_by_its_mark_and_what_is_no_text_is_replaced() {
        assert_eq!(source_text(b"\xEF\xBB\xBFvar a"), "var a");
        assert_eq!(source_text(b"// caf\xE9\nvar a = 1"), "// caf\u{FFFD}\nvar a = 1");
        assert_eq!(source_text(b"a\xE2\x82b\xFF\xFEc"), "a\u{FFFD}b\u{FFFD}\u{FFFD}c");
        assert_eq!(source_text(b"\xFF\xFEa\0\x00\xD8b\0c"), "a\u{FFFD}b\u{FFFD}");
        assert_eq!(source_text(b"\xFE\xFF\0a"), "a");
        assert_eq!(source_text(b"\xFF\xFE\0\0a\0\0\0\0\0\x11\0x"), "a\u{FFFD}\u{FFFD}");
        assert_eq!(source_text(b"\0\0\xFE\xFF\0\0\0a"), "a");
        assert_eq!(source_text(b""), "");
    }
}
