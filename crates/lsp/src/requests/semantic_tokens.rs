//! What the words of a document are, as numbers: each token is five of them, relative to the one before.

use bicep::editor::{self, SemanticKind, SemanticToken};
use diagnostics::LineIndex;
use serde_json::{Value, json};

use crate::document::{range_of, span_of};
use crate::message::Failure;
use crate::protocol::{InDocument, InRange};
use crate::snapshot::Snapshot;

/// What is announced: the names of the kinds, and what can be asked.
pub(super) fn options() -> Value {
    let kinds: Vec<&str> = SemanticKind::ALL.iter().map(|kind| kind.name()).collect();
    json!({ "legend": { "tokenTypes": kinds, "tokenModifiers": [] }, "full": true, "range": true })
}

/// The words of a document.
pub(super) fn full(snapshot: &Snapshot, params: InDocument) -> Result<Value, Failure> {
    let (path, _) = snapshot.program(&params.text_document)?;
    let tokens = editor::semantic_tokens(&snapshot.compiler, &path, None);
    Ok(encoded(&snapshot.lines(&path), &tokens))
}

/// The words of a stretch of a document.
pub(super) fn range(snapshot: &Snapshot, params: InRange) -> Result<Value, Failure> {
    let (path, _) = snapshot.program(&params.text_document)?;
    let lines = snapshot.lines(&path);
    let span = span_of(&lines, params.range);
    let tokens = editor::semantic_tokens(&snapshot.compiler, &path, Some(span));
    Ok(encoded(&lines, &tokens))
}

fn encoded(lines: &LineIndex, tokens: &[SemanticToken]) -> Value {
    let mut data: Vec<u32> = Vec::with_capacity(tokens.len() * 5);
    let (mut line, mut character) = (0, 0);
    for token in tokens {
        let range = range_of(lines, token.span);
        let down = range.start.line.saturating_sub(line);
        let right =
            if down == 0 { range.start.character.saturating_sub(character) } else { range.start.character };
        let length = range.end.character.saturating_sub(range.start.character);
        data.extend([down, right, length, token.kind.index(), 0]);
        (line, character) = (range.start.line, range.start.character);
    }
    json!({ "data": data })
}
