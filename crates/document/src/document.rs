//! The document: source text, nodes, and what the nodes refer to.

use std::sync::{Arc, OnceLock};

use diagnostics::{FileId, Span};

use crate::error::{Fault, narrow};
use crate::index::{Table, Tables};
use crate::node::{Raw, Tag};
use crate::{JsonOptions, Limits, ReadError, Source, Value, json, yaml};

/// One value with all it contains, read from text.
#[derive(Debug)]
pub struct Document {
    /// Shared by the documents of one stream.
    pub(crate) text: Arc<String>,
    pub(crate) file: FileId,
    pub(crate) tree: Tree,
    /// The offsets at which lines begin, once somebody has asked for one.
    pub(crate) lines: OnceLock<Box<[u32]>>,
}

/// Names a value of one document without borrowing it; see [`Value::id`] and [`Document::value`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(crate) u32);

impl From<NodeId> for u32 {
    fn from(id: NodeId) -> u32 {
        id.0
    }
}

/// The nodes and side tables. INVARIANT: the first node is the root, and every index and offset in a node
/// is inside its table; [`crate::build::Builder`] alone makes nodes.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Raw>,
    /// Strings that are not in the source as they are: escapes resolved, lines folded.
    pub(crate) decoded: String,
    pub(crate) tables: Tables,
}

impl Document {
    /// Reads JSON as RFC 8259 defines it; a byte order mark is accepted, two members of one name are not.
    pub fn from_json<'a>(
        text: impl Into<Source<'a>>,
        file: FileId,
        limits: &Limits,
    ) -> Result<Document, ReadError> {
        Document::from_json_with(text, file, limits, JsonOptions::STRICT)
    }

    /// Reads JSON with the given departures from the standard.
    pub fn from_json_with<'a>(
        text: impl Into<Source<'a>>,
        file: FileId,
        limits: &Limits,
        options: JsonOptions,
    ) -> Result<Document, ReadError> {
        let text = text.into().into_text(file, limits)?;
        match json::read(&text, file, limits, options) {
            Ok(tree) => Ok(Document { text: Arc::new(text), file, tree, lines: OnceLock::new() }),
            Err(fault) => Err(Fault::into_error(fault, &text, file)),
        }
    }

    /// Reads a YAML text of at most one document, by the core schema of YAML 1.2; an empty text is null.
    ///
    /// See [the crate](crate#yaml) for what that means for keys, tags, aliases and merge keys.
    pub fn from_yaml<'a>(
        text: impl Into<Source<'a>>,
        file: FileId,
        limits: &Limits,
    ) -> Result<Document, ReadError> {
        let text = text.into().into_text(file, limits)?;
        match yaml::read_one(&text, file, limits) {
            Ok(tree) => Ok(Document { text: Arc::new(text), file, tree, lines: OnceLock::new() }),
            Err(fault) => Err(Fault::into_error(fault, &text, file)),
        }
    }

    /// Reads all documents of a YAML stream; the places of all are in the one text.
    pub fn from_yaml_stream<'a>(
        text: impl Into<Source<'a>>,
        file: FileId,
        limits: &Limits,
    ) -> Result<Vec<Document>, ReadError> {
        let text = text.into().into_text(file, limits)?;
        let trees = match yaml::read_stream(&text, file, limits) {
            Ok(trees) => trees,
            Err(fault) => return Err(Fault::into_error(fault, &text, file)),
        };
        let text = Arc::new(text);
        Ok(trees
            .into_iter()
            .map(|tree| Document { text: Arc::clone(&text), file, tree, lines: OnceLock::new() })
            .collect())
    }

    /// The value that the document is.
    pub fn root(&self) -> Value<'_> {
        Value::new(self, 0)
    }

    /// The value that an id of this document names; null for an id of another one that is not here.
    pub fn value(&self, id: NodeId) -> Value<'_> {
        Value::new(self, id.0)
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

impl Tree {
    #[inline]
    pub(crate) fn raw(&self, index: u32) -> &Raw {
        self.nodes.get(index as usize).unwrap_or(&Raw::NULL)
    }

    /// The index behind a node and all it contains.
    #[inline]
    pub(crate) fn after(&self, index: u32) -> u32 {
        let raw = self.raw(index);
        if raw.tag.is_container() { raw.payload[1] } else { index + 1 }
    }

    /// The text of a string or a long number; empty for other nodes.
    #[inline]
    pub(crate) fn text<'a>(&'a self, source: &'a str, raw: &Raw) -> &'a str {
        let [mut offset, mut length] = raw.payload;
        let text = match raw.tag {
            Tag::NearDecimal => {
                (offset, length) = (raw.start, raw.end.saturating_sub(raw.start));
                source
            }
            Tag::Text | Tag::Decimal => source,
            Tag::DecodedText | Tag::DecodedDecimal => &self.decoded,
            _ => return "",
        };
        text.get(offset as usize..offset as usize + length as usize).unwrap_or_default()
    }

    /// The bytes of a string.
    #[inline]
    pub(crate) fn text_bytes<'a>(&'a self, source: &'a str, raw: &Raw) -> &'a [u8] {
        let [offset, length] = raw.payload;
        let text = if raw.tag == Tag::Text { source } else { &self.decoded };
        text.as_bytes().get(offset as usize..offset as usize + length as usize).unwrap_or_default()
    }

    /// The key node with a name in an object, if the node is one.
    pub(crate) fn find_key(&self, source: &str, object: u32, name: &str) -> Option<u32> {
        let raw = self.raw(object);
        let [count, end] = raw.payload;
        let same = |key: u32| {
            let raw = self.raw(key);
            raw.payload[1] as usize == name.len() && self.text_bytes(source, raw) == name.as_bytes()
        };
        match raw.tag {
            Tag::Object => {
                let mut key = object + 1;
                for _ in 0..count {
                    if same(key) {
                        return Some(key);
                    }
                    key = self.after(key + 1);
                }
                None
            }
            Tag::IndexedObject => {
                let table = Table::from_payload(self.raw(end - 1).payload);
                self.tables.find(table, name, |key| same(object + key)).map(|key| object + key)
            }
            _ => None,
        }
    }
}
