//! The structures of the protocol that more than one request uses. Names on the wire are those of LSP 3.17.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A place: line and column count from zero, columns in UTF-16 code units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Position {
    pub(crate) line: u32,
    pub(crate) character: u32,
}

/// A stretch of text; the end is not part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Range {
    pub(crate) start: Position,
    pub(crate) end: Position,
}

/// A stretch of text in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Location {
    pub(crate) uri: String,
    pub(crate) range: Range,
}

/// A replacement of a range, which may be empty, by a text, which may be empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TextEdit {
    pub(crate) range: Range,
    pub(crate) new_text: String,
}

/// Edits of files, by their addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct WorkspaceEdit {
    pub(crate) changes: BTreeMap<String, Vec<TextEdit>>,
}

/// A document, by its address.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct DocumentId {
    pub(crate) uri: String,
}

/// What is asked about a document.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InDocument {
    pub(crate) text_document: DocumentId,
}

/// What is asked about a place in a document.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AtPosition {
    pub(crate) text_document: DocumentId,
    pub(crate) position: Position,
}

/// What is asked about a stretch of a document.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InRange {
    pub(crate) text_document: DocumentId,
    pub(crate) range: Range,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Diagnostic {
    pub(crate) range: Range,
    pub(crate) severity: u8,
    pub(crate) code: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code_description: Option<CodeDescription>,
    pub(crate) source: &'static str,
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<u8>,
}

/// Where a code is explained.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub(crate) struct CodeDescription {
    pub(crate) href: String,
}

/// All diagnostics of a document.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PublishDiagnostics<'p> {
    pub(crate) uri: &'p str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<i32>,
    pub(crate) diagnostics: &'p [Diagnostic],
}
