//! Text made safe for a terminal.
//!
//! Source texts, file names and the user's words in messages are untrusted: an escape sequence in them could move the
//! cursor, rename the window or hide a line, and a bidirectional override could show code in another order than the
//! compiler reads it. Characters with such powers are shown as what they are.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar as _;

/// The columns one tab takes.
const TAB: &str = "    ";

/// Appends a character of a source line as it is shown, and returns how many terminal cells it takes.
pub(crate) fn push(out: &mut String, character: char) -> usize {
    match character {
        '\t' => {
            out.push_str(TAB);
            TAB.len()
        }
        _ if has_powers(character) => {
            let shown = visible(character);
            out.push_str(&shown);
            shown.chars().count()
        }
        _ => {
            out.push(character);
            character.width().unwrap_or_default()
        }
    }
}

/// Returns text for one line of output, safe for a terminal: line breaks become blanks, and what could move the cursor
/// or turn the direction of text is shown as what it is.
pub fn line(text: &str) -> Cow<'_, str> {
    if !text.chars().any(has_powers) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' => out.push(' '),
            '\r' => {}
            _ => {
                push(&mut out, character);
            }
        }
    }
    Cow::Owned(out)
}

/// Whether a terminal, or the eye, could be misled by the character.
fn has_powers(character: char) -> bool {
    character.is_control()
        || matches!(character,
            // Direction marks, embeddings, overrides and isolates.
            '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}'
            // Line and paragraph separators.
            | '\u{2028}' | '\u{2029}'
            // Invisible characters; the joiners U+200C and U+200D stay, words and emoji need them.
            | '\u{200B}' | '\u{2060}'..='\u{2065}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}'
            | '\u{E0001}' | '\u{E0020}'..='\u{E007F}')
}

/// The picture of a control character, or the number of any other.
fn visible(character: char) -> Cow<'static, str> {
    let code = u32::from(character);
    let picture = match code {
        0..=0x1F => char::from_u32(0x2400 + code),
        0x7F => Some('\u{2421}'),
        _ => None,
    };
    picture.map_or_else(|| format!("<U+{code:04X}>").into(), |picture| picture.to_string().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expect: &str, cells: usize) {
        let mut out = String::new();
        let width: usize = source.chars().map(|character| push(&mut out, character)).sum();
        assert_eq!((out.as_str(), width), (expect, cells));
    }

    #[test]
    fn harmless_text_is_left_alone() {
        check("param é 語 😀", "param é 語 😀", 13);
        assert!(matches!(line("plain `text`"), Cow::Borrowed(_)));
    }

    #[test]
    fn escape_sequences_are_shown_and_not_obeyed() {
        check("\u{1b}[31mred\u{7}\0\u{7f}", "␛[31mred␇␀␡", 11);
        check("\u{9b}31m", "<U+009B>31m", 11);
    }

    #[test]
    fn text_direction_cannot_be_turned() {
        check("a\u{202e}b\u{2066}", "a<U+202E>b<U+2066>", 18);
    }

    #[test]
    fn tabs_take_four_cells_and_combining_marks_none() {
        check("\tx", "    x", 5);
        check("e\u{301}", "e\u{301}", 1);
    }

    #[test]
    fn one_line_stays_one_line() {
        assert_eq!(line("a\r\nb\tc\u{2028}\u{1b}[2J"), "a b c<U+2028>␛[2J");
    }
}
