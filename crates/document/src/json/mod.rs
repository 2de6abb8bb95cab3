//! The JSON reader: one pass over the bytes, with the open containers on a stack of its own.

mod escape;
mod fault;
mod scan;

use crate::build::{Builder, StringRange};
use crate::error::{ReadErrorKind, UnlocatedReadError};
use crate::node::NodeTag;
use crate::node_tables::NodeTables;
use crate::number::{self, Number};
use crate::{FileId, ReadLimits};

/// Departures from RFC 8259 that some files need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonOptions {
    /// Whether `// ...` and `/* ... */` count as white space.
    pub comments: bool,
    /// Whether the last element or member may be followed by a comma.
    pub trailing_commas: bool,
    /// Whether a key may be a name of letters, digits, `_` and `$` without quotes.
    pub bare_keys: bool,
    /// Whether strings and keys may stand in single quotes, in which `\'` is a quote.
    pub single_quotes: bool,
    /// Whether line breaks and other control characters may stand in strings as they are.
    pub raw_control_characters: bool,
}

impl JsonOptions {
    /// The standard and nothing more.
    pub const STRICT: JsonOptions = JsonOptions {
        comments: false,
        trailing_commas: false,
        bare_keys: false,
        single_quotes: false,
        raw_control_characters: false,
    };
    /// Comments and trailing commas, as configuration files have them.
    pub const RELAXED: JsonOptions =
        JsonOptions { comments: true, trailing_commas: true, ..JsonOptions::STRICT };
    /// All of it, as templates have it and as clients send them: a client may put the text of a template into a
    /// request as it is, behind a key without quotes.
    pub const TEMPLATE: JsonOptions = JsonOptions {
        bare_keys: true,
        single_quotes: true,
        raw_control_characters: true,
        ..JsonOptions::RELAXED
    };
}

/// Reads the one value that a text holds.
pub(crate) fn read(
    text: &str,
    file: FileId,
    limits: &ReadLimits,
    options: JsonOptions,
) -> Result<NodeTables, UnlocatedReadError> {
    let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    // Few texts have more than a node per ten bytes; those grow, and what is not needed is given back.
    let build = Builder::new(text, file, limits, text.len() / 10 + 4);
    let mut reader = JsonParser { text, bytes: text.as_bytes(), at, options, build };
    reader.document()?;
    Ok(reader.build.finish())
}

struct JsonParser<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    options: JsonOptions,
    build: Builder<'t>,
}

/// Where the reader stands.
enum Next {
    /// At the start of a value.
    Value,
    /// At the start of a key.
    Key,
    /// Behind a value: a comma or the end of the container comes next.
    Separator,
    /// Behind the last value, with nothing open.
    End,
}

impl JsonParser<'_> {
    fn document(&mut self) -> Result<(), UnlocatedReadError> {
        self.blanks()?;
        let mut next = Next::Value;
        loop {
            next = match next {
                Next::Value => self.value()?,
                Next::Key => self.key()?,
                Next::Separator => self.separator()?,
                Next::End => break,
            }
        }
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.trailing_content()),
        }
    }

    /// Reads a scalar, or the start of a container up to its first key or value.
    #[inline(always)]
    fn value(&mut self) -> Result<Next, UnlocatedReadError> {
        match self.peek() {
            Some(b'"') => self.string(false)?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b'{') => {
                self.build.open(NodeTag::Object, self.at, self.at + 1)?;
                self.at += 1;
                self.blanks()?;
                return match self.peek() {
                    Some(b'}') => self.close(),
                    _ => Ok(Next::Key),
                };
            }
            Some(b'[') => {
                self.build.open(NodeTag::List, self.at, self.at + 1)?;
                self.at += 1;
                self.blanks()?;
                return match self.peek() {
                    Some(b']') => self.close(),
                    _ => {
                        self.build.item();
                        Ok(Next::Value)
                    }
                };
            }
            Some(b't') => self.word(b"true", NodeTag::True)?,
            Some(b'f') => self.word(b"false", NodeTag::False)?,
            Some(b'n') => self.word(b"null", NodeTag::Null)?,
            Some(b'\'') if self.options.single_quotes => self.single_quoted(false)?,
            _ => return Err(self.no_value()),
        }
        Ok(Next::Separator)
    }

    /// Closes the container that ends here, or goes to its next key or value.
    #[inline(always)]
    fn separator(&mut self) -> Result<Next, UnlocatedReadError> {
        self.blanks()?;
        let Some(in_object) = self.build.in_object() else { return Ok(Next::End) };
        let end = if in_object { b'}' } else { b']' };
        match self.peek() {
            Some(b',') => {
                let comma = self.at;
                self.at += 1;
                self.blanks()?;
                match self.peek() {
                    Some(byte) if byte == end && self.options.trailing_commas => self.close(),
                    Some(byte) if byte == end => Err(self.trailing_comma(comma, byte)),
                    _ if in_object => Ok(Next::Key),
                    _ => {
                        self.build.item();
                        Ok(Next::Value)
                    }
                }
            }
            Some(byte) if byte == end => self.close(),
            _ => Err(self.no_separator(in_object)),
        }
    }

    /// Reads a key and its colon, up to the value.
    #[inline(always)]
    fn key(&mut self) -> Result<Next, UnlocatedReadError> {
        match self.peek() {
            Some(b'"') => self.string(true)?,
            _ => self.other_key()?,
        }
        self.blanks()?;
        if self.peek() != Some(b':') {
            return Err(self.no_colon());
        }
        self.at += 1;
        self.blanks()?;
        Ok(Next::Value)
    }

    /// Reads a key that does not stand in double quotes, where that is allowed.
    #[cold]
    fn other_key(&mut self) -> Result<(), UnlocatedReadError> {
        let start = self.at;
        match self.peek() {
            Some(b'\'') if self.options.single_quotes => self.single_quoted(true),
            Some(byte) if self.options.bare_keys && starts_key(byte) => {
                let rest = self.bytes.get(start..).unwrap_or_default();
                self.at += rest.iter().position(|byte| !continues_key(*byte)).unwrap_or(rest.len());
                self.build.text(true, StringRange::source(start, self.at), start, self.at)
            }
            _ => Err(self.no_key()),
        }
    }

    #[inline]
    fn close(&mut self) -> Result<Next, UnlocatedReadError> {
        self.at += 1;
        self.build.close(self.at)?;
        Ok(Next::Separator)
    }

    /// Reads a string, from its opening to behind its closing quote, and adds it as a key or as a value.
    #[inline(always)]
    fn string(&mut self, is_key: bool) -> Result<(), UnlocatedReadError> {
        let start = self.at;
        let stop = scan::string_stop(self.bytes, start + 1);
        if self.bytes.get(stop) != Some(&b'"') {
            return self.escaped_string(is_key, stop);
        }
        self.at = stop + 1;
        self.build.text(is_key, StringRange::source(start + 1, stop), start, self.at)
    }

    #[inline]
    fn number(&mut self) -> Result<(), UnlocatedReadError> {
        let start = self.at;
        let literal = self.bytes.get(start..).unwrap_or_default();
        if let Some((number, length)) = number::short_integer(literal) {
            self.at += length;
            return self.build.number(Number::Int(number), start, self.at);
        }
        match number::scan(literal) {
            Ok((number, length)) => {
                self.at += length;
                self.build.number(number, start, self.at)
            }
            Err(bad) => Err(self.bad_number(bad)),
        }
    }

    #[inline]
    fn word(&mut self, word: &[u8], tag: NodeTag) -> Result<(), UnlocatedReadError> {
        let end = self.at + word.len();
        let follows = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        if self.bytes.get(self.at..end) != Some(word) || self.bytes.get(end).is_some_and(follows) {
            return Err(self.no_value());
        }
        self.build.scalar(tag, self.at, end)?;
        self.at = end;
        Ok(())
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Steps over white space, and over comments where they are allowed.
    #[inline(always)]
    fn blanks(&mut self) -> Result<(), UnlocatedReadError> {
        // Most often there is nothing, or one blank.
        let dark = |byte: &u8| *byte > b' ' && *byte != b'/';
        match self.bytes.get(self.at..) {
            Some([first, ..]) if dark(first) => return Ok(()),
            Some([b' ', second, ..]) if dark(second) => self.at += 1,
            _ => {
                self.at = scan::blank_end(self.bytes, self.at);
                if self.options.comments && self.peek() == Some(b'/') {
                    return self.comments();
                }
            }
        }
        Ok(())
    }

    /// Steps over comments and the white space behind them.
    #[cold]
    fn comments(&mut self) -> Result<(), UnlocatedReadError> {
        while let Some(rest) = self.text.get(self.at..) {
            if let Some(comment) = rest.strip_prefix("//") {
                self.at += 2 + comment.find('\n').unwrap_or(comment.len());
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let Some(length) = comment.find("*/") else {
                    return Err(UnlocatedReadError::new(
                        self.at,
                        self.at + 2,
                        ReadErrorKind::UnclosedComment,
                    )
                    .hint("write `*/` where the comment ends"));
                };
                self.at += length + 4;
            } else {
                break;
            }
            self.at = scan::blank_end(self.bytes, self.at);
        }
        Ok(())
    }
}

fn starts_key(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn continues_key(byte: u8) -> bool {
    starts_key(byte) || byte.is_ascii_digit()
}
