//! The YAML reader: parser events into the same tree as JSON.

mod alias;
mod fault;
mod scalar;
mod tag;

use std::collections::HashMap;

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, StructureStyle};

use self::alias::{Anchor, Merge};
use self::scalar::Scalar;
use self::tag::CoreTag;
use crate::build::{Builder, StringRange};
use crate::error::{ReadErrorKind, UnlocatedReadError, narrow, shorten};
use crate::node::{NodeTag, Raw};
use crate::node_tables::NodeTables;
use crate::number::Number;
use crate::{FileId, ReadLimits};

/// Reads a text of at most one document.
pub(crate) fn read_one(
    text: &str,
    file: FileId,
    limits: &ReadLimits,
) -> Result<NodeTables, UnlocatedReadError> {
    let mut reader = YamlReader::new(text, file, limits);
    let mut trees = reader.stream(false)?;
    match trees.pop() {
        Some(tree) => Ok(tree),
        None => {
            reader.build.scalar(NodeTag::Null, 0, 0)?;
            Ok(reader.build.finish())
        }
    }
}

/// Reads all documents of a text.
pub(crate) fn read_stream(
    text: &str,
    file: FileId,
    limits: &ReadLimits,
) -> Result<Vec<NodeTables>, UnlocatedReadError> {
    YamlReader::new(text, file, limits).stream(true)
}

/// What is wrong with a text that the parser does not take.
pub(crate) fn syntax_error(
    text: &str,
    file: FileId,
    limits: &ReadLimits,
    error: &ScanError,
) -> UnlocatedReadError {
    YamlReader::new(text, file, limits).syntax(error)
}

struct YamlReader<'t> {
    text: &'t str,
    file: FileId,
    limits: &'t ReadLimits,
    build: Builder<'t>,
    frames: Vec<OpenCollection>,
    anchors: HashMap<usize, Anchor>,
    /// What aliases may still copy.
    alias_nodes: usize,
    /// Behind the last scalar, alias or bracket: where a block collection ends.
    end: usize,
}

/// A collection that is not closed yet.
struct OpenCollection {
    node: u32,
    state: CollectionState,
    is_flow: bool,
    anchor: usize,
    /// What the mapping's merge key says, if it has one.
    merge: Option<Merge>,
}

/// What comes next in a collection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CollectionState {
    Item,
    Key,
    Value,
    /// The value of a merge key.
    Merge,
    /// An element of the list that a merge key has.
    MergeList,
}

/// A range of bytes.
#[derive(Clone, Copy, Default)]
struct ByteRange {
    start: usize,
    end: usize,
}

impl From<&Span> for ByteRange {
    fn from(span: &Span) -> ByteRange {
        let start = span.start.byte_offset().unwrap_or_default();
        ByteRange { start, end: span.end.byte_offset().unwrap_or(start).max(start) }
    }
}

impl ByteRange {
    fn fault(self, problem: ReadErrorKind) -> UnlocatedReadError {
        UnlocatedReadError::new(self.start, self.end, problem)
    }
}

impl<'t> YamlReader<'t> {
    fn new(text: &'t str, file: FileId, limits: &'t ReadLimits) -> YamlReader<'t> {
        YamlReader {
            text,
            file,
            limits,
            build: Builder::new(text, file, limits, 0),
            frames: Vec::new(),
            anchors: HashMap::new(),
            alias_nodes: limits.alias_nodes,
            end: 0,
        }
    }

    fn stream(&mut self, several: bool) -> Result<Vec<NodeTables>, UnlocatedReadError> {
        let mut trees = Vec::new();
        let options = granit_parser::options! {
            emit_comments: false,
            flow_nesting_limit: self.limits.depth,
            block_nesting_limit: self.limits.depth,
        };
        for event in Parser::new_from_str_with_options(self.text, options) {
            let (event, span) = event.map_err(|error| self.syntax(&error))?;
            let place = ByteRange::from(&span);
            match event {
                Event::DocumentStart(..) if !several && !trees.is_empty() => {
                    return Err(place
                        .fault(ReadErrorKind::MultipleDocuments)
                        .hint("keep one document, or read the text as a stream"));
                }
                Event::DocumentEnd => {
                    let next = Builder::new(self.text, self.file, self.limits, 0);
                    trees.push(std::mem::replace(&mut self.build, next).finish());
                    self.anchors.clear();
                }
                Event::Scalar(content, style, anchor, tag) => {
                    let tag = self.core_tag(tag.as_deref(), &span)?;
                    self.scalar(&content, style, anchor, tag, place)?;
                }
                Event::SequenceStart(style, anchor, tag) => {
                    if let Some(tag) = self.core_tag(tag.as_deref(), &span)? {
                        tag.expect("seq", "list")?;
                    }
                    self.open(NodeTag::List, style, anchor, place)?;
                }
                Event::MappingStart(style, anchor, tag) => {
                    if let Some(tag) = self.core_tag(tag.as_deref(), &span)? {
                        tag.expect("map", "mapping")?;
                    }
                    self.open(NodeTag::Object, style, anchor, place)?;
                }
                Event::SequenceEnd | Event::MappingEnd => self.close(place)?,
                Event::Alias(anchor) => self.alias(anchor, place)?,
                _ => {}
            }
        }
        Ok(trees)
    }

    fn open(
        &mut self,
        tag: NodeTag,
        style: StructureStyle,
        anchor: usize,
        place: ByteRange,
    ) -> Result<(), UnlocatedReadError> {
        if tag == NodeTag::List && self.open_merge_list() {
            return Ok(());
        }
        self.begin_value(if tag == NodeTag::List { "list" } else { "mapping" }, place)?;
        let is_flow = style == StructureStyle::Flow;
        let mut start = place.start;
        if tag == NodeTag::List && !is_flow {
            // The parser's place begins behind the first dash.
            let before = self.text.get(..start).unwrap_or_default().trim_end();
            start = before.strip_suffix('-').map_or(start, str::len);
        }
        let node = self.build.next_node();
        self.build.open(tag, start, place.end)?;
        let state = if tag == NodeTag::List { CollectionState::Item } else { CollectionState::Key };
        self.frames.push(OpenCollection { node, state, is_flow, anchor, merge: None });
        if anchor != 0 {
            self.anchors.insert(anchor, Anchor::Open);
        }
        self.end = self.end.max(place.end);
        Ok(())
    }

    fn close(&mut self, place: ByteRange) -> Result<(), UnlocatedReadError> {
        if self.close_merge_list() {
            return Ok(());
        }
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        if frame.is_flow {
            self.end = place.end;
        }
        if let Some(merge) = frame.merge {
            self.merge(&merge)?;
        }
        self.build.close(self.end)?;
        if frame.anchor != 0 {
            self.anchors.insert(frame.anchor, Anchor::Collection(frame.node));
        }
        Ok(())
    }

    fn scalar(
        &mut self,
        content: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<CoreTag>,
        place: ByteRange,
    ) -> Result<(), UnlocatedReadError> {
        let place = self.trim(style, place);
        self.end = place.end;
        // The parser gives `~` for a node that is not there.
        let is_absent = style == ScalarStyle::Plain && place.start == place.end;
        let content = if is_absent { "" } else { content };
        let is_key = self.state() == Some(CollectionState::Key);
        if is_key && content == "<<" && style == ScalarStyle::Plain && tag.is_none() {
            return self.begin_merge(place);
        }
        let raw = self.resolve(content, style, tag, place)?;
        if anchor != 0 {
            self.anchors.insert(anchor, Anchor::Scalar(raw));
        }
        if !is_key {
            self.begin_value("scalar", place)?;
            return self.build.push(raw);
        }
        let text = match raw.tag {
            NodeTag::Text | NodeTag::DecodedText => StringRange::of(&raw),
            _ => self.content(content, place)?,
        };
        self.key(text, place)
    }

    /// Resolves a scalar by its tag, or by the schema when it is plain.
    fn resolve(
        &mut self,
        content: &str,
        style: ScalarStyle,
        tag: Option<CoreTag>,
        place: ByteRange,
    ) -> Result<Raw, UnlocatedReadError> {
        let is_plain = style == ScalarStyle::Plain;
        let resolved = match &tag {
            Some(tag) => tag.resolve(content)?,
            None if is_plain => scalar::resolve(content),
            None => Scalar::Text,
        };
        let wide = |tag, bits| Raw::wide(tag, narrow(place.start), narrow(place.end), bits);
        Ok(match resolved {
            Scalar::Null => wide(NodeTag::Null, 0),
            Scalar::Bool(false) => wide(NodeTag::False, 0),
            Scalar::Bool(true) => wide(NodeTag::True, 0),
            Scalar::NoNumber(number) => wide(NodeTag::Float, number.to_bits()),
            Scalar::Number(Number::Int(number), _) => wide(NodeTag::Int, number as u64),
            Scalar::Number(Number::UInt(number), _) => wide(NodeTag::UInt, number),
            Scalar::Number(Number::Float(number), _) => wide(NodeTag::Float, number.to_bits()),
            Scalar::Number(Number::Decimal | Number::WholeDecimal, literal) => {
                self.content(&literal, place)?.decimal(place.start, place.end)
            }
            Scalar::Text => self.content(content, place)?.raw(place.start, place.end),
            Scalar::TooLong => {
                let reason = "a hexadecimal or octal number has at most 64 bits";
                return Err(place
                    .fault(ReadErrorKind::BadNumber { literal: shorten(content), reason })
                    .hint("put it in quotes if it is text"));
            }
        })
    }

    /// Adds a key; its value comes next.
    fn key(&mut self, text: StringRange, place: ByteRange) -> Result<(), UnlocatedReadError> {
        if let Some(frame) = self.frames.last_mut() {
            frame.state = CollectionState::Value;
        }
        self.build.text(true, text, place.start, place.end)
    }

    /// Makes sure that a value may stand here, and counts it.
    fn begin_value(&mut self, kind: &'static str, place: ByteRange) -> Result<(), UnlocatedReadError> {
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        match frame.state {
            CollectionState::Item => self.build.item(),
            CollectionState::Value => frame.state = CollectionState::Key,
            CollectionState::Key => {
                return Err(place
                    .fault(ReadErrorKind::ComplexKey { found: kind })
                    .hint("write the key as text; a key that begins with `{` or `[` goes in quotes"));
            }
            CollectionState::Merge | CollectionState::MergeList => return Err(self.bad_merge(place)),
        }
        Ok(())
    }

    fn state(&self) -> Option<CollectionState> {
        self.frames.last().map(|frame| frame.state)
    }

    /// Where a scalar's content is: in the source if it is there as it is, in the decoded text if not.
    fn content(&mut self, content: &str, place: ByteRange) -> Result<StringRange, UnlocatedReadError> {
        let offset = (content.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        let end = offset.saturating_add(content.len());
        if self.text.get(offset..end).is_some_and(|source| std::ptr::eq(source, content)) {
            return Ok(StringRange::source(offset, end));
        }
        let before = self.build.decode().len();
        let limit = u32::MAX as usize;
        if before + content.len() > limit {
            return Err(place.fault(ReadErrorKind::TooLarge { size: before + content.len(), limit }));
        }
        self.build.decode().push_str(content);
        Ok(self.build.decoded_since(before))
    }

    /// The place of a scalar; a block scalar's without the line ends behind it.
    fn trim(&self, style: ScalarStyle, place: ByteRange) -> ByteRange {
        if !matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
            return place;
        }
        let written = self.text.get(place.start..place.end).unwrap_or_default();
        ByteRange { end: place.start + written.trim_end().len(), ..place }
    }
}
