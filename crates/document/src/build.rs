//! Puts a document together, node by node, for every text format: nesting, limits and duplicate keys.

use diagnostics::{FileId, Span};

use crate::ReadLimits;
use crate::error::{ReadErrorKind, UnlocatedReadError, narrow, shorten};
use crate::index::{self, SMALL, Tables};
use crate::node::{NodeTag, Raw};
use crate::node_tables::NodeTables;
use crate::number::Number;

/// A tree under construction over a source text.
pub(crate) struct Builder<'t> {
    source: &'t str,
    file: FileId,
    max_depth: usize,
    max_nodes: usize,
    /// Without the tables: these are next to it, so that keys can be compared while one is filled.
    tree: NodeTables,
    tables: Tables,
    open: Vec<OpenContainer>,
    /// Prints of the names of all open objects, up to [`SMALL`] each.
    prints: Vec<u64>,
}

/// A container that is not closed yet.
#[derive(Clone, Copy)]
struct OpenContainer {
    node: u32,
    /// Elements or members so far.
    count: u32,
    /// Where the object's names begin in `prints`.
    prints: u32,
    is_object: bool,
}

impl<'t> Builder<'t> {
    /// Begins a document of about the given number of nodes.
    pub(crate) fn new(source: &'t str, file: FileId, limits: &ReadLimits, nodes: usize) -> Builder<'t> {
        let max_nodes = limits.nodes.min(u32::MAX as usize - 1);
        let tree = NodeTables { nodes: Vec::with_capacity(nodes.min(max_nodes)), ..NodeTables::default() };
        Builder {
            source,
            file,
            max_depth: limits.depth,
            max_nodes,
            tree,
            tables: Tables::default(),
            open: Vec::new(),
            prints: Vec::new(),
        }
    }

    /// The finished tree; all containers must be closed.
    pub(crate) fn finish(self) -> NodeTables {
        let mut tree = NodeTables { tables: self.tables, ..self.tree };
        tree.nodes.shrink_to_fit();
        tree.decoded.shrink_to_fit();
        tree
    }

    /// Whether the innermost open container is an object, if there is one.
    #[inline]
    pub(crate) fn in_object(&self) -> Option<bool> {
        self.open.last().map(|open| open.is_object)
    }

    /// Adds a value that is complete.
    #[inline]
    pub(crate) fn scalar(
        &mut self,
        tag: NodeTag,
        start: usize,
        end: usize,
    ) -> Result<(), UnlocatedReadError> {
        self.push(Raw { tag, start: narrow(start), end: narrow(end), payload: [0, 0] })
    }

    /// Adds a number whose literal is the given range of the source, in JSON syntax.
    #[inline]
    pub(crate) fn number(
        &mut self,
        number: Number,
        start: usize,
        end: usize,
    ) -> Result<(), UnlocatedReadError> {
        let (from, to) = (narrow(start), narrow(end));
        self.push(match number {
            Number::Int(number) => Raw::wide(NodeTag::Int, from, to, number as u64),
            Number::UInt(number) => Raw::wide(NodeTag::UInt, from, to, number),
            Number::Float(number) => Raw::wide(NodeTag::Float, from, to, number.to_bits()),
            Number::Decimal | Number::WholeDecimal => {
                let tag = if number == Number::Decimal { NodeTag::NearDecimal } else { NodeTag::NearWhole };
                let near = self.source.get(start..end).and_then(|literal| literal.parse::<f64>().ok());
                Raw::wide(tag, from, to, near.unwrap_or(f64::NAN).to_bits())
            }
        })
    }

    /// Adds a string, or a key to the innermost object, whose value must follow.
    #[inline(always)]
    pub(crate) fn text(
        &mut self,
        is_key: bool,
        text: StringRange,
        start: usize,
        end: usize,
    ) -> Result<(), UnlocatedReadError> {
        if is_key {
            self.check_name(text, start, end)?;
        }
        self.push(text.raw(start, end))
    }

    /// Counts one more element of the innermost list; its value must follow.
    #[inline]
    pub(crate) fn item(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.count += 1;
        }
    }

    /// Opens a list or an object.
    #[inline]
    pub(crate) fn open(&mut self, tag: NodeTag, start: usize, end: usize) -> Result<(), UnlocatedReadError> {
        if self.open.len() >= self.max_depth {
            return Err(self.too_deep(start, end));
        }
        let node = narrow(self.tree.nodes.len());
        self.open.push(OpenContainer {
            node,
            count: 0,
            prints: narrow(self.prints.len()),
            is_object: tag == NodeTag::Object,
        });
        self.scalar(tag, start, end)
    }

    /// Closes the innermost container.
    #[inline]
    pub(crate) fn close(&mut self, end: usize) -> Result<(), UnlocatedReadError> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        self.prints.truncate(open.prints as usize);
        if open.is_object && open.count as usize > SMALL {
            self.index_object(open)?;
        }
        let next = narrow(self.tree.nodes.len());
        if let Some(raw) = self.tree.nodes.get_mut(open.node as usize) {
            raw.end = narrow(end);
            raw.payload = [open.count, next];
        }
        Ok(())
    }

    /// Appends to the decoded text; see [`Builder::decoded_since`].
    pub(crate) fn decode(&mut self) -> &mut String {
        &mut self.tree.decoded
    }

    /// The text that was appended to the decoded text after it had the given length.
    pub(crate) fn decoded_since(&self, length: usize) -> StringRange {
        StringRange {
            decoded: true,
            offset: narrow(length),
            length: narrow(self.tree.decoded.len() - length),
        }
    }

    /// The name of the last key of the innermost container, if that is an object with a member.
    pub(crate) fn last_key(&self) -> Option<&str> {
        let open = self.open.last().filter(|open| open.is_object)?;
        let key = self.keys(*open).last()?;
        Some(self.tree.text(self.source, self.tree.raw(key)))
    }

    /// Where the innermost container starts.
    pub(crate) fn opened_at(&self) -> Option<usize> {
        self.open.last().map(|open| self.tree.raw(open.node).start as usize)
    }

    /// Adds a node behind the others, within the limit of nodes.
    #[inline(always)]
    pub(crate) fn push(&mut self, raw: Raw) -> Result<(), UnlocatedReadError> {
        if self.tree.nodes.len() >= self.max_nodes {
            return Err(self.too_many(&raw));
        }
        self.tree.nodes.push(raw);
        Ok(())
    }

    /// The keys of an object that is still open: its nodes are the last ones, and complete but for the end.
    fn keys(&self, open: OpenContainer) -> impl Iterator<Item = u32> {
        let end = narrow(self.tree.nodes.len());
        let next = move |key: &u32| Some(self.tree.after(key + 1)).filter(|key| *key < end);
        std::iter::successors(Some(open.node + 1).filter(|key| *key < end), next)
    }

    /// Counts a member of the innermost object, and compares its key with those before while they are few.
    #[inline(always)]
    fn check_name(&mut self, key: StringRange, start: usize, end: usize) -> Result<(), UnlocatedReadError> {
        let Some(open) = self.open.last_mut() else { return Ok(()) };
        open.count += 1;
        let names = self.prints.get(open.prints as usize..).unwrap_or_default();
        if names.len() < SMALL {
            let print = index::print(self.text_bytes(key));
            if names.contains(&print) {
                self.check_small(key, start, end)?;
            }
            self.prints.push(print);
        }
        Ok(())
    }

    #[inline]
    fn text_bytes(&self, text: StringRange) -> &[u8] {
        let from = if text.decoded { &self.tree.decoded } else { self.source };
        let start = text.offset as usize;
        from.as_bytes().get(start..start + text.length as usize).unwrap_or_default()
    }

    /// Compares a new key with those before it in a small object.
    #[cold]
    fn check_small(&self, key: StringRange, start: usize, end: usize) -> Result<(), UnlocatedReadError> {
        let Some(open) = self.open.last() else { return Ok(()) };
        let new = &key.raw(start, end);
        let name = self.tree.text(self.source, new);
        let same = |key: &u32| self.tree.text(self.source, self.tree.raw(*key)) == name;
        match self.keys(*open).find(same) {
            Some(first) => Err(self.duplicate(first, new)),
            None => Ok(()),
        }
    }

    /// Builds the hash table of a large object, behind its last member.
    fn index_object(&mut self, open: OpenContainer) -> Result<(), UnlocatedReadError> {
        let Some(table) = self.tables.add(open.count) else {
            return Err(self.too_many(self.tree.raw(open.node)));
        };
        let end = narrow(self.tree.nodes.len());
        let mut key = open.node + 1;
        while key < end {
            let raw = self.tree.raw(key);
            let name = self.tree.text(self.source, raw);
            let same = |other: u32| self.tree.text(self.source, self.tree.raw(open.node + other)) == name;
            if let Some(first) = self.tables.insert(table, name, key - open.node, same) {
                return Err(self.duplicate(open.node + first, raw));
            }
            key = self.tree.after(key + 1);
        }
        self.push(Raw { tag: NodeTag::Index, start: 0, end: 0, payload: table.payload() })?;
        if let Some(raw) = self.tree.nodes.get_mut(open.node as usize) {
            raw.tag = NodeTag::IndexedObject;
        }
        Ok(())
    }

    fn too_deep(&self, start: usize, end: usize) -> UnlocatedReadError {
        UnlocatedReadError::new(start, end, ReadErrorKind::TooDeep { limit: self.max_depth })
            .hint("flatten the document")
    }

    fn too_many(&self, raw: &Raw) -> UnlocatedReadError {
        let problem = ReadErrorKind::TooManyNodes { limit: self.max_nodes };
        UnlocatedReadError::new(raw.start as usize, raw.end as usize, problem)
            .hint("split the document, or raise the node limit")
    }

    fn duplicate(&self, first: u32, again: &Raw) -> UnlocatedReadError {
        let first = self.tree.raw(first);
        let key = shorten(self.tree.text(self.source, again));
        let first = Span { file: self.file, start: first.start, end: first.end };
        UnlocatedReadError::new(
            again.start as usize,
            again.end as usize,
            ReadErrorKind::DuplicateKey { key, first },
        )
        .hint("remove one of the two members, or rename it")
    }
}

/// Values that stand for others: what YAML aliases and merge keys need.
impl Builder<'_> {
    /// The index of the next node.
    pub(crate) fn next_node(&self) -> u32 {
        narrow(self.tree.nodes.len())
    }

    /// What has been built.
    pub(crate) fn tree(&self) -> &NodeTables {
        &self.tree
    }

    /// The keys of the innermost object.
    pub(crate) fn open_keys(&self) -> impl Iterator<Item = u32> {
        self.open.last().into_iter().flat_map(|open| self.keys(*open))
    }

    /// Adds a copy of a complete value; `start` and `end` are what to blame when that is too much.
    pub(crate) fn copy(&mut self, node: u32, start: usize, end: usize) -> Result<(), UnlocatedReadError> {
        let (from, to) = (node as usize, self.tree.after(node) as usize);
        let new = self.tree.nodes.len();
        if new + (to - from) > self.max_nodes {
            return Err(self.too_many(&Raw { start: narrow(start), end: narrow(end), ..Raw::NULL }));
        }
        if self.open.len() + self.levels(node) > self.max_depth {
            return Err(self.too_deep(start, end));
        }
        self.tree.nodes.extend_from_within(from..to);
        for raw in self.tree.nodes.iter_mut().skip(new).filter(|raw| raw.tag.is_container()) {
            let [count, next] = raw.payload;
            raw.payload = [count, next - narrow(from) + narrow(new)];
        }
        Ok(())
    }

    /// Adds a copy of a member to the innermost object, which must not have its name.
    pub(crate) fn copy_member(
        &mut self,
        key: u32,
        start: usize,
        end: usize,
    ) -> Result<(), UnlocatedReadError> {
        self.item();
        self.push(*self.tree.raw(key))?;
        self.copy(key + 1, start, end)
    }

    /// How many containers are nested in a value, itself included.
    fn levels(&self, node: u32) -> usize {
        let mut ends: Vec<u32> = Vec::new();
        let mut most = 0;
        for index in node..self.tree.after(node) {
            while ends.last().is_some_and(|end| *end <= index) {
                ends.pop();
            }
            if self.tree.raw(index).tag.is_container() {
                ends.push(self.tree.after(index));
                most = most.max(ends.len());
            }
        }
        most
    }
}

/// Where the content of a string is.
#[derive(Clone, Copy)]
pub(crate) struct StringRange {
    decoded: bool,
    offset: u32,
    length: u32,
}

impl StringRange {
    /// A range of the source.
    #[inline]
    pub(crate) fn source(start: usize, end: usize) -> StringRange {
        StringRange { decoded: false, offset: narrow(start), length: narrow(end - start) }
    }

    /// The text of a string that was added before, or of another scalar as it is written.
    pub(crate) fn of(raw: &Raw) -> StringRange {
        let [offset, length] = raw.payload;
        match raw.tag {
            NodeTag::Text | NodeTag::DecodedText => {
                StringRange { decoded: raw.tag == NodeTag::DecodedText, offset, length }
            }
            _ => StringRange { decoded: false, offset: raw.start, length: raw.end - raw.start },
        }
    }

    /// The number that no 64-bit number holds, whose literal the text is.
    pub(crate) fn decimal(self, start: usize, end: usize) -> Raw {
        let tag = if self.decoded { NodeTag::DecodedDecimal } else { NodeTag::Decimal };
        Raw { tag, ..self.raw(start, end) }
    }

    #[inline]
    pub(crate) fn raw(self, start: usize, end: usize) -> Raw {
        let tag = if self.decoded { NodeTag::DecodedText } else { NodeTag::Text };
        Raw { tag, start: narrow(start), end: narrow(end), payload: [self.offset, self.length] }
    }
}
