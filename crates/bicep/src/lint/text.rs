//! Text that fixes write.

use syntax::ast::{AstNode as _, String as Text};

use crate::types::quoted;

/// A string while it is put together from pieces of text and expressions.
#[derive(Default)]
pub(super) struct Interpolation {
    /// Pieces of text; one more than there are holes.
    pieces: Vec<String>,
    holes: Vec<String>,
}

impl Interpolation {
    pub(super) fn new() -> Interpolation {
        Interpolation { pieces: vec![String::new()], holes: Vec::new() }
    }

    pub(super) fn text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(last) => last.push_str(text),
            None => self.pieces.push(text.to_owned()),
        }
    }

    pub(super) fn hole(&mut self, text: &str) {
        self.holes.push(text.to_owned());
        self.pieces.push(String::new());
    }

    /// Adds all of another string.
    pub(super) fn string(&mut self, string: Text<'_>) {
        let mut holes = string.holes();
        for piece in string.segments() {
            self.text(&piece);
            if let Some(hole) = holes.next() {
                self.hole(hole.node().text());
            }
        }
    }

    /// The only value, if there is nothing else.
    pub(super) fn only_hole(&self) -> Option<&str> {
        match self.holes.as_slice() {
            [hole] if self.pieces.iter().all(String::is_empty) => Some(hole),
            _ => None,
        }
    }

    /// The string as it is written.
    pub(super) fn written(&self) -> String {
        let mut out = String::from("'");
        let mut holes = self.holes.iter();
        for piece in &self.pieces {
            let quoted = quoted(piece);
            let inside = quoted.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
            out.push_str(inside.unwrap_or_default());
            if let Some(hole) = holes.next() {
                out.push_str("${");
                out.push_str(hole);
                out.push('}');
            }
        }
        out.push('\'');
        out
    }
}
