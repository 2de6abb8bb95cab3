//! The values that literals stand for: strings with their escapes and layout rules, and integers.

use std::borrow::Cow;

use crate::token::TokenKind;

/// How a string literal is written; all its pieces share it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StringForm {
    /// `'...'`, with escapes and `${...}` holes.
    SingleLine,
    /// `'''...'''`, without escapes. Holes open with as many dollar signs as stand before the quotes, none means no holes.
    MultiLine {
        /// The number of dollar signs before the opening quotes.
        dollars: u32,
    },
}

impl StringForm {
    /// Reads the form from the text of a literal's first piece.
    #[must_use]
    pub fn of(first_piece: &str) -> Self {
        let dollars = first_piece.bytes().take_while(|&byte| byte == b'$').count();
        // Two bytes are the empty string, `''`.
        if dollars > 0 || (first_piece.len() > 2 && first_piece.starts_with("''")) {
            Self::MultiLine { dollars: u32::try_from(dollars).unwrap_or(u32::MAX) }
        } else {
            Self::SingleLine
        }
    }
}

/// Returns the text that a string piece stands for, or nothing when the piece is malformed.
///
/// `kind` is one of the four string kinds, `text` the source of the piece with its quotes and braces.
#[must_use]
pub fn string_piece_value(text: &str, kind: TokenKind, form: StringForm) -> Option<Cow<'_, str>> {
    let opens = matches!(kind, TokenKind::StringComplete | TokenKind::StringLeftPiece);
    let closes = matches!(kind, TokenKind::StringComplete | TokenKind::StringRightPiece);
    match form {
        StringForm::SingleLine => {
            let content = text.strip_prefix(if opens { "'" } else { "}" })?;
            let content = content.strip_suffix(if closes { "'" } else { "${" })?;
            unescape(content)
        }
        StringForm::MultiLine { dollars } => {
            let content = if opens {
                let quoted = text.get(dollars as usize..)?.strip_prefix("'''")?;
                let line = quoted.strip_prefix('\r').unwrap_or(quoted);
                // The closing quotes are left alone even when the text before them is empty.
                line.strip_prefix('\n').unwrap_or(line)
            } else {
                text.strip_prefix('}')?
            };
            let content = if closes {
                content.strip_suffix("'''")?
            } else {
                let marked = content.strip_suffix('{')?;
                marked.get(..marked.len().checked_sub(dollars as usize)?)?
            };
            Some(Cow::Borrowed(content))
        }
    }
}

/// Replaces the escapes in the inside of a single-line string; nothing when there is one that means nothing.
#[must_use]
pub fn unescape(content: &str) -> Option<Cow<'_, str>> {
    let Some(first) = memchr::memchr(b'\\', content.as_bytes()) else { return Some(Cow::Borrowed(content)) };
    let mut value = String::with_capacity(content.len());
    let (plain, mut rest) = content.split_at_checked(first)?;
    value.push_str(plain);
    let mut high: Option<u32> = None;
    while !rest.is_empty() {
        let escape = scan_escape(rest.as_bytes())?;
        let code = match (high.take(), escape.code) {
            // Two escapes that are the halves of one UTF-16 pair make one character.
            (Some(high), low @ 0xDC00..=0xDFFF) => {
                value.pop();
                0x1_0000_u32 + ((high - 0xD800) << 10) + (low - 0xDC00)
            }
            (_, code) => code,
        };
        if (0xD800..=0xDBFF).contains(&code) {
            high = Some(code);
        }
        // A half on its own has no UTF-8 form.
        value.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        if escape.code == u32::from('$') && escape.len == 3 {
            value.push('{');
        }
        rest = rest.get(escape.len..)?;
        let plain = memchr::memchr(b'\\', rest.as_bytes()).unwrap_or(rest.len());
        if plain > 0 {
            high = None;
        }
        value.push_str(rest.get(..plain)?);
        rest = rest.get(plain..)?;
    }
    Some(Cow::Owned(value))
}

/// A valid escape sequence at the start of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Escape {
    /// Bytes taken, the backslash included. `\${` is one sequence.
    pub(crate) len: usize,
    /// The character, or half of a UTF-16 pair.
    pub(crate) code: u32,
}

/// Reads the escape sequence that `text` starts with.
pub(crate) fn scan_escape(text: &[u8]) -> Option<Escape> {
    let [b'\\', letter, rest @ ..] = text else { return None };
    let code = match letter {
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'\\' => '\\',
        b'\'' => '\'',
        b'$' => {
            return Some(Escape {
                len: if rest.first() == Some(&b'{') { 3 } else { 2 },
                code: u32::from('$'),
            });
        }
        b'u' => return scan_unicode_escape(rest),
        _ => return None,
    };
    Some(Escape { len: 2, code: u32::from(code) })
}

/// Reads `{H...H}`, what follows `\u`.
fn scan_unicode_escape(text: &[u8]) -> Option<Escape> {
    let digits = text.strip_prefix(b"{")?;
    let mut code = 0_u32;
    for (count, byte) in digits.iter().enumerate() {
        match char::from(*byte).to_digit(16) {
            Some(digit) => {
                code = code.checked_mul(16)?.checked_add(digit).filter(|code| *code <= 0x10_FFFF)?
            }
            None => return (*byte == b'}' && count > 0).then_some(Escape { len: count + 4, code }),
        }
    }
    None
}

/// Returns the value of an integer token, or nothing when it is larger than 64 bits hold.
#[must_use]
pub fn integer_value(text: &str) -> Option<u64> {
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use TokenKind::{StringComplete, StringLeftPiece, StringMiddlePiece, StringRightPiece};

    #[track_caller]
    fn check(piece: &str, kind: TokenKind, first: &str, expected: Option<&str>) {
        assert_eq!(string_piece_value(piece, kind, StringForm::of(first)).as_deref(), expected, "{piece}");
    }

    #[track_caller]
    fn check_whole(piece: &str, expected: Option<&str>) {
        check(piece, StringComplete, piece, expected);
    }

    #[test]
    fn single_line_strings_know_seven_escapes() {
        check_whole("''", Some(""));
        check_whole(r"'plain'", Some("plain"));
        check_whole(r"'a\n\r\t\\\'\$b'", Some("a\n\r\t\\'$b"));
        check_whole(r"'\u{41}\u{1F600}\u{00000041}'", Some("A\u{1F600}A"));
        check_whole(r"'\${x} $x'", Some("${x} $x"));
    }

    #[test]
    fn halves_of_a_pair_join_and_lone_halves_are_replaced() {
        check_whole(r"'\u{D83D}\u{DE00}'", Some("\u{1F600}"));
        check_whole(r"'\u{D83D}x\u{DE00}'", Some("\u{FFFD}x\u{FFFD}"));
    }

    #[test]
    fn malformed_pieces_have_no_value() {
        for piece in [
            "'",
            "'open",
            r"'\'",
            r"'\q'",
            r"'\u41'",
            r"'\u{}'",
            r"'\u{110000}'",
            r"'\u{FFFFFFFFFF}'",
            "''''",
        ] {
            check_whole(piece, None);
        }
    }

    #[test]
    fn pieces_drop_the_marks_of_their_holes() {
        check("'a${", StringLeftPiece, "'a${", Some("a"));
        check(r"}\tb${", StringMiddlePiece, "'a${", Some("\tb"));
        check("}c'", StringRightPiece, "'a${", Some("c"));
        check("", StringRightPiece, "'a${", None);
    }

    #[test]
    fn multi_line_strings_lose_one_line_break_at_the_start_and_nothing_else() {
        check_whole("''''''", Some(""));
        check_whole("'''a'''", Some("a"));
        check_whole("'''\n  a\n  b\n'''", Some("  a\n  b\n"));
        check_whole("'''\r\n\r\na'''", Some("\r\na"));
        check_whole(r"'''\n${x}'''", Some(r"\n${x}"));
        check_whole("'''''a'''''", Some("''a''"));
    }

    #[test]
    fn holes_of_multi_line_strings_take_as_many_dollars_as_the_opener() {
        check("$'''\na ${", StringLeftPiece, "$'''\na ${", Some("a "));
        check("} b $${", StringMiddlePiece, "$'''${", Some(" b $"));
        check("}'''", StringRightPiece, "$'''${", Some(""));
        check("$$'''a $$${", StringLeftPiece, "$$'''a $$${", Some("a $"));
        check("} ${ $${", StringMiddlePiece, "$$'''$${", Some(" ${ "));
        check_whole("$$'''no hole ${x}'''", Some("no hole ${x}"));
    }

    #[test]
    fn integers_are_unsigned_and_end_at_64_bits() {
        assert_eq!(integer_value("0042"), Some(42));
        assert_eq!(integer_value("18446744073709551615"), Some(u64::MAX));
        assert_eq!(integer_value("18446744073709551616"), None);
    }
}
