//! The escapes of JSON strings: only what has to be escaped, and the three line ends beyond ASCII.

use super::Sink;

/// Writes text with double quotes around it.
#[inline]
pub(super) fn write_string(text: &str, sink: &mut impl Sink) {
    write_in_quotes::<b'"'>(text, sink);
}

/// Writes text with single quotes around it, as `format` shows the strings inside objects.
pub(crate) fn write_quoted(text: &str, sink: &mut impl Sink) {
    write_in_quotes::<b'\''>(text, sink);
}

#[inline]
fn write_in_quotes<const QUOTE: u8>(text: &str, sink: &mut impl Sink) {
    sink.put_ascii(QUOTE);
    let bytes = text.as_bytes();
    let mut plain = 0;
    let mut at = plain_length::<QUOTE>(bytes);
    while let Some((byte, rest)) = bytes.get(at..).and_then(<[u8]>::split_first) {
        let Some((escape, length)) = escape(*byte, rest, QUOTE) else {
            at += 1;
            continue;
        };
        sink.put(text.get(plain..at).unwrap_or_default());
        match escape {
            Escape::Short(escape) => sink.put(escape),
            Escape::Code(code) => {
                sink.put("\\u");
                for shift in [12, 8, 4, 0] {
                    sink.put_ascii(
                        b"0123456789abcdef".get((code >> shift & 15) as usize).copied().unwrap_or(b'0'),
                    );
                }
            }
        }
        at += length;
        plain = at;
        at += plain_length::<QUOTE>(bytes.get(at..).unwrap_or_default());
    }
    sink.put(text.get(plain..).unwrap_or_default());
    sink.put_ascii(QUOTE);
}

/// How many bytes, eight at a time, are surely plain: ASCII, no controls, no backslash, no quote.
#[inline]
fn plain_length<const QUOTE: u8>(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // The high bit of each byte that is zero, and perhaps of some that are not below it.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let (words, _) = bytes.as_chunks::<8>();
    let is_plain = |word: &&[u8; 8]| {
        let word = u64::from_le_bytes(**word);
        let controls = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
        let quotes = zeros(word ^ (ONES * u64::from(QUOTE))) | zeros(word ^ (ONES * u64::from(b'\\')));
        (controls | quotes | word & HIGH) == 0
    };
    8 * words.iter().take_while(is_plain).count()
}

enum Escape {
    Short(&'static str),
    Code(u32),
}

/// The escape of the character that starts with a byte, if it has one, and the character's length.
#[inline]
fn escape(byte: u8, rest: &[u8], quote: u8) -> Option<(Escape, usize)> {
    let short = match byte {
        b'"' | b'\'' if byte != quote => return None,
        b'"' => "\\\"",
        b'\'' => "\\'",
        b'\\' => "\\\\",
        b'\n' => "\\n",
        b'\r' => "\\r",
        b'\t' => "\\t",
        0x08 => "\\b",
        0x0c => "\\f",
        0..=0x1f => return Some((Escape::Code(byte.into()), 1)),
        0xc2 if rest.first() == Some(&0x85) => return Some((Escape::Code(0x85), 2)),
        0xe2 => match rest {
            [0x80, 0xa8, ..] => return Some((Escape::Code(0x2028), 3)),
            [0x80, 0xa9, ..] => return Some((Escape::Code(0x2029), 3)),
            _ => return None,
        },
        _ => return None,
    };
    Some((Escape::Short(short), 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn writes(text: &str, expected: &str) {
        let mut out = String::new();
        write_string(text, &mut out);
        assert_eq!(out, expected);
    }

    #[test]
    fn an_escape_is_found_at_every_place() {
        for (character, escape) in
            [("\"", "\\\""), ("\\", "\\\\"), ("\u{1f}", "\\u001f"), ("\u{2028}", "\\u2028")]
        {
            for before in 0..20 {
                for behind in [0, 1, 9] {
                    let (before, behind) = ("a".repeat(before), "é".repeat(behind));
                    writes(&format!("{before}{character}{behind}"), &format!("\"{before}{escape}{behind}\""));
                }
            }
        }
    }

    #[test]
    fn only_what_must_be_escaped_is() {
        writes("plain 'text' /<>&", "\"plain 'text' /<>&\"");
        writes("\"\\\n\r\t\u{8}\u{c}", r#""\"\\\n\r\t\b\f""#);
        writes("\u{0}\u{1f}\u{7f}", "\"\\u0000\\u001f\u{7f}\"");
        writes("a\u{85}b\u{2028}c\u{2029}", r#""a\u0085b\u2028c\u2029""#);
        writes("é\u{a0}…€\u{200b}💪", "\"é\u{a0}…€\u{200b}💪\"");
    }
}
