//! The handle on one value, and the view that contracts are checked through.

use std::fmt;
use std::iter::FusedIterator;

use ::value::{Node, View};
use diagnostics::Span;

use crate::Document;
use crate::document::NodeId;
use crate::node::NodeTag;

/// A copyable handle on one value, or one key, of a document.
#[derive(Clone, Copy)]
pub struct SourceValue<'d> {
    document: &'d Document,
    index: u32,
}

impl Document {
    /// The value that the document is.
    pub fn root(&self) -> SourceValue<'_> {
        SourceValue::new(self, 0)
    }

    /// The value that an id of this document names; null for an id of another one that is not here.
    pub fn value(&self, id: NodeId) -> SourceValue<'_> {
        SourceValue::new(self, id.0)
    }
}

impl<'d> SourceValue<'d> {
    fn new(document: &'d Document, index: u32) -> SourceValue<'d> {
        SourceValue { document, index }
    }

    /// The value's name in its document, for those who keep the document elsewhere.
    pub fn id(self) -> NodeId {
        NodeId(self.index)
    }

    /// The document that holds the value.
    pub fn document(self) -> &'d Document {
        self.document
    }

    /// Reads the value itself.
    // Inlined for certain, so that a `match` on the node becomes one on its tag.
    #[inline(always)]
    pub fn node(self) -> Node<'d> {
        let tree = &self.document.tree;
        let raw = tree.raw(self.index);
        match raw.tag {
            NodeTag::Null | NodeTag::Index => Node::Null,
            NodeTag::False => Node::Bool(false),
            NodeTag::True => Node::Bool(true),
            NodeTag::Int => Node::Int(raw.bits() as i64),
            NodeTag::UInt => Node::UInt(raw.bits()),
            NodeTag::Float => Node::Float(f64::from_bits(raw.bits())),
            NodeTag::NearDecimal | NodeTag::NearWhole | NodeTag::Decimal | NodeTag::DecodedDecimal => {
                Node::Decimal(tree.text(&self.document.text, raw))
            }
            NodeTag::Text | NodeTag::DecodedText => Node::Text(tree.text(&self.document.text, raw)),
            NodeTag::List => Node::List(raw.payload[0] as usize),
            NodeTag::Object | NodeTag::IndexedObject => Node::Object(raw.payload[0] as usize),
        }
    }

    /// The text of a string; `None` for every other value.
    pub fn as_str(self) -> Option<&'d str> {
        match self.node() {
            Node::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The elements, in order; empty unless the value is a list.
    #[inline]
    pub fn items(self) -> ElementIter<'d> {
        let raw = self.document.tree.raw(self.index);
        let left = if raw.tag == NodeTag::List { raw.payload[0] } else { 0 };
        ElementIter(NodeWalk { document: self.document, next: self.index + 1, left })
    }

    /// The members as key and value, in document order; empty unless the value is an object.
    ///
    /// A key is a string value of its own, so `key.place()` is where the name is written.
    #[inline]
    pub fn members(self) -> SourceMembers<'d> {
        let raw = self.document.tree.raw(self.index);
        let left =
            if matches!(raw.tag, NodeTag::Object | NodeTag::IndexedObject) { raw.payload[0] } else { 0 };
        SourceMembers(NodeWalk { document: self.document, next: self.index + 1, left })
    }

    /// The element at a position; at once when no element of the list is a container.
    pub fn item(self, index: usize) -> Option<SourceValue<'d>> {
        let raw = self.document.tree.raw(self.index);
        let [count, end] = raw.payload;
        if raw.tag != NodeTag::List || index >= count as usize {
            return None;
        }
        if end - self.index - 1 == count {
            return Some(SourceValue::new(self.document, self.index + 1 + index as u32));
        }
        self.items().nth(index)
    }

    /// The value of the member with a name.
    pub fn member(self, name: &str) -> Option<SourceValue<'d>> {
        self.member_with_key(name).map(|(_, value)| value)
    }

    /// The member with a name: its key, which knows where it is written, and its value.
    pub fn member_with_key(self, name: &str) -> Option<(SourceValue<'d>, SourceValue<'d>)> {
        let key = self.document.tree.find_key(&self.document.text, self.index, name)?;
        Some((SourceValue::new(self.document, key), SourceValue::new(self.document, key + 1)))
    }

    /// Where the value is written.
    #[inline]
    pub fn place(self) -> Span {
        self.document.place(self.document.tree.raw(self.index))
    }

    /// The value exactly as it is written.
    pub fn source(self) -> &'d str {
        let place = self.place();
        self.document.text.get(place.start as usize..place.end as usize).unwrap_or_default()
    }
}

impl<'d> View<'d> for SourceValue<'d> {
    type Key = SourceValue<'d>;
    type Items = ElementIter<'d>;
    type Members = SourceMembers<'d>;

    #[inline(always)]
    fn node(self) -> Node<'d> {
        SourceValue::node(self)
    }

    #[inline]
    fn items(self) -> ElementIter<'d> {
        SourceValue::items(self)
    }

    #[inline]
    fn members(self) -> SourceMembers<'d> {
        SourceValue::members(self)
    }

    fn item(self, index: usize) -> Option<SourceValue<'d>> {
        SourceValue::item(self, index)
    }

    fn member(self, name: &str) -> Option<SourceValue<'d>> {
        SourceValue::member(self, name)
    }

    // Without the look for character boundaries that text takes.
    #[inline(always)]
    fn text_bytes(self) -> Option<&'d [u8]> {
        let tree = &self.document.tree;
        let raw = tree.raw(self.index);
        match raw.tag {
            NodeTag::Text | NodeTag::DecodedText => Some(tree.text_bytes(&self.document.text, raw)),
            _ => None,
        }
    }

    #[inline(always)]
    fn nearest(self) -> Option<f64> {
        let raw = self.document.tree.raw(self.index);
        matches!(raw.tag, NodeTag::NearDecimal | NodeTag::NearWhole).then(|| f64::from_bits(raw.bits()))
    }

    #[inline(always)]
    fn is_whole(self) -> bool {
        self.document.tree.raw(self.index).tag == NodeTag::NearWhole
    }

    fn place(self) -> Option<Span> {
        Some(SourceValue::place(self))
    }
}

impl fmt::Debug for SourceValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The nodes of a container that are still to come.
#[derive(Clone, Debug)]
struct NodeWalk<'d> {
    document: &'d Document,
    next: u32,
    left: u32,
}

impl<'d> NodeWalk<'d> {
    /// Steps over an element, or over a member of which the value is `width - 1` nodes behind the key.
    #[inline]
    fn step(&mut self, width: u32) -> Option<SourceValue<'d>> {
        self.left = self.left.checked_sub(1)?;
        let found = self.next + width - 1;
        self.next = self.document.tree.after(found);
        Some(SourceValue::new(self.document, found))
    }
}

/// Iterates over the elements of a list.
#[derive(Clone, Debug)]
pub struct ElementIter<'d>(NodeWalk<'d>);

impl<'d> Iterator for ElementIter<'d> {
    type Item = SourceValue<'d>;

    #[inline]
    fn next(&mut self) -> Option<SourceValue<'d>> {
        self.0.step(1)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.left as usize, Some(self.0.left as usize))
    }
}

impl ExactSizeIterator for ElementIter<'_> {}
impl FusedIterator for ElementIter<'_> {}

/// Iterates over the members of an object as key and value.
#[derive(Clone, Debug)]
pub struct SourceMembers<'d>(NodeWalk<'d>);

impl<'d> Iterator for SourceMembers<'d> {
    type Item = (SourceValue<'d>, SourceValue<'d>);

    #[inline]
    fn next(&mut self) -> Option<(SourceValue<'d>, SourceValue<'d>)> {
        let value = self.0.step(2)?;
        Some((SourceValue::new(value.document, value.index - 1), value))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.left as usize, Some(self.0.left as usize))
    }
}

impl ExactSizeIterator for SourceMembers<'_> {}
impl FusedIterator for SourceMembers<'_> {}
