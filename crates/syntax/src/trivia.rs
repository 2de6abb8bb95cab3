//! The pieces between tokens as users of the tree see them: with the whitespace, and pragmas with their codes.

use crate::Span;
use crate::token::{Trivia, TriviaKind};

/// Walks over the trivia in a stretch of text, whitespace included.
#[derive(Clone, Debug)]
pub struct Pieces<'t> {
    stored: &'t [Trivia],
    at: u32,
    end: u32,
}

/// Returns the pieces in `span`; `stored` are all stored pieces of the text.
pub(crate) fn pieces_in<'t>(stored: &'t [Trivia], span: Span) -> Pieces<'t> {
    let from = stored.partition_point(|piece| piece.start < span.start);
    let to = stored.partition_point(|piece| piece.start < span.end);
    Pieces { stored: stored.get(from..to).unwrap_or(&[]), at: span.start, end: span.end }
}

impl Iterator for Pieces<'_> {
    type Item = Trivia;

    fn next(&mut self) -> Option<Trivia> {
        if self.at >= self.end {
            return None;
        }
        let piece = match self.stored.split_first() {
            Some((first, rest)) if first.start <= self.at => {
                self.stored = rest;
                *first
            }
            first => {
                let end = first.map_or(self.end, |(piece, _)| piece.start);
                Trivia { start: self.at, end, kind: TriviaKind::Whitespace }
            }
        };
        self.at = piece.end;
        Some(piece)
    }
}

/// A directive that switches diagnostics off or on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pragma<'t> {
    /// Which of the three it is.
    pub kind: TriviaKind,
    /// Where it stands, from `#` to its last code.
    pub span: Span,
    text: &'t str,
}

impl<'t> Pragma<'t> {
    /// Reads a piece of trivia as a pragma.
    pub(crate) fn read(text: &'t str, piece: Trivia) -> Option<Self> {
        piece.kind.pragma_keyword()?;
        Some(Self { kind: piece.kind, span: piece.span(), text: piece.span().text(text) })
    }

    /// Returns the codes it names, each with its place.
    pub fn codes(self) -> impl Iterator<Item = (Span, &'t str)> {
        let keyword = self.kind.pragma_keyword().map_or(0, |word| word.len() + 1);
        let mut at = self.span.start + keyword as u32;
        let codes = self.text.get(keyword..).unwrap_or("");
        codes.split([' ', '\t']).filter_map(move |code| {
            let span = Span::new(at, at + code.len() as u32);
            at = span.end + 1;
            (!code.is_empty()).then_some((span, code))
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{SourceKind, TriviaKind, parse};

    #[test]
    fn pragmas_list_their_codes_with_places() {
        let tree =
            parse("#disable-next-line  BCP001\tno-x // why\n#restore-diagnostics a", SourceKind::Bicep);
        let pragmas: Vec<_> = tree.pragmas().collect();
        let kinds: Vec<_> = pragmas.iter().map(|pragma| pragma.kind).collect();
        assert_eq!(kinds, [TriviaKind::DisableNextLine, TriviaKind::RestoreDiagnostics]);
        let codes: Vec<_> = pragmas[0].codes().map(|(span, code)| (span.start, span.end, code)).collect();
        assert_eq!(codes, [(20, 26, "BCP001"), (27, 31, "no-x")]);
        assert_eq!(pragmas[0].span.end, 31);
    }

    /// Writes the trivia before and after each token: comments as `c`, blanks as `_`, pragmas as `p`.
    fn attachment(text: &str) -> Vec<String> {
        let letter = |piece: crate::Trivia| match piece.kind {
            TriviaKind::Whitespace => '_',
            TriviaKind::LineComment | TriviaKind::BlockComment => 'c',
            TriviaKind::ByteOrderMark => 'b',
            _ => 'p',
        };
        let tree = parse(text, SourceKind::Bicep);
        let tokens = tree.tokens().map(|token| {
            let before: String = token.leading_trivia().map(letter).collect();
            let after: String = token.trailing_trivia().map(letter).collect();
            format!("{before}|{after}")
        });
        tokens.collect()
    }

    #[test]
    fn comments_stay_with_the_token_before_if_that_ends_something() {
        // A name keeps the comments on its line; the line break after them has none of its own.
        assert_eq!(attachment("a /*x*/ // y\n"), ["|_c_c", "|", "|"]);
        // An opening bracket does not.
        assert_eq!(attachment("[ /*x*/ 1"), ["|_", "c_|", "|"]);
        assert_eq!(attachment("\u{FEFF} // x\n  #disable-next-line a\n"), ["b_c|_", "p|", "|"]);
    }
}
