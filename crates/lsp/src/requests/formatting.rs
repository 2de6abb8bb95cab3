//! Formatting: a document, a stretch of it, or what was just typed.
//!
//! Settings come from `bicepconfig.json`, as for `tendon format`, and not from the editor. The answer has an edit for each
//! gap between words that changes, so that cursors and marks in the rest stay where they are.

use bicep::FilePath;
use bicep::files::SourceFile;
use serde::Deserialize;
use serde_json::{Value, json};
use syntax::{Span, TokenKind};

use crate::document::{offset_of, range_of, span_of};
use crate::message::ResponseError;
use crate::protocol::{DocumentId, InDocument, InRange, Position, TextEdit};
use crate::snapshot::Snapshot;

/// What is asked when a character was typed.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OnTypeFormattingParams {
    text_document: DocumentId,
    position: Position,
    ch: String,
}

/// The characters after which the editor asks.
pub(super) fn triggers() -> Value {
    json!({ "firstTriggerCharacter": "}", "moreTriggerCharacter": ["]", ")", "\n"] })
}

pub(super) fn whole(snapshot: &Snapshot, params: InDocument) -> Result<Vec<TextEdit>, ResponseError> {
    let (path, _) = snapshot.program(&params.text_document)?;
    Ok(edits(snapshot, &path, |_| true))
}

/// Formats a stretch of a document.
pub(super) fn range(snapshot: &Snapshot, params: InRange) -> Result<Vec<TextEdit>, ResponseError> {
    let (path, _) = snapshot.program(&params.text_document)?;
    let wanted = span_of(&snapshot.lines(&path), params.range);
    Ok(edits(snapshot, &path, |span| span.start <= wanted.end && wanted.start <= span.end))
}

/// Formats what a closing bracket or the end of a line has finished.
pub(super) fn on_type(
    snapshot: &Snapshot,
    params: OnTypeFormattingParams,
) -> Result<Vec<TextEdit>, ResponseError> {
    let (path, _) = snapshot.program(&params.text_document)?;
    let lines = snapshot.lines(&path);
    let offset = offset_of(&lines, params.position);
    let wanted = if params.ch == "\n" {
        let before = lines.line(params.position.line);
        Span::new(before.start, before.end)
    } else {
        match statement_at(snapshot, &path, offset) {
            Some(span) => span,
            None => return Ok(Vec::new()),
        }
    };
    // What was typed, and what comes after it, stay.
    Ok(edits(snapshot, &path, |span| wanted.encloses(span) && span.start < offset && span.end <= offset))
}

/// The declaration that a bracket before a place closes a part of; none in a string or comment.
fn statement_at(snapshot: &Snapshot, path: &FilePath, offset: u32) -> Option<Span> {
    let source = snapshot.compiler.file(path).ok()?;
    let SourceFile::Bicep(file) = &*source else { return None };
    let typed = offset.checked_sub(1).and_then(|at| file.tree.token_at(at))?;
    let is_bracket =
        matches!(typed.kind(), TokenKind::RightBrace | TokenKind::RightSquare | TokenKind::RightParen);
    if !is_bracket || typed.span().end != offset {
        return None;
    }
    let root = file.tree.root();
    let spans = root.children().filter_map(|child| child.node()).map(|node| node.span());
    spans.rev().find(|span| span.start <= offset && offset <= span.end)
}

/// The edits that format a document, as far as they are wanted.
fn edits(snapshot: &Snapshot, path: &FilePath, wanted: impl Fn(Span) -> bool) -> Vec<TextEdit> {
    let Ok(source) = snapshot.compiler.file(path) else { return Vec::new() };
    let SourceFile::Bicep(file) = &*source else { return Vec::new() };
    let after = syntax::format::format(&file.tree, &file.config.formatting());
    let lines = snapshot.lines(path);
    let before = file.tree.text();
    let made = gaps(before, &after).unwrap_or_else(|| vec![(Span::new(0, lines.end()), after.as_str())]);
    made.into_iter()
        .filter(|(span, _)| wanted(*span))
        .map(|(span, text)| TextEdit { range: range_of(&lines, span), new_text: text.to_owned() })
        .collect()
}

/// Tells whether formatting adds and removes a character.
fn is_gap(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b'|')
}

/// Where two texts differ that are the same but for their gaps; none if they are not.
fn gaps<'t>(before: &str, after: &'t str) -> Option<Vec<(Span, &'t str)>> {
    let (mut edits, mut here, mut there) = (Vec::new(), 0, 0);
    let (old, new) = (before.as_bytes(), after.as_bytes());
    let run = |bytes: &[u8], from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        from + rest.iter().position(|byte| !is_gap(*byte)).unwrap_or(rest.len())
    };
    loop {
        let (here_end, there_end) = (run(old, here), run(new, there));
        if old.get(here..here_end) != new.get(there..there_end) {
            // Gaps end at ASCII characters, so these are boundaries of characters.
            let span = Span::new(u32::try_from(here).ok()?, u32::try_from(here_end).ok()?);
            edits.push((span, after.get(there..there_end)?));
        }
        match (old.get(here_end), new.get(there_end)) {
            (None, None) => return Some(edits),
            (Some(a), Some(b)) if a == b => (here, there) = (here_end + 1, there_end + 1),
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, expect: Option<&[(u32, u32, &str)]>) {
        let found = gaps(before, after);
        let found: Option<Vec<_>> =
            found.map(|edits| edits.into_iter().map(|(span, text)| (span.start, span.end, text)).collect());
        assert_eq!(found.as_deref(), expect);
    }

    #[test]
    fn only_gaps_change() {
        check("a  b", "a b", Some(&[(1, 3, " ")]));
        check("[a, b]", "[\n  a\n  b\n]", Some(&[(1, 1, "\n  "), (2, 4, "\n  "), (5, 5, "\n")]));
        check("é =1\n\n", "é = 1\n", Some(&[(4, 4, " "), (5, 7, "\n")]));
        check("a", "a", Some(&[]));
    }

    #[test]
    fn other_changes_are_not_gaps() {
        check("a b", "a c", None);
        check("a", "ab", None);
    }
}
