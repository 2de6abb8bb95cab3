//! One row for each request: how it is called, what announces it, and the file that answers it.

mod code_action;
mod commands;
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

use crate::message::{ErrorCode, ResponseError};
use crate::snapshot::Snapshot;

/// The name of a capability, and its options.
type Capability = (&'static str, fn() -> Value);

/// How long a request can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestCost {
    /// It is about one file.
    Quick,
    /// It looks at many files.
    Slow,
    /// It does something that others wait for: it writes, or waits for registries.
    Command,
}

/// A request that the server answers.
pub(crate) struct RequestHandler {
    /// How it is called.
    pub(crate) method: &'static str,
    /// The capability that announces it, if it has one of its own.
    capability: Option<Capability>,
    /// How long it can take.
    pub(crate) pace: RequestCost,
    /// What answers it, with the text of the result.
    pub(crate) answer: fn(&Snapshot, Value) -> Result<Vec<u8>, ResponseError>,
}

/// The capability that announces commands.
const COMMANDS: &str = "executeCommandProvider";

/// All requests but those about the life of the server.
const ROWS: &[RequestHandler] = &[
    RequestHandler {
        method: "workspace/executeCommand",
        capability: Some((COMMANDS, commands::options)),
        pace: RequestCost::Command,
        answer: |snapshot, params| typed(snapshot, params, commands::execute),
    },
    RequestHandler {
        method: "textDocument/codeAction",
        capability: Some(("codeActionProvider", code_action::kinds)),
        pace: RequestCost::Quick,
        answer: |snapshot, params| typed(snapshot, params, code_action::answer),
    },
    RequestHandler {
        method: "textDocument/completion",
        capability: Some(("completionProvider", completion::options)),
        pace: RequestCost::Quick,
        answer: |snapshot, params| typed(snapshot, params, completion::answer),
    },
    RequestHandler {
        method: "completionItem/resolve",
        capability: None,
        pace: RequestCost::Quick,
        answer: |snapshot, params| typed(snapshot, params, completion::resolve),
    },
    RequestHandler {
        method: "textDocument/formatting",
        capability: Some(("documentFormattingProvider", || json!(true))),
        pace: RequestCost::Quick,
        answer: |snapshot, params| typed(snapshot, params, formatting::whole),
    },
    RequestHandler {
        method: "textDocument/rangeFormatting",
        capability: Some(("documentRangeFormattingProvider", || json!(true))),
        pace: RequestCost::Quick,
        answer: |snapshot, params| typed(snapshot, params, formatting::range),
    },
    RequestHandler {
        method: "textDocument/onTypeFormatting",
        capability: Some(("documentOnTypeFormattingProvider", formatting::triggers)),
        pace: RequestCost::Quick,
        answer: |snapshot, params| typed(snapshot, params, formatting::on_type),
    },
    RequestHandler {
        method: "textDocument/documentSymbol",
        capability: Some(("documentSymbolProvider", || json!(true))),
        pace: RequestCost::Quick,
        answer: |snapshot, params| typed(snapshot, params, symbols::document),
    },
    RequestHandler {
        method: "workspace/symbol",
        capability: Some(("workspaceSymbolProvider", || json!(true))),
        pace: RequestCost::Slow,
        answer: |snapshot, params| typed(snapshot, params, symbols::workspace),
    },
    RequestHandler {
        method: "textDocument/semanticTokens/full",
        capability: Some(("semanticTokensProvider", semantic_tokens::options)),
        pace: RequestCost::Quick,
        answer: |snapshot, params| typed(snapshot, params, semantic_tokens::full),
    },
    RequestHandler {
        method: "textDocument/semanticTokens/full/delta",
        capability: None,
        pace: RequestCost::Quick,
        answer: |snapshot, params| typed(snapshot, params, semantic_tokens::delta),
    },
    RequestHandler {
        method: "textDocument/semanticTokens/range",
        capability: None,
        pace: RequestCost::Quick,
        answer: |snapshot, params| typed(snapshot, params, semantic_tokens::range),
    },
    RequestHandler {
        method: "textDocument/definition",
        capability: Some(("definitionProvider", || json!(true))),
        pace: RequestCost::Quick,
        answer: |snapshot, params| typed(snapshot, params, names::definition),
    },
    RequestHandler {
        method: "textDocument/references",
        capability: Some(("referencesProvider", || json!(true))),
        pace: RequestCost::Slow,
        answer: |snapshot, params| typed(snapshot, params, names::references),
    },
    RequestHandler {
        method: "textDocument/documentHighlight",
        capability: Some(("documentHighlightProvider", || json!(true))),
        pace: RequestCost::Quick,
        answer: |snapshot, params| typed(snapshot, params, names::highlight),
    },
    RequestHandler {
        method: "textDocument/prepareRename",
        capability: None,
        pace: RequestCost::Quick,
        answer: |snapshot, params| typed(snapshot, params, rename::prepare),
    },
    RequestHandler {
        method: "textDocument/rename",
        capability: Some(("renameProvider", rename::options)),
        pace: RequestCost::Slow,
        answer: |snapshot, params| typed(snapshot, params, rename::rename),
    },
    RequestHandler {
        method: "textDocument/hover",
        capability: Some(("hoverProvider", || json!(true))),
        pace: RequestCost::Quick,
        answer: |snapshot, params| typed(snapshot, params, hover::hover),
    },
    RequestHandler {
        method: "textDocument/signatureHelp",
        capability: Some(("signatureHelpProvider", hover::signature_options)),
        pace: RequestCost::Quick,
        answer: |snapshot, params| typed(snapshot, params, hover::signature),
    },
    RequestHandler {
        method: "textDocument/foldingRange",
        capability: Some(("foldingRangeProvider", || json!(true))),
        pace: RequestCost::Quick,
        answer: |snapshot, params| typed(snapshot, params, text::folding),
    },
    RequestHandler {
        method: "textDocument/selectionRange",
        capability: Some(("selectionRangeProvider", || json!(true))),
        pace: RequestCost::Quick,
        answer: |snapshot, params| typed(snapshot, params, text::selection),
    },
    RequestHandler {
        method: "textDocument/documentLink",
        capability: Some(("documentLinkProvider", || json!({ "resolveProvider": false }))),
        pace: RequestCost::Quick,
        answer: |snapshot, params| typed(snapshot, params, text::links),
    },
    RequestHandler {
        method: "textDocument/inlayHint",
        capability: Some(("inlayHintProvider", || json!(true))),
        pace: RequestCost::Quick,
        answer: |snapshot, params| typed(snapshot, params, hints::inlay),
    },
    RequestHandler {
        method: "textDocument/codeLens",
        capability: Some(("codeLensProvider", hints::lens_options)),
        pace: RequestCost::Slow,
        answer: |snapshot, params| typed(snapshot, params, hints::lenses),
    },
    RequestHandler {
        method: "textDocument/prepareCallHierarchy",
        capability: Some(("callHierarchyProvider", || json!(true))),
        pace: RequestCost::Quick,
        answer: |snapshot, params| typed(snapshot, params, hierarchy::prepare),
    },
    RequestHandler {
        method: "callHierarchy/incomingCalls",
        capability: None,
        pace: RequestCost::Slow,
        answer: |snapshot, params| typed(snapshot, params, hierarchy::incoming),
    },
    RequestHandler {
        method: "callHierarchy/outgoingCalls",
        capability: None,
        pace: RequestCost::Quick,
        answer: |snapshot, params| typed(snapshot, params, hierarchy::outgoing),
    },
];

/// The row of a method.
pub(crate) fn row(method: &str) -> Option<&'static RequestHandler> {
    ROWS.iter().find(|row| row.method == method)
}

/// The documents that requests are about. Others are open as well, and belong to other servers.
fn documents() -> Value {
    json!([
        { "language": "bicep" },
        { "language": "bicep-params" },
        { "pattern": "**/*.bicep" },
        { "pattern": "**/*.bicepparam" },
    ])
}

/// What is registered for Bicep files alone, for a client that can do that: ids, methods and options. The rest is announced
/// for all documents that the client shows to the server.
pub(crate) fn registrations(client: &Value) -> Vec<Value> {
    let rows = ROWS.iter().filter(|row| is_registered(row, client));
    let registered = rows.filter_map(|row| {
        let (name, options) = row.capability?;
        let mut options = match options() {
            Value::Object(options) => options,
            _ => Map::new(),
        };
        options.insert("documentSelector".to_owned(), documents());
        let method = row.method.strip_suffix("/full").unwrap_or(row.method);
        Some(json!({ "id": name, "method": method, "registerOptions": options }))
    });
    registered.collect()
}

/// Tells whether a client takes a request for some documents only.
fn is_registered(row: &RequestHandler, client: &Value) -> bool {
    let Some(name) = row.method.strip_prefix("textDocument/") else { return false };
    let name = match name {
        "semanticTokens/full" => "semanticTokens",
        "prepareCallHierarchy" => "callHierarchy",
        name => name,
    };
    client.pointer(&format!("/textDocument/{name}/dynamicRegistration")) == Some(&json!(true))
}

/// What the server announces to a client, with the commands or without.
pub(crate) fn capabilities(client: &Value, with_commands: bool) -> Value {
    let mut all = Map::new();
    let sync = json!({ "openClose": true, "change": 2, "save": { "includeText": false } });
    all.insert("positionEncoding".to_owned(), json!("utf-16"));
    all.insert("textDocumentSync".to_owned(), sync);
    let folders = json!({ "workspaceFolders": { "supported": true, "changeNotifications": true } });
    all.insert("workspace".to_owned(), folders);
    let announced = ROWS.iter().filter(|row| !is_registered(row, client));
    for (name, value) in announced.filter_map(|row| row.capability) {
        if name == COMMANDS && !with_commands {
            continue;
        }
        all.insert(name.to_owned(), value());
    }
    Value::Object(all)
}

/// Answers with parameters and a result that have types.
fn typed<P: DeserializeOwned, R: Serialize>(
    snapshot: &Snapshot,
    params: Value,
    answer: impl FnOnce(&Snapshot, P) -> Result<R, ResponseError>,
) -> Result<Vec<u8>, ResponseError> {
    let document = params.pointer("/textDocument/uri").and_then(Value::as_str);
    if document.is_some_and(|uri| snapshot.is_other(uri)) {
        // Editors show errors, and some ask about every document that they show to the server.
        return Ok(b"null".to_vec());
    }
    let params = serde_json::from_value(params).map_err(|error| {
        ResponseError::new(ErrorCode::InvalidParams, format!("the parameters do not fit: {error}"))
    })?;
    let result = answer(snapshot, params)?;
    serde_json::to_vec(&result).map_err(|error| ResponseError::new(ErrorCode::Internal, error.to_string()))
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
