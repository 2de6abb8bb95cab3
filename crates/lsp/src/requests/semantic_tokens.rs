//! What the words of a document are, as numbers: each token is five of them, relative to the one before.

use std::sync::Arc;

use bicep::editor::{self, SemanticKind, SemanticToken};
use diagnostics::LineIndex;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::document::{range_of, span_of};
use crate::message::ResponseError;
use crate::protocol::{DocumentId, InDocument, InRange};
use crate::snapshot::Snapshot;

/// What is announced: the names of the kinds, and what can be asked.
pub(super) fn options() -> Value {
    let kinds: Vec<&str> = SemanticKind::ALL.iter().map(|kind| kind.name()).collect();
    json!({ "legend": { "tokenTypes": kinds, "tokenModifiers": [] }, "full": { "delta": true }, "range": true })
}

/// What is asked about a document whose words were told before.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Since {
    text_document: DocumentId,
    previous_result_id: String,
}

/// All words, or what has changed of them.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Tokens {
    #[serde(skip_serializing_if = "Option::is_none")]
    result_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Vec<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    edits: Option<Vec<Edit>>,
}

/// From where on how many numbers go, and what comes there.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Edit {
    start: usize,
    delete_count: usize,
    data: Vec<u32>,
}

/// The words of a document.
pub(super) fn full(snapshot: &Snapshot, params: InDocument) -> Result<Tokens, ResponseError> {
    let tokens = whole(snapshot, &params.text_document)?;
    let (number, _) = snapshot.told.put(&params.text_document.uri, &tokens, None);
    Ok(Tokens { result_id: Some(number.to_string()), data: Some(tokens.to_vec()), edits: None })
}

/// What has changed of the words of a document; all of them if it is not known what the editor has.
pub(super) fn delta(snapshot: &Snapshot, params: Since) -> Result<Tokens, ResponseError> {
    let tokens = whole(snapshot, &params.text_document)?;
    let before = params.previous_result_id.parse().ok();
    let (number, before) = snapshot.told.put(&params.text_document.uri, &tokens, before);
    let result_id = Some(number.to_string());
    Ok(match before {
        Some(before) => Tokens { result_id, data: None, edits: Some(changed(&before, &tokens)) },
        None => Tokens { result_id, data: Some(tokens.to_vec()), edits: None },
    })
}

fn whole(snapshot: &Snapshot, id: &DocumentId) -> Result<Arc<[u32]>, ResponseError> {
    let (path, _) = snapshot.program(id)?;
    let tokens = editor::semantic_tokens(&snapshot.compiler, &path, None);
    Ok(encoded(&snapshot.lines(&path), &tokens).into())
}

/// How one list of numbers becomes another.
fn changed(before: &[u32], now: &[u32]) -> Vec<Edit> {
    let same = |(a, b): &(&u32, &u32)| a == b;
    let start = before.iter().zip(now).take_while(same).count();
    let (old, new) = (before.get(start..).unwrap_or_default(), now.get(start..).unwrap_or_default());
    let end = old.iter().rev().zip(new.iter().rev()).take_while(same).count();
    let data = new.get(..new.len() - end).unwrap_or_default().to_vec();
    let edit = Edit { start, delete_count: old.len() - end, data };
    if old.is_empty() && new.is_empty() { Vec::new() } else { vec![edit] }
}

/// The words of a stretch of a document.
pub(super) fn range(snapshot: &Snapshot, params: InRange) -> Result<Tokens, ResponseError> {
    let (path, _) = snapshot.program(&params.text_document)?;
    let lines = snapshot.lines(&path);
    let span = span_of(&lines, params.range);
    let tokens = editor::semantic_tokens(&snapshot.compiler, &path, Some(span));
    Ok(Tokens { data: Some(encoded(&lines, &tokens)), ..Tokens::default() })
}

fn encoded(lines: &LineIndex, tokens: &[SemanticToken]) -> Vec<u32> {
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
    data
}

#[cfg(test)]
mod tests {
    use super::changed;

    #[track_caller]
    fn check(before: &[u32], now: &[u32], expect: Option<(usize, usize, &[u32])>) {
        let edits = changed(before, now);
        let found: Vec<_> = edits.iter().map(|it| (it.start, it.delete_count, &*it.data)).collect();
        assert_eq!(found, Vec::from_iter(expect));
    }

    #[test]
    fn a_change_is_what_both_lists_do_not_share() {
        check(&[1, 2, 3], &[1, 9, 9, 3], Some((1, 1, &[9, 9])));
        check(&[1, 2], &[1, 2], None);
        check(&[1, 1], &[1, 1, 1], Some((2, 0, &[1])));
        check(&[], &[4], Some((0, 0, &[4])));
        check(&[5, 6], &[], Some((0, 2, &[])));
    }
}
