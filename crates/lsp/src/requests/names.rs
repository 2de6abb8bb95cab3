//! Where what is named at a place is declared and used.

use bicep::editor::{self, Access};
use serde::Deserialize;
use serde_json::{Value, json};
use syntax::Span;

use crate::document::range_of;
use crate::message::ResponseError;
use crate::protocol::{AtPosition, Location};
use crate::snapshot::Snapshot;

/// What is asked about the uses of something.
#[derive(Deserialize)]
pub(super) struct Uses {
    #[serde(flatten)]
    at: AtPosition,
    context: Context,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Context {
    include_declaration: bool,
}

/// Where it is declared: for editors that take it, with the name that leads there, and the whole declaration to show beside it.
pub(super) fn definition(snapshot: &Snapshot, at: AtPosition) -> Result<Value, ResponseError> {
    let (path, offset) = snapshot.place(&at)?;
    let Some(found) = editor::definition(&snapshot.compiler, &path, offset) else { return Ok(Value::Null) };
    if !snapshot.abilities.links {
        return Ok(json!(snapshot.location(&found.path, found.name_span)));
    }
    let lines = snapshot.lines(&found.path);
    let (span, name) = (found.span, found.name_span);
    let whole = Span::new(span.start.min(name.start), span.end.max(name.end));
    Ok(json!([{
        "originSelectionRange": snapshot.range(&path, found.origin),
        "targetUri": snapshot.uri(&found.path),
        // Editors refuse a name that is not in its declaration.
        "targetRange": range_of(&lines, whole),
        "targetSelectionRange": range_of(&lines, name),
    }]))
}

/// Where it is used, in all files.
pub(super) fn references(snapshot: &Snapshot, params: Uses) -> Result<Vec<Location>, ResponseError> {
    let (path, offset) = snapshot.place(&params.at)?;
    let (compiler, files) = (&snapshot.compiler, snapshot.files());
    let found = editor::references(
        compiler,
        &path,
        offset,
        snapshot.until_cancelled(&files),
        params.context.include_declaration,
    );
    Ok(snapshot.locations(found.iter().map(|found| (&found.path, found.span))))
}

/// Where it is used in the document.
pub(super) fn highlight(snapshot: &Snapshot, at: AtPosition) -> Result<Vec<Value>, ResponseError> {
    let (path, offset) = snapshot.place(&at)?;
    let lines = snapshot.lines(&path);
    let shown = |found: &editor::Highlight| {
        let kind = match found.access {
            Access::Read => 2,
            Access::Declaration | Access::Write => 3,
        };
        json!({ "range": range_of(&lines, found.span), "kind": kind })
    };
    Ok(editor::highlight(&snapshot.compiler, &path, offset).iter().map(shown).collect())
}
