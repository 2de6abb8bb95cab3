//! What a value looks like to the checker.
//!
//! A contract never asks for a document model of its own: whoever owns a value (a JSON document, the
//! template engine, raw Thrift bytes) implements [`View`] on a small copyable handle, and checking reads
//! through it without building anything.

use std::any::Any;
use std::fmt;

use diagnostics::Span;

use crate::ValueKind;

/// One value as a rule sees it: a scalar with its content, or a container with its size.
///
/// Numbers keep what was written. An integer that fits 64 bits is [`Int`](Node::Int) or, above
/// `i64::MAX`, [`UInt`](Node::UInt). [`Float`](Node::Float) means the shortest decimal that reads back as
/// that double. A literal that neither can hold exactly is [`Decimal`](Node::Decimal), its own text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Node<'v> {
    /// `null`: a value is there, and says nothing.
    Null,
    /// `true` or `false`; no other value stands for one.
    Bool(bool),
    /// An integer from `i64::MIN` to `i64::MAX`.
    Int(i64),
    /// An integer above `i64::MAX`.
    UInt(u64),
    /// A double; may be NaN or infinite where the source format allows it.
    Float(f64),
    /// A decimal literal in JSON syntax that no 64-bit number holds exactly.
    Decimal(&'v str),
    /// Unicode text, escapes decoded.
    Text(&'v str),
    /// Bytes that need not be text.
    Bytes(&'v [u8]),
    /// A list or set, with its number of elements.
    List(usize),
    /// An object or map, with its number of members.
    Object(usize),
    /// A value that is not there yet, and of which nothing is known.
    Unknown,
}

impl Node<'_> {
    /// Returns which kind of value this is.
    pub fn kind(&self) -> ValueKind {
        match self {
            Node::Null => ValueKind::Null,
            Node::Bool(_) => ValueKind::Bool,
            Node::Int(_) | Node::UInt(_) => ValueKind::Int,
            Node::Float(_) | Node::Decimal(_) => ValueKind::Float,
            Node::Text(_) => ValueKind::Text,
            Node::Bytes(_) => ValueKind::Bytes,
            Node::List(_) => ValueKind::List,
            Node::Object(_) => ValueKind::Object,
            Node::Unknown => ValueKind::Unknown,
        }
    }
}

/// A copyable handle on one value inside a document that lives as long as `'v`.
pub trait View<'v>: Copy + fmt::Debug {
    /// The view of a member's key. Text for JSON; anything at all for a Thrift map.
    type Key: View<'v, Key = Self::Key>;
    /// Iterates over the elements of a list.
    type Items: Iterator<Item = Self>;
    /// Iterates over the members of an object or map, in document order.
    type Members: Iterator<Item = (Self::Key, Self)>;

    /// Reads the value itself.
    fn node(self) -> Node<'v>;

    /// The elements, in order; empty unless the node is a list.
    fn items(self) -> Self::Items;

    /// The members, in document order; empty unless the node is an object.
    fn members(self) -> Self::Members;

    /// The element at a position.
    fn item(self, index: usize) -> Option<Self> {
        self.items().nth(index)
    }

    /// The member with a text key.
    fn member(self, name: &str) -> Option<Self> {
        self.members()
            .find(|(key, _)| matches!(key.node(), Node::Text(text) if text == name))
            .map(|(_, value)| value)
    }

    /// The bytes of text; `None` for every other kind. For those who need not know that they are UTF-8.
    #[inline]
    fn text_bytes(self) -> Option<&'v [u8]> {
        match self.node() {
            Node::Text(text) => Some(text.as_bytes()),
            _ => None,
        }
    }

    /// The double nearest to a number that is its own text, where it is known; infinite beyond the range of doubles.
    ///
    /// Most comparisons are settled by it, without a look at the text.
    #[inline(always)]
    fn nearest(self) -> Option<f64> {
        None
    }

    /// Whether the value is a number that is its own text and is known to be whole; `false` says nothing.
    #[inline(always)]
    fn is_whole(self) -> bool {
        false
    }

    /// Says that the parts of the value will be looked at soon, before those of others are.
    ///
    /// Whoever keeps parts where memory must fetch them can begin with that here; nobody needs to. On trees of
    /// `serde_json`, whose objects are nodes on the heap, it is worth a tenth.
    #[inline(always)]
    fn soon(self) {}

    /// Whether the value, or a part of it, is not known yet. Whoever has such values must say so here: a checker looks for them only then.
    #[inline(always)]
    fn has_unknown(self) -> bool {
        false
    }

    /// The value as its owner has it, for hosts of the same language, which then need no copy.
    fn original(self) -> Option<&'v dyn Any> {
        None
    }

    /// Where the value stands in its source, if it has one.
    fn place(self) -> Option<Span> {
        None
    }
}

/// A scalar stands for itself; a container is known by its size alone, and has no parts to look at.
impl<'v> View<'v> for Node<'v> {
    type Key = Node<'v>;
    type Items = std::iter::Empty<Node<'v>>;
    type Members = std::iter::Empty<(Node<'v>, Node<'v>)>;

    #[inline]
    fn node(self) -> Node<'v> {
        self
    }

    fn has_unknown(self) -> bool {
        self == Node::Unknown
    }

    fn items(self) -> Self::Items {
        std::iter::empty()
    }

    fn members(self) -> Self::Members {
        std::iter::empty()
    }
}
