//! Where what is named at a place is declared and used.

use bicep::editor::{self, Access};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::message::Failure;
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

/// Where it is declared.
pub(super) fn definition(snapshot: &Snapshot, at: AtPosition) -> Result<Option<Location>, Failure> {
    let (path, offset) = snapshot.place(&at)?;
    let found = editor::definition(&snapshot.compiler, &path, offset);
    Ok(found.map(|found| snapshot.location(&found.path, found.name_span)))
}

/// Where it is used, in all files.
pub(super) fn references(snapshot: &Snapshot, params: Uses) -> Result<Vec<Location>, Failure> {
    let (path, offset) = snapshot.place(&params.at)?;
    let (compiler, files) = (&snapshot.compiler, snapshot.files());
    let found = editor::references(compiler, &path, offset, &files, params.context.include_declaration);
    Ok(snapshot.locations(found.iter().map(|found| (&found.path, found.span))))
}

/// Where it is used in the document.
pub(super) fn highlight(snapshot: &Snapshot, at: AtPosition) -> Result<Vec<Value>, Failure> {
    let (path, offset) = snapshot.place(&at)?;
    let lines = snapshot.lines(&path);
    let shown = |found: &editor::Highlight| {
        let kind = match found.access {
            Access::Read => 2,
            Access::Declaration | Access::Write => 3,
        };
        json!({ "range": crate::document::range_of(&lines, found.span), "kind": kind })
    };
    Ok(editor::highlight(&snapshot.compiler, &path, offset).iter().map(shown).collect())
}
