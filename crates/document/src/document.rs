//! The document: a source text and what was read from it.

use std::sync::{Arc, OnceLock};

use diagnostics::{FileId, Span};

use crate::error::{UnlocatedReadError, narrow};
use crate::node::Raw;
use crate::node_tables::NodeTables;
use crate::{DocumentText, JsonOptions, ReadError, ReadLimits, json, yaml};

/// One value with all it contains, read from text.
#[derive(Debug)]
pub struct Document {
    /// Shared by the documents of one stream.
    pub(crate) text: Arc<String>,
    pub(crate) file: FileId,
    pub(crate) tree: NodeTables,
    /// The offsets at which lines begin, once somebody has asked for one.
    pub(crate) lines: OnceLock<Box<[u32]>>,
}

/// Names a value of one document without borrowing it; see [`SourceValue::id`](crate::SourceValue::id) and [`Document::value`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(crate) u32);

impl From<NodeId> for u32 {
    fn from(id: NodeId) -> u32 {
        id.0
    }
}

impl Document {
    /// Reads JSON as RFC 8259 defines it; a byte order mark is accepted, two members of one name are not.
    pub fn from_json<'a>(
        text: impl Into<DocumentText<'a>>,
        file: FileId,
        limits: &ReadLimits,
    ) -> Result<Document, ReadError> {
        Document::from_json_with(text, file, limits, JsonOptions::STRICT)
    }

    /// Reads JSON with the given departures from the standard.
    pub fn from_json_with<'a>(
        text: impl Into<DocumentText<'a>>,
        file: FileId,
        limits: &ReadLimits,
        options: JsonOptions,
    ) -> Result<Document, ReadError> {
        let text = text.into().into_text(file, limits)?;
        match json::read(&text, file, limits, options) {
            Ok(tree) => Ok(Document { text: Arc::new(text), file, tree, lines: OnceLock::new() }),
            Err(fault) => Err(UnlocatedReadError::into_error(fault, &text, file)),
        }
    }

    /// Reads a YAML text of at most one document, by the core schema of YAML 1.2; an empty text is null.
    ///
    /// See [the crate](crate#yaml) for what that means for keys, tags, aliases and merge keys.
    pub fn from_yaml<'a>(
        text: impl Into<DocumentText<'a>>,
        file: FileId,
        limits: &ReadLimits,
    ) -> Result<Document, ReadError> {
        let text = text.into().into_text(file, limits)?;
        match yaml::read_one(&text, file, limits) {
            Ok(tree) => Ok(Document { text: Arc::new(text), file, tree, lines: OnceLock::new() }),
            Err(fault) => Err(UnlocatedReadError::into_error(fault, &text, file)),
        }
    }

    /// Reads all documents of a YAML stream; the places of all are in the one text.
    pub fn from_yaml_stream<'a>(
        text: impl Into<DocumentText<'a>>,
        file: FileId,
        limits: &ReadLimits,
    ) -> Result<Vec<Document>, ReadError> {
        let text = text.into().into_text(file, limits)?;
        let trees = match yaml::read_stream(&text, file, limits) {
            Ok(trees) => trees,
            Err(fault) => return Err(UnlocatedReadError::into_error(fault, &text, file)),
        };
        let text = Arc::new(text);
        Ok(trees
            .into_iter()
            .map(|tree| Document { text: Arc::clone(&text), file, tree, lines: OnceLock::new() })
            .collect())
    }

    /// Line and column of an offset in the text, both from 1; columns count characters.
    ///
    /// The lines are found once and kept.
    pub fn position(&self, offset: u32) -> (u32, u32) {
        let starts = self.lines.get_or_init(|| {
            let breaks = memchr::memchr_iter(b'\n', self.text.as_bytes());
            std::iter::once(0).chain(breaks.map(|at| narrow(at) + 1)).collect()
        });
        let line = starts.partition_point(|start| *start <= offset).max(1);
        let start = starts.get(line - 1).copied().unwrap_or_default() as usize;
        let end = self.text.floor_char_boundary(offset as usize).max(start);
        let before = self.text.get(start..end).unwrap_or_default();
        let before = before.strip_prefix('\u{feff}').unwrap_or(before);
        (narrow(line), narrow(before.chars().count()) + 1)
    }

    /// The text that was read; places are byte ranges in it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The file number that was given for the text.
    pub fn file(&self) -> FileId {
        self.file
    }

    pub(crate) fn place(&self, raw: &Raw) -> Span {
        Span { file: self.file, start: raw.start, end: raw.end }
    }
}
