//! Parts of the text: what can be folded away, what is selected around a place, paths that lead somewhere.

use bicep::editor::{self, FoldKind};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::document::{offset_of, range_of};
use crate::message::ResponseError;
use crate::protocol::{DocumentId, InDocument, Position};
use crate::snapshot::Snapshot;

/// How many places are answered at once.
const MAX_PLACES: usize = 10_000;

/// What is asked about several places.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AtPositions {
    text_document: DocumentId,
    positions: Vec<Position>,
}

/// What can be folded away.
pub(super) fn folding(snapshot: &Snapshot, params: InDocument) -> Result<Vec<Value>, ResponseError> {
    let (path, _) = snapshot.program(&params.text_document)?;
    let lines = snapshot.lines(&path);
    let shown = |fold: &editor::Fold| {
        let range = range_of(&lines, fold.span);
        // The line with the closing bracket stays.
        let end = match fold.kind {
            FoldKind::Code => range.end.line.saturating_sub(1),
            FoldKind::Comment | FoldKind::Imports | FoldKind::Region => range.end.line,
        };
        let kind = match fold.kind {
            FoldKind::Code => None,
            FoldKind::Comment => Some("comment"),
            FoldKind::Imports => Some("imports"),
            FoldKind::Region => Some("region"),
        };
        let mut shown = json!({ "startLine": range.start.line, "endLine": end });
        if let (Some(kind), Some(shown)) = (kind, shown.as_object_mut()) {
            shown.insert("kind".to_owned(), json!(kind));
        }
        (end > range.start.line).then_some(shown)
    };
    Ok(editor::folding(&snapshot.compiler, &path).iter().filter_map(shown).collect())
}

/// What is selected around places, from the inside out.
pub(super) fn selection(snapshot: &Snapshot, params: AtPositions) -> Result<Vec<Value>, ResponseError> {
    let (path, _) = snapshot.program(&params.text_document)?;
    let lines = snapshot.lines(&path);
    let around = |position: &Position| {
        let offset = offset_of(&lines, *position);
        let spans = editor::selection_ranges(&snapshot.compiler, &path, offset);
        let outermost = json!({ "range": { "start": position, "end": position } });
        let nested = spans.iter().rev().fold(None, |parent: Option<Value>, span| {
            let range = range_of(&lines, *span);
            Some(match parent {
                Some(parent) => json!({ "range": range, "parent": parent }),
                None => json!({ "range": range }),
            })
        });
        nested.unwrap_or(outermost)
    };
    Ok(params.positions.iter().take(MAX_PLACES).map(around).collect())
}

/// Paths that lead to other files.
pub(super) fn links(snapshot: &Snapshot, params: InDocument) -> Result<Vec<Value>, ResponseError> {
    let (path, _) = snapshot.program(&params.text_document)?;
    let lines = snapshot.lines(&path);
    let found = editor::document_links(&snapshot.compiler, &path);
    let shown = found
        .iter()
        .map(|link| json!({ "range": range_of(&lines, link.span), "target": snapshot.uri(&link.path) }));
    Ok(shown.collect())
}
