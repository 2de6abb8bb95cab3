//! How programs write names and strings: the way back from [`crate::literal`].

use std::fmt::Write;

/// Tells whether a text has the letters of an identifier.
#[must_use]
pub fn is_identifier(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Tells whether a text can name a property or a declaration without quotes: three identifiers are literals.
#[must_use]
pub fn is_name(text: &str) -> bool {
    is_identifier(text) && !matches!(text, "true" | "false" | "null")
}

/// A text as a single-line string.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('\'');
    escape(text, &mut out, Controls::Keep);
    out.push('\'');
    out
}

/// What becomes of control characters that have no escape of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Controls {
    /// They stay as they are.
    Keep,
    /// They are written by their number.
    Escape,
}

/// Writes a text as it stands inside a single-line string.
pub fn escape(text: &str, out: &mut String, controls: Controls) {
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => out.push_str("\\\\"),
            '\'' => out.push_str("\\'"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '$' if characters.peek() == Some(&'{') => out.push_str("\\$"),
            other if controls == Controls::Escape && other.is_control() => {
                // Writing to a string does not fail.
                let _ = write!(out, "\\u{{{:x}}}", u32::from(other));
            }
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::literal::unescape;

    #[test]
    fn identifiers_begin_with_a_letter_or_an_underscore() {
        for (text, identifier, name) in [
            ("", false, false),
            ("a", true, true),
            ("_1", true, true),
            ("1a", false, false),
            ("a-b", false, false),
            ("ä", false, false),
            ("null", true, false),
            ("nullable", true, true),
        ] {
            assert_eq!((is_identifier(text), is_name(text)), (identifier, name), "{text:?}");
        }
    }

    #[test]
    fn what_is_written_reads_as_the_same_text() {
        for text in ["", "it's", "a\\b\r\n\t", "${x}", "$", "$$ {", "\u{1}\u{7f}\u{85}", "'''"] {
            for controls in [Controls::Keep, Controls::Escape] {
                let mut written = String::new();
                escape(text, &mut written, controls);
                assert_eq!(unescape(&written).as_deref(), Some(text), "{written}");
            }
        }
        assert_eq!(quoted("it's ${1} $2"), r"'it\'s \${1} $2'");
    }

    #[test]
    fn control_characters_are_written_by_number_if_asked() {
        let mut written = String::new();
        escape("\u{1}\n", &mut written, Controls::Escape);
        assert_eq!(written, r"\u{1}\n");
    }
}
