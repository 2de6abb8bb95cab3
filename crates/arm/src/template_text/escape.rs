//! The escapes of JSON strings: only what has to be escaped, and the three line ends beyond ASCII.

use super::Sink;

/// Bytes at which plain text may end: quotes, backslashes, controls, and the first bytes of U+0085 and U+2028.
#[expect(
    clippy::indexing_slicing,
    reason = "evaluated by the compiler, which refuses an index out of bounds"
)]
const SPECIAL: [bool; 256] = {
    let mut special = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        special[byte] = true;
        byte += 1;
    }
    special[b'"' as usize] = true;
    special[b'\'' as usize] = true;
    special[b'\\' as usize] = true;
    special[0xc2] = true;
    special[0xe2] = true;
    special
};

/// Writes text with double quotes around it.
#[inline]
pub(super) fn write_string(text: &str, sink: &mut impl Sink) {
    sink.put("\"");
    write_escaped(text, sink, b'"');
    sink.put("\"");
}

/// Writes text with single quotes around it, as `format` shows the strings inside objects.
pub(crate) fn write_quoted(text: &str, sink: &mut impl Sink) {
    sink.put("'");
    write_escaped(text, sink, b'\'');
    sink.put("'");
}

#[inline]
fn write_escaped(text: &str, sink: &mut impl Sink, quote: u8) {
    let bytes = text.as_bytes();
    let mut plain = 0;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if !SPECIAL.get(usize::from(*byte)).is_some_and(|special| *special) {
            at += 1;
            continue;
        }
        let Some((escape, length)) = escape(*byte, bytes.get(at + 1..).unwrap_or_default(), quote) else {
            at += 1;
            continue;
        };
        sink.put(text.get(plain..at).unwrap_or_default());
        match escape {
            Escape::Short(escape) => sink.put(escape),
            Escape::Code(code) => {
                let digit = |shift: u32| char::from_digit(code >> shift & 15, 16).unwrap_or('0');
                let mut buffer = *b"\\u0000";
                let digits = [12, 8, 4, 0].map(digit);
                buffer.iter_mut().skip(2).zip(digits).for_each(|(to, digit)| *to = digit as u8);
                sink.put(str::from_utf8(&buffer).unwrap_or_default());
            }
        }
        at += length;
        plain = at;
    }
    sink.put(text.get(plain..).unwrap_or_default());
}

enum Escape {
    Short(&'static str),
    Code(u32),
}

/// The escape of the character that starts with a special byte, if it has one, and the character's length.
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
        0xc2 if rest.first() == Some(&0x85) => return Some((Escape::Code(0x85), 2)),
        0xe2 => match rest {
            [0x80, 0xa8, ..] => return Some((Escape::Code(0x2028), 3)),
            [0x80, 0xa9, ..] => return Some((Escape::Code(0x2029), 3)),
            _ => return None,
        },
        0xc2 => return None,
        control => return Some((Escape::Code(control.into()), 1)),
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
    fn only_what_must_be_escaped_is() {
        writes("plain 'text' /<>&", "\"plain 'text' /<>&\"");
        writes("\"\\\n\r\t\u{8}\u{c}", r#""\"\\\n\r\t\b\f""#);
        writes("\u{0}\u{1f}\u{7f}", "\"\\u0000\\u001f\u{7f}\"");
        writes("a\u{85}b\u{2028}c\u{2029}", r#""a\u0085b\u2028c\u2029""#);
        writes("é\u{a0}…€\u{200b}💪", "\"é\u{a0}…€\u{200b}💪\"");
    }
}
