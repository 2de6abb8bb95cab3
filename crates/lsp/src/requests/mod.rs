//! One row for each request: how it is called, what announces it, and the file that answers it.

mod code_action;
mod formatting;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::message::{Code, Failure};
use crate::snapshot::Snapshot;

/// The name of a capability, and its options.
type Capability = (&'static str, fn() -> Value);

/// A request that the server answers.
pub(crate) struct Row {
    /// How it is called.
    pub(crate) method: &'static str,
    /// The capability that announces it, if it has one of its own.
    capability: Option<Capability>,
    /// Whether it can take long, because it looks at many files.
    pub(crate) is_slow: bool,
    /// What answers it.
    pub(crate) answer: fn(&Snapshot, Value) -> Result<Value, Failure>,
}

/// All requests but those about the life of the server.
const ROWS: &[Row] = &[
    Row {
        method: "textDocument/codeAction",
        capability: Some(("codeActionProvider", code_action::kinds)),
        is_slow: false,
        answer: |snapshot, params| typed(snapshot, params, code_action::answer),
    },
    Row {
        method: "textDocument/formatting",
        capability: Some(("documentFormattingProvider", || json!(true))),
        is_slow: false,
        answer: |snapshot, params| typed(snapshot, params, formatting::whole),
    },
    Row {
        method: "textDocument/rangeFormatting",
        capability: Some(("documentRangeFormattingProvider", || json!(true))),
        is_slow: false,
        answer: |snapshot, params| typed(snapshot, params, formatting::range),
    },
    Row {
        method: "textDocument/onTypeFormatting",
        capability: Some(("documentOnTypeFormattingProvider", formatting::triggers)),
        is_slow: false,
        answer: |snapshot, params| typed(snapshot, params, formatting::on_type),
    },
];

/// The row of a method.
pub(crate) fn row(method: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.method == method)
}

/// What the server announces.
pub(crate) fn capabilities() -> Value {
    let mut all = Map::new();
    let sync = json!({ "openClose": true, "change": 2, "save": { "includeText": false } });
    all.insert("positionEncoding".to_owned(), json!("utf-16"));
    all.insert("textDocumentSync".to_owned(), sync);
    let folders = json!({ "workspaceFolders": { "supported": true, "changeNotifications": true } });
    all.insert("workspace".to_owned(), folders);
    for (name, value) in ROWS.iter().filter_map(|row| row.capability) {
        all.insert(name.to_owned(), value());
    }
    Value::Object(all)
}

/// Answers with parameters and a result that have types.
fn typed<P: DeserializeOwned, R: Serialize>(
    snapshot: &Snapshot,
    params: Value,
    answer: impl FnOnce(&Snapshot, P) -> Result<R, Failure>,
) -> Result<Value, Failure> {
    let params = serde_json::from_value(params)
        .map_err(|error| Failure::new(Code::InvalidParams, format!("the parameters do not fit: {error}")))?;
    let result = answer(snapshot, params)?;
    serde_json::to_value(result).map_err(|error| Failure::new(Code::Internal, error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_method_has_one_row() {
        for row in ROWS {
            assert_eq!(ROWS.iter().filter(|other| other.method == row.method).count(), 1, "{}", row.method);
        }
    }
}
