//! The outline of a document, and the declarations of all files by name.

use bicep::editor::{self, DeclarationKind, DocumentSymbol};
use diagnostics::LineIndex;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::document::range_of;
use crate::message::ResponseError;
use crate::protocol::InDocument;
use crate::snapshot::Snapshot;

/// How many declarations are listed at most.
const MAX_SYMBOLS: usize = 1_000;

/// What is asked about all files.
#[derive(Deserialize)]
pub(super) struct Query {
    query: String,
}

/// The outline of a document.
pub(super) fn document(snapshot: &Snapshot, params: InDocument) -> Result<Vec<Value>, ResponseError> {
    let (path, _) = snapshot.program(&params.text_document)?;
    let lines = snapshot.lines(&path);
    let found = editor::document_symbols(&snapshot.compiler, &path);
    Ok(found.iter().map(|symbol| shown(&lines, symbol)).collect())
}

fn shown(lines: &LineIndex, symbol: &DocumentSymbol) -> Value {
    // Only resources are nested, and the parser bounds how deep.
    let children: Vec<Value> = symbol.children.iter().map(|child| shown(lines, child)).collect();
    json!({
        "name": symbol.name,
        "detail": symbol.ty,
        "kind": number(symbol.kind),
        "range": range_of(lines, symbol.span),
        "selectionRange": range_of(lines, symbol.name_span),
        "children": children,
    })
}

/// The declarations of all files whose names fit a query.
pub(super) fn workspace(snapshot: &Snapshot, params: Query) -> Result<Vec<Value>, ResponseError> {
    let files = snapshot.files();
    let found = editor::workspace_symbols(
        &snapshot.compiler,
        snapshot.until_cancelled(&files),
        &params.query,
        MAX_SYMBOLS,
    );
    let shown = found.iter().map(|symbol| {
        json!({
            "name": symbol.name,
            "kind": number(symbol.kind),
            "location": snapshot.location(&symbol.location.path, symbol.location.span),
        })
    });
    Ok(shown.collect())
}

/// The number of the protocol for a kind of declaration.
fn number(kind: DeclarationKind) -> u8 {
    match kind {
        DeclarationKind::Module => 2,
        DeclarationKind::Extension | DeclarationKind::Namespace => 3,
        DeclarationKind::Parameter | DeclarationKind::Type => 8,
        DeclarationKind::Output => 11,
        DeclarationKind::Function => 12,
        DeclarationKind::Variable => 13,
        DeclarationKind::ParameterAssignment | DeclarationKind::ExtensionConfig => 14,
        DeclarationKind::Assert => 17,
        DeclarationKind::Resource => 19,
        DeclarationKind::Metadata | DeclarationKind::Test => 20,
    }
}
