//! Blanks, comments and pragmas between the tokens.

use super::{Lexer, continues_name, is_blank};
use crate::Span;
use crate::diagnostics::{Arg, Code};
use crate::token::{TokenFlags, Trivia, TriviaKind};

const BYTE_ORDER_MARK: &str = "\u{FEFF}";

const PRAGMAS: [TriviaKind; 3] =
    [TriviaKind::DisableDiagnostics, TriviaKind::RestoreDiagnostics, TriviaKind::DisableNextLine];

impl Lexer<'_> {
    pub(super) fn byte_order_mark(&mut self) {
        if self.text.starts_with(BYTE_ORDER_MARK) {
            self.pos = BYTE_ORDER_MARK.len();
            self.keep(TriviaKind::ByteOrderMark, self.pos);
        }
    }

    pub(super) fn leading_trivia(&mut self) {
        let mut after_comment = false;
        loop {
            match self.peek(0) {
                b' ' | b'\t' => {
                    self.skip_while(is_blank);
                    after_comment = false;
                }
                b'/' if self.comment() => after_comment = true,
                b'#' if !after_comment && self.pragma() => {}
                _ => return,
            }
        }
    }

    pub(super) fn trailing_trivia(&mut self, comments: bool) {
        loop {
            self.skip_while(is_blank);
            if !(comments && self.peek(0) == b'/' && self.comment()) {
                return;
            }
        }
    }

    /// Stores the piece from the start at hand up to `end`.
    fn keep(&mut self, kind: TriviaKind, end: usize) {
        self.out.trivia.push(Trivia { start: self.start as u32, end: end as u32, kind });
        // The token that follows learns that the gap before it holds more than blanks.
        self.flags = self.flags.union(TokenFlags::TRIVIA_BEFORE);
        if kind.is_comment() {
            self.flags = self.flags.union(TokenFlags::COMMENT_BEFORE);
        }
    }

    fn comment(&mut self) -> bool {
        let kind = match self.peek(1) {
            b'/' => TriviaKind::LineComment,
            b'*' => TriviaKind::BlockComment,
            _ => return false,
        };
        self.start = self.pos;
        self.pos += 2;
        if kind == TriviaKind::LineComment {
            self.pos += memchr::memchr2(b'\n', b'\r', self.rest()).unwrap_or(self.rest().len());
        } else {
            self.block_comment();
        }
        self.keep(kind, self.pos);
        true
    }

    fn block_comment(&mut self) {
        while let Some(found) = memchr::memchr(b'*', self.rest()) {
            self.pos += found + 1;
            if self.peek(0) == b'/' {
                self.pos += 1;
                return;
            }
        }
        self.pos = self.bytes.len();
        self.report_here(Code::UnterminatedComment);
    }

    fn pragma(&mut self) -> bool {
        let after_hash = self.rest().get(1..).unwrap_or(&[]);
        let found = PRAGMAS.into_iter().find_map(|kind| {
            kind.pragma_keyword()
                .filter(|word| after_hash.starts_with(word.as_bytes()))
                .map(|word| (kind, word))
        });
        let Some((kind, word)) = found else { return false };
        if !self.line_is_blank_so_far() {
            return false;
        }
        self.start = self.pos;
        self.pos += 1 + word.len();
        // The codes are names with dashes. The first other character ends the list, and the pragma with it; blanks
        // after the last code are no part of it, unless there is no code at all.
        let mut end = None;
        loop {
            self.skip_while(is_blank);
            let code = self.pos;
            self.skip_while(|byte| continues_name(byte) || byte == b'-');
            if self.pos == code {
                break;
            }
            end = Some(self.pos);
        }
        if end.is_none() {
            self.report(Code::PragmaWithoutCodes, Arg::None, Span::empty(self.pos as u32));
        }
        self.pos = end.unwrap_or(self.pos);
        self.keep(kind, self.pos);
        true
    }

    /// Tells whether nothing but white space stands before the current position on its line.
    fn line_is_blank_so_far(&self) -> bool {
        let before = self.text.get(..self.pos).unwrap_or("");
        let before = before.strip_prefix(BYTE_ORDER_MARK).unwrap_or(before);
        // Other white space than blanks and tabs is an error by itself, but it does not hide a pragma.
        before.chars().rev().take_while(|&c| c != '\n').all(char::is_whitespace)
    }
}
