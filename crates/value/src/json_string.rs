//! Text as a JSON string: quotes around it, and escapes where they are needed.

use std::fmt::{self, Write};

/// What is escaped beside quotes, backslashes and the characters below U+0020, as JSON demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escapes {
    /// Nothing besides these.
    Needed,
    /// The three ends of lines beyond ASCII, as the public compiler of Bicep writes templates.
    LineEnds,
    /// Every control character: the text stands in a message.
    Controls,
    /// Every control character, and what changes the direction or the lines of text without being seen: a terminal shows it as it is.
    Invisible,
}

impl Escapes {
    fn has(self, c: char) -> bool {
        match self {
            Escapes::Needed => false,
            Escapes::LineEnds => matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}'),
            Escapes::Controls => c.is_control(),
            Escapes::Invisible => c.is_control() || is_format(c),
        }
    }
}

/// Marks of direction, ends of lines and the mark of the order of bytes.
fn is_format(c: char) -> bool {
    matches!(c, '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Writes text as a JSON string.
pub fn write_json_string(out: &mut dyn Write, text: &str, escapes: Escapes) -> fmt::Result {
    write_quoted(text, '"', escapes, |piece| out.write_str(piece))
}

/// Writes text in quotes of one kind, piece by piece, until a piece is refused.
#[inline]
pub fn write_quoted<E>(
    text: &str,
    quote: char,
    escapes: Escapes,
    mut put: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    let mut buffer = [0; 4];
    let quotes: &str = quote.encode_utf8(&mut buffer);
    put(quotes)?;
    let mut rest = text;
    while let Some((plain, escaped, after)) = next_escape(rest, quote, escapes) {
        put(plain)?;
        match short_escape(escaped) {
            Some(escape) => put(escape)?,
            None => put(code_escape(escaped, &mut [0; 6]))?,
        }
        rest = after;
    }
    put(rest)?;
    put(quotes)
}

/// The first character of a text that has to be escaped, with what is before and after it.
#[inline]
fn next_escape(text: &str, quote: char, escapes: Escapes) -> Option<(&str, char, &str)> {
    let plain = match escapes {
        Escapes::Needed | Escapes::LineEnds => plain_length(text.as_bytes(), quote),
        Escapes::Controls | Escapes::Invisible => 0,
    };
    let is_escaped = |c: char| c < ' ' || c == quote || c == '\\' || escapes.has(c);
    let at = plain + text.get(plain..)?.find(is_escaped)?;
    let (before, from) = text.split_at_checked(at)?;
    let mut rest = from.chars();
    Some((before, rest.next()?, rest.as_str()))
}

/// How many bytes, eight at a time, are surely plain: ASCII, no controls below U+0020, no backslash, no quote.
#[inline]
fn plain_length(bytes: &[u8], quote: char) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // The high bit of each byte that is zero, and perhaps of some that are not below it.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let quotes = ONES.wrapping_mul(u64::from(quote) & 0x7f);
    let (words, _) = bytes.as_chunks::<8>();
    let is_plain = |word: &&[u8; 8]| {
        let word = u64::from_le_bytes(**word);
        let controls = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
        let marks = zeros(word ^ quotes) | zeros(word ^ (ONES * u64::from(b'\\')));
        (controls | marks | word & HIGH) == 0
    };
    8 * words.iter().take_while(is_plain).count()
}

fn short_escape(c: char) -> Option<&'static str> {
    Some(match c {
        '"' => "\\\"",
        '\'' => "\\'",
        '\\' => "\\\\",
        '\n' => "\\n",
        '\r' => "\\r",
        '\t' => "\\t",
        '\u{8}' => "\\b",
        '\u{c}' => "\\f",
        _ => return None,
    })
}

/// The escape of a character of the basic plane by its number; those that are escaped are all there.
fn code_escape(c: char, buffer: &mut [u8; 6]) -> &str {
    let digit =
        |shift: u32| char::from_digit(u32::from(c) >> shift & 15, 16).map_or(b'0', |digit| digit as u8);
    *buffer = [b'\\', b'u', digit(12), digit(8), digit(4), digit(0)];
    std::str::from_utf8(buffer).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn writes(text: &str, escapes: Escapes, expected: &str) {
        let mut out = String::new();
        write_json_string(&mut out, text, escapes).unwrap();
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
                    let expected = format!("\"{before}{escape}{behind}\"");
                    writes(&format!("{before}{character}{behind}"), Escapes::LineEnds, &expected);
                }
            }
        }
    }

    #[test]
    fn only_what_must_be_escaped_is() {
        for escapes in [Escapes::Needed, Escapes::LineEnds, Escapes::Controls] {
            writes("plain 'text' /<>&", escapes, "\"plain 'text' /<>&\"");
            writes("\"\\\n\r\t\u{8}\u{c}", escapes, r#""\"\\\n\r\t\b\f""#);
            writes("é\u{a0}…€\u{200b}💪", escapes, "\"é\u{a0}…€\u{200b}💪\"");
        }
        let text = "\u{0}\u{1f}\u{7f}\u{85}\u{9f}\u{2028}\u{2029}";
        writes(text, Escapes::Needed, "\"\\u0000\\u001f\u{7f}\u{85}\u{9f}\u{2028}\u{2029}\"");
        writes(text, Escapes::LineEnds, "\"\\u0000\\u001f\u{7f}\\u0085\u{9f}\\u2028\\u2029\"");
        writes(text, Escapes::Controls, "\"\\u0000\\u001f\\u007f\\u0085\\u009f\u{2028}\u{2029}\"");
        let text = "a\u{202e}b\u{200f}\u{feff}\u{9f}\u{e9}";
        writes(text, Escapes::Controls, "\"a\u{202e}b\u{200f}\u{feff}\\u009f\u{e9}\"");
        writes(text, Escapes::Invisible, "\"a\\u202eb\\u200f\\ufeff\\u009f\u{e9}\"");
    }

    #[test]
    fn the_other_quote_is_plain() {
        let mut out = String::new();
        let done: Result<(), ()> = write_quoted("it's \"so\"", '\'', Escapes::Needed, |piece| {
            out.push_str(piece);
            Ok(())
        });
        assert_eq!((done, out.as_str()), (Ok(()), "'it\\'s \"so\"'"));
    }
}
