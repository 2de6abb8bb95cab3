//! Other names for what is declared, in all files.

use bicep::editor;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::document::range_of;
use crate::message::{ErrorCode, ResponseError};
use crate::protocol::{AtPosition, TextEdit, WorkspaceEdit};
use crate::snapshot::Snapshot;

/// What is asked to rename something.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rename {
    #[serde(flatten)]
    at: AtPosition,
    new_name: String,
}

/// What the server says that it can do: that a name can be checked before it is changed.
pub(super) fn options() -> Value {
    json!({ "prepareProvider": true })
}

fn refused(error: &editor::RenameError) -> ResponseError {
    ResponseError::new(ErrorCode::RequestFailed, error.to_string())
}

/// The name that would be changed.
pub(super) fn prepare(snapshot: &Snapshot, at: AtPosition) -> Result<Value, ResponseError> {
    let (path, offset) = snapshot.place(&at)?;
    let found = editor::prepare_rename(&snapshot.compiler, &path, offset);
    let (span, name) = found.map_err(|error| refused(&error))?;
    Ok(json!({ "range": snapshot.range(&path, span), "placeholder": name }))
}

/// The edits that change it.
pub(super) fn rename(snapshot: &Snapshot, params: Rename) -> Result<WorkspaceEdit, ResponseError> {
    let (path, offset) = snapshot.place(&params.at)?;
    let (compiler, files) = (&snapshot.compiler, snapshot.files());
    let found = editor::rename(compiler, &path, offset, &params.new_name, snapshot.until_cancelled(&files));
    let mut edit = WorkspaceEdit::default();
    for file in found.map_err(|error| refused(&error))? {
        let lines = snapshot.lines(&file.path);
        let edits = file.edits.into_iter();
        let edits = edits.map(|(span, new_text)| TextEdit { range: range_of(&lines, span), new_text });
        edit.changes.insert(snapshot.uri(&file.path), edits.collect());
    }
    Ok(edit)
}
