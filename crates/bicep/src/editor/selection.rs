//! What an editor selects when somebody wants to select more and more around a place.

use syntax::{NodeKind, Span, TokenKind};

use super::cursor::Cursor;
use crate::{Compiler, FilePath};

/// The parts of a file around an offset, from the innermost to the whole file; each one is larger than that before it.
#[must_use]
pub fn selection_ranges(compiler: &Compiler, path: &FilePath, offset: u32) -> Vec<Span> {
    let Ok(model) = compiler.model(path) else { return Vec::new() };
    let Some(cursor) = Cursor::at(&model, offset) else { return Vec::new() };
    let mut spans: Vec<Span> = Vec::new();
    let mut add = |span: Span| {
        let touches = span.start <= cursor.offset && cursor.offset <= span.end;
        let grows = spans.last().is_none_or(|last| span.encloses(*last) && span != *last);
        if touches && grows && !span.is_empty() {
            spans.push(span);
        }
    };
    let token = cursor.token.span();
    if cursor.token.kind() == TokenKind::StringComplete && token.len() > 2 {
        add(Span::new(token.start + 1, token.end - 1));
    }
    if !matches!(cursor.token.kind(), TokenKind::NewLine | TokenKind::EndOfFile) {
        add(token);
    }
    for node in cursor.ancestors() {
        let span = node.span();
        let is_braced = matches!(
            node.kind(),
            NodeKind::Object | NodeKind::Array | NodeKind::ObjectType | NodeKind::TupleType
        );
        if is_braced && span.len() > 2 {
            add(Span::new(span.start + 1, span.end - 1));
        }
        add(span);
    }
    let whole = u32::try_from(model.file.tree.text().len()).unwrap_or(u32::MAX);
    add(Span::new(0, whole));
    spans
}
