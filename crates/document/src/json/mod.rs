//! The JSON reader: one pass over the bytes, with the open containers on a stack of its own.

mod escape;
mod fault;
mod scan;

use crate::Limits;
use crate::build::{Builder, Text};
use crate::document::Tree;
use crate::error::{Fault, Problem};
use crate::node::Tag;
use crate::number;

/// Departures from RFC 8259 that some files need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonOptions {
    /// Whether `// ...` and `/* ... */` count as white space.
    pub comments: bool,
    /// Whether the last element or member may be followed by a comma.
    pub trailing_commas: bool,
}

impl JsonOptions {
    /// The standard and nothing more.
    pub const STRICT: JsonOptions = JsonOptions { comments: false, trailing_commas: false };
    /// Comments and trailing commas, as configuration files and templates have them.
    pub const RELAXED: JsonOptions = JsonOptions { comments: true, trailing_commas: true };
}

/// Reads the one value that a text holds.
pub(crate) fn read(text: &str, file: u32, limits: &Limits, options: JsonOptions) -> Result<Tree, Fault> {
    let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut reader =
        Reader { text, bytes: text.as_bytes(), at, options, build: Builder::new(text, file, limits) };
    reader.document()?;
    Ok(reader.build.finish())
}

struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    options: JsonOptions,
    build: Builder<'t>,
}

/// What follows a value or the start of a container.
#[derive(PartialEq)]
enum Next {
    /// The reader stands at the start of a value.
    Value,
    /// The value is complete.
    Complete,
}

impl Reader<'_> {
    fn document(&mut self) -> Result<(), Fault> {
        self.blanks()?;
        while self.value()? == Next::Value || self.after_value()? == Next::Value {}
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.trailing_content()),
        }
    }

    /// Reads a scalar, or the start of a container up to its first value.
    #[inline]
    fn value(&mut self) -> Result<Next, Fault> {
        match self.peek() {
            Some(b'"') => {
                let start = self.at;
                let text = self.string()?;
                self.build.text(text, start, self.at)?;
            }
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b'{') => {
                self.build.open(Tag::Object, self.at, self.at + 1)?;
                self.at += 1;
                self.blanks()?;
                return match self.peek() {
                    Some(b'}') => self.close(),
                    _ => self.key(),
                };
            }
            Some(b'[') => {
                self.build.open(Tag::List, self.at, self.at + 1)?;
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
            Some(b't') => self.word(b"true", Tag::True)?,
            Some(b'f') => self.word(b"false", Tag::False)?,
            Some(b'n') => self.word(b"null", Tag::Null)?,
            _ => return Err(self.no_value()),
        }
        Ok(Next::Complete)
    }

    /// Closes what ends behind a value, and goes to the next value if there is one.
    #[inline]
    fn after_value(&mut self) -> Result<Next, Fault> {
        loop {
            self.blanks()?;
            let Some(in_object) = self.build.in_object() else { return Ok(Next::Complete) };
            let end = if in_object { b'}' } else { b']' };
            match self.peek() {
                Some(b',') => {
                    let comma = self.at;
                    self.at += 1;
                    self.blanks()?;
                    match self.peek() {
                        Some(byte) if byte == end && self.options.trailing_commas => {
                            self.close()?;
                        }
                        Some(byte) if byte == end => return Err(self.trailing_comma(comma, byte)),
                        _ if in_object => return self.key(),
                        _ => {
                            self.build.item();
                            return Ok(Next::Value);
                        }
                    }
                }
                Some(byte) if byte == end => {
                    self.close()?;
                }
                _ => return Err(self.no_separator(in_object)),
            }
        }
    }

    /// Reads a key and its colon, up to the value.
    #[inline]
    fn key(&mut self) -> Result<Next, Fault> {
        if self.peek() != Some(b'"') {
            return Err(self.no_key());
        }
        let start = self.at;
        let text = self.string()?;
        self.build.key(text, start, self.at)?;
        self.blanks()?;
        if self.peek() != Some(b':') {
            return Err(self.no_colon());
        }
        self.at += 1;
        self.blanks()?;
        Ok(Next::Value)
    }

    #[inline]
    fn close(&mut self) -> Result<Next, Fault> {
        self.at += 1;
        self.build.close(self.at)?;
        Ok(Next::Complete)
    }

    /// Reads a string, from its opening to behind its closing quote.
    #[inline]
    fn string(&mut self) -> Result<Text, Fault> {
        let start = self.at + 1;
        let stop = scan::string_stop(self.bytes, start);
        if self.bytes.get(stop) == Some(&b'"') {
            self.at = stop + 1;
            return Ok(Text::source(start, stop));
        }
        self.escaped_string(start, stop)
    }

    #[inline]
    fn number(&mut self) -> Result<(), Fault> {
        let start = self.at;
        match number::scan(self.bytes.get(start..).unwrap_or_default()) {
            Ok((number, length)) => {
                self.at += length;
                self.build.number(number, start, self.at)
            }
            Err(bad) => Err(self.bad_number(bad)),
        }
    }

    #[inline]
    fn word(&mut self, word: &[u8], tag: Tag) -> Result<(), Fault> {
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
    #[inline]
    fn blanks(&mut self) -> Result<(), Fault> {
        match self.peek() {
            Some(byte) if byte > b' ' && byte != b'/' => Ok(()),
            _ => self.some_blanks(),
        }
    }

    fn some_blanks(&mut self) -> Result<(), Fault> {
        loop {
            self.at = scan::blank_end(self.bytes, self.at);
            if self.peek() != Some(b'/') || !self.options.comments {
                return Ok(());
            }
            let rest = self.text.get(self.at..).unwrap_or_default();
            if let Some(comment) = rest.strip_prefix("//") {
                self.at += 2 + comment.find('\n').unwrap_or(comment.len());
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let Some(length) = comment.find("*/") else {
                    return Err(Fault::new(self.at, self.at + 2, Problem::UnclosedComment)
                        .hint("write `*/` where the comment ends"));
                };
                self.at += length + 4;
            } else {
                return Ok(());
            }
        }
    }
}
