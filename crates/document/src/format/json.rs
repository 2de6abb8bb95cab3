//! JSON with each member and element on a line of its own, as compilers of templates write it.

use spacing::{Comment, Space, Style, Token, TokenRole};

use crate::{Document, FileId, JsonOptions, ReadError, ReadLimits};

/// Formats JSON with everything that templates may have: comments, commas at the end, keys without quotes.
///
/// Only white space changes: members keep their order, numbers and strings their spelling, comments their places.
/// What cannot be read is an error, two members of one name included.
pub fn format_json(
    text: &str,
    file: FileId,
    limits: &ReadLimits,
    style: &Style,
) -> Result<String, ReadError> {
    Document::from_json_with(text, file, limits, JsonOptions::TEMPLATE)?;
    let (tokens, comments) = Scanner::new(text).scan();
    Ok(spacing::print(text, &tokens, &comments, style))
}

/// Cuts a text that was read without an error.
struct Scanner<'t> {
    bytes: &'t [u8],
    at: usize,
    /// How many brackets are open.
    level: u32,
    tokens: Vec<Token>,
    comments: Vec<Comment>,
}

impl Scanner<'_> {
    fn new(text: &str) -> Scanner<'_> {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Scanner { bytes: text.as_bytes(), at, level: 0, tokens: Vec::new(), comments: Vec::new() }
    }

    fn scan(mut self) -> (Vec<Token>, Vec<Comment>) {
        while let Some(byte) = self.bytes.get(self.at).copied() {
            let start = self.at;
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                b'/' => self.comment(),
                b'{' | b'[' => {
                    self.push(start, start + 1, TokenRole::Open, self.before_value());
                    self.level += 1;
                }
                b'}' | b']' => {
                    self.level = self.level.saturating_sub(1);
                    self.close(start);
                }
                b',' | b':' => self.push(start, start + 1, TokenRole::Separator, Space::None),
                b'"' | b'\'' => {
                    let end = self.string_end(byte);
                    self.push(start, end, TokenRole::Plain, self.before_value());
                }
                _ => {
                    let rest = self.bytes.get(start..).unwrap_or_default();
                    let ends = |byte: &u8| b" \t\n\r,:{}[]/".contains(byte);
                    let length = rest.iter().position(ends).unwrap_or(rest.len()).max(1);
                    self.push(start, start + length, TokenRole::Plain, self.before_value());
                }
            }
        }
        (self.tokens, self.comments)
    }

    /// What precedes a key or a value: a blank behind a colon, and a line break elsewhere.
    fn before_value(&self) -> Space {
        let last = self.tokens.last().and_then(|token| self.bytes.get(token.start));
        if last == Some(&b':') { Space::Blank } else { Space::Line }
    }

    fn push(&mut self, start: usize, end: usize, role: TokenRole, before: Space) {
        self.tokens.push(Token { start, end, role, before, level: self.level });
        self.at = end;
    }

    /// A bracket that closes: behind the one that opens if nothing is between them.
    fn close(&mut self, start: usize) {
        let opening = self.tokens.last().filter(|last| last.role == TokenRole::Open);
        let is_empty = opening
            .is_some_and(|opening| self.comments.last().is_none_or(|comment| comment.start < opening.start));
        self.push(start, start + 1, TokenRole::Close, if is_empty { Space::None } else { Space::Line });
    }

    fn comment(&mut self) {
        let start = self.at;
        let rest = self.bytes.get(start..).unwrap_or_default();
        let is_line = rest.get(1) == Some(&b'/');
        let length = if is_line {
            memchr::memchr(b'\n', rest).unwrap_or(rest.len())
        } else {
            memchr::memmem::find(rest.get(2..).unwrap_or_default(), b"*/").map_or(rest.len(), |at| at + 4)
        };
        self.at = start + length;
        self.comments.push(Comment { start, end: self.at, is_line });
    }

    /// The offset behind the quote that ends the string that starts here.
    fn string_end(&self, quote: u8) -> usize {
        let mut at = self.at + 1;
        loop {
            match self.bytes.get(at) {
                None => return self.bytes.len(),
                Some(b'\\') => at += 2,
                Some(byte) if *byte == quote => return at + 1,
                Some(_) => at += 1,
            }
        }
    }
}
