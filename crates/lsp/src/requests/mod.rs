//! One row for each request: how it is called, what announces it, and the file that answers it.

mod code_action;
mod completion;
mod formatting;
mod hierarchy;
mod hints;
mod hover;
mod names;
mod rename;
mod semantic_tokens;
mod symbols;
mod text;

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
    /// What answers it, with the text of the result.
    pub(crate) answer: fn(&Snapshot, Value) -> Result<Vec<u8>, Failure>,
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
        method: "textDocument/completion",
        capability: Some(("completionProvider", completion::options)),
        is_slow: false,
        answer: |snapshot, params| typed(snapshot, params, completion::answer),
    },
    Row {
        method: "completionItem/resolve",
        capability: None,
        is_slow: false,
        answer: |snapshot, params| typed(snapshot, params, completion::resolve),
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
    Row {
        method: "textDocument/documentSymbol",
        capability: Some(("documentSymbolProvider", || json!(true))),
        is_slow: false,
        answer: |snapshot, params| typed(snapshot, params, symbols::document),
    },
    Row {
        method: "workspace/symbol",
        capability: Some(("workspaceSymbolProvider", || json!(true))),
        is_slow: true,
        answer: |snapshot, params| typed(snapshot, params, symbols::workspace),
    },
    Row {
        method: "textDocument/semanticTokens/full",
        capability: Some(("semanticTokensProvider", semantic_tokens::options)),
        is_slow: false,
        answer: |snapshot, params| typed(snapshot, params, semantic_tokens::full),
    },
    Row {
        method: "textDocument/semanticTokens/full/delta",
        capability: None,
        is_slow: false,
        answer: |snapshot, params| typed(snapshot, params, semantic_tokens::delta),
    },
    Row {
        method: "textDocument/semanticTokens/range",
        capability: None,
        is_slow: false,
        answer: |snapshot, params| typed(snapshot, params, semantic_tokens::range),
    },
    Row {
        method: "textDocument/definition",
        capability: Some(("definitionProvider", || json!(true))),
        is_slow: false,
        answer: |snapshot, params| typed(snapshot, params, names::definition),
    },
    Row {
        method: "textDocument/references",
        capability: Some(("referencesProvider", || json!(true))),
        is_slow: true,
        answer: |snapshot, params| typed(snapshot, params, names::references),
    },
    Row {
        method: "textDocument/documentHighlight",
        capability: Some(("documentHighlightProvider", || json!(true))),
        is_slow: false,
        answer: |snapshot, params| typed(snapshot, params, names::highlight),
    },
    Row {
        method: "textDocument/prepareRename",
        capability: None,
        is_slow: false,
        answer: |snapshot, params| typed(snapshot, params, rename::prepare),
    },
    Row {
        method: "textDocument/rename",
        capability: Some(("renameProvider", rename::options)),
        is_slow: true,
        answer: |snapshot, params| typed(snapshot, params, rename::rename),
    },
    Row {
        method: "textDocument/hover",
        capability: Some(("hoverProvider", || json!(true))),
        is_slow: false,
        answer: |snapshot, params| typed(snapshot, params, hover::hover),
    },
    Row {
        method: "textDocument/signatureHelp",
        capability: Some(("signatureHelpProvider", hover::signature_options)),
        is_slow: false,
        answer: |snapshot, params| typed(snapshot, params, hover::signature),
    },
    Row {
        method: "textDocument/foldingRange",
        capability: Some(("foldingRangeProvider", || json!(true))),
        is_slow: false,
        answer: |snapshot, params| typed(snapshot, params, text::folding),
    },
    Row {
        method: "textDocument/selectionRange",
        capability: Some(("selectionRangeProvider", || json!(true))),
        is_slow: false,
        answer: |snapshot, params| typed(snapshot, params, text::selection),
    },
    Row {
        method: "textDocument/documentLink",
        capability: Some(("documentLinkProvider", || json!({ "resolveProvider": false }))),
        is_slow: false,
        answer: |snapshot, params| typed(snapshot, params, text::links),
    },
    Row {
        method: "textDocument/inlayHint",
        capability: Some(("inlayHintProvider", || json!(true))),
        is_slow: false,
        answer: |snapshot, params| typed(snapshot, params, hints::inlay),
    },
    Row {
        method: "textDocument/codeLens",
        capability: Some(("codeLensProvider", hints::lens_options)),
        is_slow: true,
        answer: |snapshot, params| typed(snapshot, params, hints::lenses),
    },
    Row {
        method: "textDocument/prepareCallHierarchy",
        capability: Some(("callHierarchyProvider", || json!(true))),
        is_slow: false,
        answer: |snapshot, params| typed(snapshot, params, hierarchy::prepare),
    },
    Row {
        method: "callHierarchy/incomingCalls",
        capability: None,
        is_slow: true,
        answer: |snapshot, params| typed(snapshot, params, hierarchy::incoming),
    },
    Row {
        method: "callHierarchy/outgoingCalls",
        capability: None,
        is_slow: false,
        answer: |snapshot, params| typed(snapshot, params, hierarchy::outgoing),
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
) -> Result<Vec<u8>, Failure> {
    let params = serde_json::from_value(params)
        .map_err(|error| Failure::new(Code::InvalidParams, format!("the parameters do not fit: {error}")))?;
    let result = answer(snapshot, params)?;
    serde_json::to_vec(&result).map_err(|error| Failure::new(Code::Internal, error.to_string()))
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
