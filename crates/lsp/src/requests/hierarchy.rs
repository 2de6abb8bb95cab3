//! Which files use a file as a module, and which modules it uses, as a hierarchy of calls.

use bicep::FilePath;
use bicep::editor;
use serde::Deserialize;
use serde_json::{Value, json};
use syntax::Span;

use crate::message::ResponseError;
use crate::protocol::AtPosition;
use crate::snapshot::Snapshot;
use crate::uri;

/// What is asked about an item of the hierarchy.
#[derive(Deserialize)]
pub(super) struct OfItem {
    item: HierarchyItem,
}

/// An item that the server gave to the editor.
#[derive(Deserialize)]
struct HierarchyItem {
    uri: String,
}

/// The file that the hierarchy of a place begins with.
pub(super) fn prepare(snapshot: &Snapshot, at: AtPosition) -> Result<Vec<Value>, ResponseError> {
    let (path, offset) = snapshot.place(&at)?;
    let found = editor::prepare_call_hierarchy(&snapshot.compiler, &path, offset);
    Ok(found.iter().map(|path| item(snapshot, path)).collect())
}

/// The files that use a file as a module.
pub(super) fn incoming(snapshot: &Snapshot, params: OfItem) -> Result<Vec<Value>, ResponseError> {
    let path = uri::path_of(&params.item.uri, None);
    let files = snapshot.files();
    let calls = editor::incoming_calls(&snapshot.compiler, &path, snapshot.until_cancelled(&files));
    let shown = calls.iter().map(|call| {
        json!({ "from": item(snapshot, &call.path), "fromRanges": ranges(snapshot, &call.path, &call.spans) })
    });
    Ok(shown.collect())
}

/// The modules that a file uses.
pub(super) fn outgoing(snapshot: &Snapshot, params: OfItem) -> Result<Vec<Value>, ResponseError> {
    let path = uri::path_of(&params.item.uri, None);
    let calls = editor::outgoing_calls(&snapshot.compiler, &path);
    let shown = calls.iter().map(|call| {
        json!({ "to": item(snapshot, &call.path), "fromRanges": ranges(snapshot, &path, &call.spans) })
    });
    Ok(shown.collect())
}

/// A file as an item: a module without a place of its own.
fn item(snapshot: &Snapshot, path: &FilePath) -> Value {
    let start = json!({ "line": 0, "character": 0 });
    let range = json!({ "start": start, "end": start });
    json!({
        "name": path.name(),
        "detail": path.folder().as_str(),
        "kind": 2,
        "uri": snapshot.uri(path),
        "range": range,
        "selectionRange": range,
    })
}

fn ranges(snapshot: &Snapshot, path: &FilePath, spans: &[Span]) -> Vec<crate::protocol::Range> {
    let lines = snapshot.lines(path);
    spans.iter().map(|span| crate::document::range_of(&lines, *span)).collect()
}
