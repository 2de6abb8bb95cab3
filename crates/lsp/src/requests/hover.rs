//! What is said about what is under the pointer, and how the function that is being called is called.

use bicep::editor;
use serde_json::{Value, json};

use crate::message::ResponseError;
use crate::protocol::AtPosition;
use crate::snapshot::Snapshot;

/// What is announced: the characters after which the editor asks for signatures.
pub(super) fn signature_options() -> Value {
    json!({ "triggerCharacters": ["(", ",", "<"], "retriggerCharacters": [")", ">"] })
}

/// What is said about what is under the pointer.
pub(super) fn hover(snapshot: &Snapshot, at: AtPosition) -> Result<Option<Value>, ResponseError> {
    let (path, offset) = snapshot.place(&at)?;
    let found = editor::hover(&snapshot.compiler, &path, offset);
    Ok(found.map(|found| {
        let contents = json!({ "kind": "markdown", "value": found.markdown });
        json!({ "contents": contents, "range": snapshot.range(&path, found.span) })
    }))
}

/// How the call around a place can be made.
pub(super) fn signature(snapshot: &Snapshot, at: AtPosition) -> Result<Option<Value>, ResponseError> {
    let (path, offset) = snapshot.place(&at)?;
    let Some(help) = editor::signature_help(&snapshot.compiler, &path, offset) else { return Ok(None) };
    let shown = help.signatures.iter().map(|signature| {
        let place = |end: usize| signature.label.get(..end).map_or(0, |text| text.encode_utf16().count());
        let parameters = signature.parameters.iter();
        let parameters: Vec<Value> =
            parameters.map(|it| json!({ "label": [place(it.start), place(it.end)] })).collect();
        let documentation = signature.documentation.as_deref().unwrap_or_default();
        json!({
            "label": signature.label,
            "parameters": parameters,
            "documentation": { "kind": "markdown", "value": documentation },
        })
    });
    let signatures: Vec<Value> = shown.collect();
    let active = help.active.unwrap_or(0);
    Ok(Some(json!({ "signatures": signatures, "activeSignature": active, "activeParameter": help.argument })))
}
