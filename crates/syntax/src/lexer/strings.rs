//! String pieces: single-line with escapes, multi-line without, both with holes.

use super::{Lexer, OpenDelimiter, is_new_line};
use crate::Span;
use crate::diagnostics::{Arg, Code};
use crate::literal::scan_escape;
use crate::token::{TokenFlags, TokenKind};

impl Lexer<'_> {
    /// Lexes what starts with a single quote.
    pub(super) fn quote(&mut self) -> TokenKind {
        if self.peek(1) == b'\'' && self.peek(2) == b'\'' {
            self.pos += 3;
            return self.multiline_piece(true, 0);
        }
        self.pos += 1;
        let piece = self.string_piece(true);
        if piece == TokenKind::StringLeftPiece {
            self.open.push(OpenDelimiter::Single);
        }
        piece
    }

    /// Lexes what starts with a dollar sign: a multi-line string with holes, or nothing of the language.
    pub(super) fn dollar(&mut self) -> TokenKind {
        self.skip_while(|byte| byte == b'$');
        let dollars = (self.pos - self.start) as u32;
        if !self.rest().starts_with(b"'''") {
            self.report_here(Code::UnrecognizedToken);
            return TokenKind::Unrecognized;
        }
        self.pos += 3;
        let piece = self.multiline_piece(true, dollars);
        if piece == TokenKind::StringLeftPiece {
            self.open.push(OpenDelimiter::Multi(dollars));
        }
        piece
    }

    /// Lexes a piece of a single-line string, after its opening quote or the `}` of a hole.
    pub(super) fn string_piece(&mut self, first: bool) -> TokenKind {
        loop {
            self.skip_while(|byte| !matches!(byte, b'\'' | b'\\' | b'$' | b'\n' | b'\r'));
            match self.peek(0) {
                b'\'' => {
                    self.pos += 1;
                    return end_piece(first);
                }
                b'$' => {
                    self.pos += 1;
                    if self.peek(0) == b'{' {
                        self.pos += 1;
                        return hole_piece(first);
                    }
                }
                b'\\' => {
                    if !self.escape() {
                        return self.broken(Code::UnterminatedEscape, first);
                    }
                }
                byte if is_new_line(byte) => return self.broken(Code::StringBrokenByNewLine, first),
                _ => return self.broken(Code::UnterminatedString, first),
            }
        }
    }

    /// Lexes a piece of a multi-line string whose holes open with `dollars` dollar signs; none means it has no holes.
    pub(super) fn multiline_piece(&mut self, first: bool, dollars: u32) -> TokenKind {
        loop {
            let found = if dollars == 0 {
                memchr::memchr(b'\'', self.rest())
            } else {
                memchr::memchr2(b'\'', b'$', self.rest())
            };
            let Some(found) = found else {
                self.pos = self.bytes.len();
                return self.broken(Code::UnterminatedMultilineString, first);
            };
            self.pos += found;
            let from = self.pos;
            if self.peek(0) == b'$' {
                self.skip_while(|byte| byte == b'$');
                if self.pos - from >= dollars as usize && self.peek(0) == b'{' {
                    self.pos += 1;
                    return hole_piece(first);
                }
            } else {
                // Quotes beyond three belong to the text, so the whole run is taken.
                self.skip_while(|byte| byte == b'\'');
                if self.pos - from >= 3 {
                    return end_piece(first);
                }
            }
        }
    }

    fn broken(&mut self, code: Code, first: bool) -> TokenKind {
        self.report_here(code);
        self.flags = self.flags.union(TokenFlags::MALFORMED);
        end_piece(first)
    }

    /// Moves over an escape sequence and reports a bad one. Returns false when the text ends after the backslash.
    fn escape(&mut self) -> bool {
        let from = self.pos;
        if let Some(escape) = scan_escape(self.rest()) {
            self.pos += escape.len;
            return true;
        }
        self.pos += 1;
        if self.at_end() {
            return false;
        }
        self.flags = self.flags.union(TokenFlags::MALFORMED);
        let unicode = self.peek(0) == b'u';
        self.advance_char();
        if unicode {
            // As far as the sequence can be followed. At the end of the text the unclosed string is the finding.
            if self.peek(0) == b'{' {
                self.pos += 1;
                self.skip_while(|byte| byte.is_ascii_hexdigit());
                let digits = self.pos - from - 3;
                if digits > 0 && self.peek(0) == b'}' {
                    self.pos += 1;
                } else if self.at_end() {
                    return true;
                }
            } else if self.at_end() {
                return true;
            }
        }
        let code = if unicode { Code::InvalidUnicodeEscape } else { Code::UnknownEscape };
        self.report(code, Arg::None, Span::new(from as u32, self.pos as u32));
        true
    }
}

const fn end_piece(first: bool) -> TokenKind {
    if first { TokenKind::StringComplete } else { TokenKind::StringRightPiece }
}

const fn hole_piece(first: bool) -> TokenKind {
    if first { TokenKind::StringLeftPiece } else { TokenKind::StringMiddlePiece }
}
