//! Tokens with the comments and pragmas around them.

use super::layout::Layout;
use crate::token::{TokenFlags, Trivia, TriviaKind};
use crate::tree::SyntaxToken;
use crate::trivia::{Pieces, Pragma};
use crate::{Span, TokenKind};

impl<'t> Layout<'t> {
    /// Adds a token with the comments that belong to it.
    #[inline]
    pub(super) fn token(&mut self, token: SyntaxToken<'t>) {
        self.comments_before(token);
        self.bare_token(token);
    }

    /// Adds a token with the comments after it.
    #[inline]
    pub(super) fn bare_token(&mut self, token: SyntaxToken<'t>) {
        let span = token.span();
        self.source(span);
        self.comments_after(token);
    }

    #[inline]
    fn has_trivia_before(&self, token: SyntaxToken<'t>) -> bool {
        let data = self.tree.tokens.get(token.id().index());
        data.is_some_and(|data| data.flags.contains(TokenFlags::TRIVIA_BEFORE))
    }

    /// Tells whether a comment or pragma belongs to the token and stands before it.
    pub(super) fn has_comments_before(&self, token: SyntaxToken<'t>) -> bool {
        self.has_trivia_before(token) && token.leading_trivia().any(says_something)
    }

    /// Tells whether a comment runs from the token to the end of its line.
    pub(super) fn has_line_comment_after(&self, token: SyntaxToken<'t>) -> bool {
        token.trailing_trivia().any(|piece| piece.kind == TriviaKind::LineComment)
    }

    /// Adds the comments before a token, each with a blank after it.
    #[inline]
    pub(super) fn comments_before(&mut self, token: SyntaxToken<'t>) {
        if self.has_trivia_before(token) {
            self.add_comments_before(token);
        }
    }

    fn add_comments_before(&mut self, token: SyntaxToken<'t>) {
        for piece in token.leading_trivia().filter(|piece| says_something(*piece)) {
            self.comment(piece);
            self.doc.space();
        }
    }

    /// Adds the comments of a line break, of the end of the file or of a bar, which are on their own; there must be some.
    pub(super) fn comments_alone(&mut self, token: SyntaxToken<'t>) {
        let mut is_first = true;
        for piece in token.leading_trivia().filter(|piece| says_something(*piece)) {
            if !is_first {
                self.doc.space();
            }
            // UPSTREAM: a comment that is looked for is counted then, too, and again when it is laid out.
            if is_first && piece.kind == TriviaKind::LineComment {
                self.breaks += 1;
            }
            is_first = false;
            self.comment(piece);
        }
        if token.kind() == TokenKind::NewLine {
            self.breaks += 1;
        }
    }

    /// Adds the comments before a token; `next` is asked before each.
    pub(super) fn each_comment_before(&mut self, token: SyntaxToken<'t>, mut next: impl FnMut(&mut Self)) {
        for piece in token.leading_trivia().filter(|piece| says_something(*piece)) {
            next(self);
            self.comment(piece);
        }
    }

    /// Adds the comments after a token.
    #[inline]
    pub(super) fn comments_after(&mut self, token: SyntaxToken<'t>) {
        let next = self.tree.tokens.get(token.id().index() + 1);
        if next.is_some_and(|next| next.flags.contains(TokenFlags::TRIVIA_BEFORE)) {
            self.add_comments_after(token);
        }
    }

    fn add_comments_after(&mut self, token: SyntaxToken<'t>) {
        self.comments_behind(token.trailing_trivia());
    }

    /// Adds comments behind what is there already, on the same line.
    pub(super) fn comments_behind(&mut self, pieces: Pieces<'t>) {
        for piece in pieces.filter(|piece| says_something(*piece)) {
            if piece.kind == TriviaKind::LineComment {
                self.breaks += 1;
                self.doc.suffix(piece.span());
            } else {
                self.doc.space();
                self.comment(piece);
            }
        }
    }

    fn comment(&mut self, piece: Trivia) {
        match Pragma::read(self.tree.text(), piece) {
            Some(pragma) => {
                self.pragma(pragma);
                self.doc.line_ends();
            }
            None => {
                // A comment without its end reaches up to the end of the file.
                let text = piece.span().text(self.tree.text()).trim_end_matches(['\r', '\n']);
                self.verbatim(Span::new(piece.start, piece.start + text.len() as u32));
            }
        }
        if piece.kind == TriviaKind::LineComment {
            self.breaks += 1;
            self.doc.line_ends();
        }
    }

    fn pragma(&mut self, pragma: Pragma<'t>) {
        let codes: Vec<&str> = pragma.codes().map(|(_, code)| code).collect();
        let text = format!("#{} {}", pragma.kind.pragma_keyword().unwrap_or_default(), codes.join(" "));
        if text == pragma.span.text(self.tree.text()) {
            self.source(pragma.span);
        } else {
            self.made(text);
        }
    }

    /// Adds text of the source as it is, apart from its line breaks.
    pub(super) fn verbatim(&mut self, span: Span) {
        let text = span.text(self.tree.text());
        match with_line_breaks(text, self.newline) {
            None => self.source(span),
            Some(text) => self.made(text),
        }
    }
}

fn says_something(piece: Trivia) -> bool {
    !matches!(piece.kind, TriviaKind::Whitespace | TriviaKind::ByteOrderMark)
}

/// Returns `text` with other line breaks, or nothing if it has these already.
pub(super) fn with_line_breaks(text: &str, newline: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut at = memchr::memchr2(b'\n', b'\r', bytes)?;
    if newline == "\n" && !bytes.contains(&b'\r') {
        return None;
    }
    let mut made = String::with_capacity(text.len() + text.len() / 16);
    let mut from = 0;
    loop {
        made.push_str(text.get(from..at).unwrap_or_default());
        made.push_str(newline);
        from = at + if bytes.get(at..at + 2) == Some(b"\r\n") { 2 } else { 1 };
        let rest = bytes.get(from..).unwrap_or_default();
        match memchr::memchr2(b'\n', b'\r', rest) {
            Some(ahead) => at = from + ahead,
            None => {
                made.push_str(text.get(from..).unwrap_or_default());
                return Some(made);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_become_those_that_are_wanted() {
        assert_eq!(with_line_breaks("a", "\r\n"), None);
        assert_eq!(with_line_breaks("a\nb", "\n"), None);
        assert_eq!(with_line_breaks("\r\na\r\rb\n", "\n").as_deref(), Some("\na\n\nb\n"));
        assert_eq!(with_line_breaks("a\r\n\rb\n", "\r\n").as_deref(), Some("a\r\n\r\nb\r\n"));
    }
}
