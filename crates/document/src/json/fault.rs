//! What to say about JSON that is none: what was expected, what stands there, and the likely remedy.

use std::borrow::Cow;

use super::JsonParser;
use crate::error::{ReadErrorKind, UnlocatedReadError, line_and_column, shorten};
use crate::number::BadNumber;

/// Words that other languages have where JSON has a value or nothing at all.
const FOREIGN_WORDS: [(&[&str], &str); 5] = [
    (&["True", "TRUE"], "write `true` in lower case"),
    (&["False", "FALSE"], "write `false` in lower case"),
    (&["None", "Null", "NULL", "nil", "undefined"], "write `null`"),
    (&["NaN", "Infinity", "nan", "inf"], "JSON has no such number; write `null` or a string"),
    (&["yes", "no", "on", "off"], "write `true` or `false`"),
];

impl JsonParser<'_> {
    /// No value starts here.
    #[cold]
    pub(super) fn no_value(&self) -> UnlocatedReadError {
        let expected = match (self.build.in_object(), self.build.last_key()) {
            (Some(true), Some(key)) => format!("a value for the member `{}`", shorten(key)).into(),
            (Some(false), _) if self.previous() == Some(b'[') => "a value or `]`".into(),
            (Some(false), _) => "a value after `,`".into(),
            _ => "a value".into(),
        };
        let word = self.word_here();
        let foreign = FOREIGN_WORDS.iter().find(|(words, _)| words.contains(&word)).map(|(_, hint)| *hint);
        let hint: Option<Cow<'static, str>> = match self.peek() {
            _ if foreign.is_some() => foreign.map(Cow::Borrowed),
            Some(_) if !word.is_empty() => {
                Some(format!("put the text in double quotes: `\"{word}\"`").into())
            }
            Some(b'.') => Some("write a digit before the decimal point".into()),
            Some(b'+') => Some("write the number without `+`".into()),
            Some(b',') => Some("remove the `,`, or write the value that is missing before it".into()),
            _ => self.any_hint(),
        };
        self.expected(expected, hint)
    }

    /// No key starts here, inside an object.
    #[cold]
    pub(super) fn no_key(&self) -> UnlocatedReadError {
        let expected = if self.previous() == Some(b'{') {
            "a key in double quotes or `}`"
        } else {
            "a key in double quotes"
        };
        let word = self.word_here();
        let hint = match self.peek() {
            Some(_) if !word.is_empty() => Some(format!("put the key in double quotes: `\"{word}\"`").into()),
            Some(b',') => Some("remove the `,`".into()),
            _ => self.any_hint(),
        };
        self.expected(expected.into(), hint)
    }

    /// No colon stands between a key and its value.
    #[cold]
    pub(super) fn no_colon(&self) -> UnlocatedReadError {
        let key = shorten(self.build.last_key().unwrap_or_default());
        let hint = match self.peek() {
            Some(b'=') => Some("write `:` between key and value".into()),
            _ => self.any_hint(),
        };
        self.expected(format!("`:` after the key `{key}`").into(), hint)
    }

    /// Neither a comma nor the container's end follows a value.
    #[cold]
    pub(super) fn no_separator(&self, in_object: bool) -> UnlocatedReadError {
        let expected = match self.build.last_key() {
            Some(key) if in_object => format!("`,` or `}}` after the member `{}`", shorten(key)).into(),
            _ => "`,` or `]` after the element".into(),
        };
        let hint = match self.peek() {
            Some(b'"' | b'{' | b'[' | b'0'..=b'9' | b'-') => Some("a `,` is missing before it".into()),
            Some(b']' | b'}') => self.opened(),
            Some(b';') => Some("write `,` instead".into()),
            _ => self.any_hint(),
        };
        self.expected(expected, hint)
    }

    /// A comma stands before the container's end.
    #[cold]
    pub(super) fn trailing_comma(&self, comma: usize, end: u8) -> UnlocatedReadError {
        let end = char::from(end);
        let expected = if end == '}' { "a key after `,`" } else { "a value after `,`" };
        let problem = ReadErrorKind::UnexpectedToken { expected: expected.into(), found: format!("`{end}`") };
        let (line, column) = line_and_column(self.text, comma);
        let hint = format!("remove the `,` at line {line}, column {column}");
        UnlocatedReadError::new(self.at, self.at + 1, problem).hint(hint)
    }

    /// The text goes on after the value.
    #[cold]
    pub(super) fn trailing_content(&self) -> UnlocatedReadError {
        let (found, length) = self.describe_token();
        let hint = match self.peek() {
            Some(b'{' | b'[') => Some("a JSON text is one value; put several into a list".into()),
            Some(b'}' | b']') => Some("remove it, or write the bracket that opens it".into()),
            _ => self.any_hint(),
        };
        UnlocatedReadError::new(self.at, self.at + length, ReadErrorKind::TrailingContent { found })
            .hint_if(hint)
    }

    /// A number literal is wrong; `self.at` is its start.
    #[cold]
    pub(super) fn bad_number(&self, bad: BadNumber) -> UnlocatedReadError {
        let rest = self.text.get(self.at..).unwrap_or_default();
        // What was meant as one literal is shown as one: `0x1F` and `-Infinity`, not `0` and `-`.
        let length = rest.bytes().position(|byte| !(byte.is_ascii_alphanumeric() || b"+-._".contains(&byte)));
        let literal = rest.get(..length.unwrap_or(rest.len())).unwrap_or_default();
        let digits = literal.strip_prefix('-').unwrap_or(literal).as_bytes();
        let hint = match literal {
            _ if literal.ends_with("Infinity") => Some("JSON has no such number; write `null` or a string"),
            _ if matches!(digits, [b'0', b'0'..=b'9', ..]) => {
                Some("remove the zeros, or put the digits in double quotes")
            }
            _ => None,
        };
        let problem = ReadErrorKind::BadNumber { literal: shorten(literal), reason: bad.reason };
        UnlocatedReadError::new(self.at, self.at + literal.len().max(bad.length), problem).hint_if(hint)
    }

    /// Hints for what is out of place anywhere.
    fn any_hint(&self) -> Option<Cow<'static, str>> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        match self.peek() {
            None => self.opened(),
            Some(b'\'' | b'`') => Some("strings and keys take double quotes".into()),
            Some(b'/') if !self.options.comments && rest.starts_with(['/']) => {
                Some("comments are not allowed here; remove it".into())
            }
            Some(b'#') => Some("JSON has no such comments; remove it".into()),
            _ => None,
        }
    }

    /// Says which container is still open.
    fn opened(&self) -> Option<Cow<'static, str>> {
        let opened = self.build.opened_at()?;
        let (line, column) = line_and_column(self.text, opened);
        let (name, end) = if self.build.in_object() == Some(true) { ("object", '}') } else { ("list", ']') };
        Some(format!("the {name} opened at line {line}, column {column} is closed with `{end}`").into())
    }

    fn expected(&self, expected: Cow<'static, str>, hint: Option<Cow<'static, str>>) -> UnlocatedReadError {
        let (found, length) = self.describe_token();
        UnlocatedReadError::new(self.at, self.at + length, ReadErrorKind::UnexpectedToken { expected, found })
            .hint_if(hint)
    }

    /// What stands here as a sentence part, and how many bytes it takes.
    fn describe_token(&self) -> (String, usize) {
        let word = self.word_here();
        if !word.is_empty() {
            return (format!("`{}`", shorten(word)), word.len());
        }
        match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            None => ("the end of the text".to_owned(), 0),
            Some('"') => ("a string".to_owned(), 1),
            Some(found) if found.is_control() || found.is_whitespace() || found == '\u{feff}' => {
                (format!("the character U+{:04X}", u32::from(found)), found.len_utf8())
            }
            Some(found) => (format!("`{found}`"), found.len_utf8()),
        }
    }

    /// The letters and digits that start here.
    fn word_here(&self) -> &str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let end = rest.find(|other: char| !(other.is_alphanumeric() || other == '_' || other == '$'));
        rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
    }

    /// The last byte before here that is not white space.
    fn previous(&self) -> Option<u8> {
        let before = self.bytes.get(..self.at).unwrap_or_default();
        before.iter().rev().find(|byte| !byte.is_ascii_whitespace()).copied()
    }
}
