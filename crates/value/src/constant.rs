//! Values that a contract itself holds: operands, defaults, members of a set.

use std::fmt;

use smol_str::SmolStr;

use crate::view::{Node, View};

/// An owned value. A reference to one is a [`View`], so constants are checked like any other value.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// JSON's `null`, and the empty value of YAML.
    Null,
    /// `true` or `false`; no other value stands for one.
    Bool(bool),
    /// An integer from `i64::MIN` to `i64::MAX`.
    Int(i64),
    /// An integer above `i64::MAX`.
    UInt(u64),
    /// A double; it means the shortest decimal that reads back as it.
    Float(f64),
    /// A decimal literal in JSON syntax that no 64-bit number holds exactly.
    Decimal(Box<str>),
    /// Unicode text; short ones, as members of a set mostly are, take no memory besides.
    Text(SmolStr),
    /// Bytes that need not be text; JSON and YAML have none.
    Bytes(Box<[u8]>),
    /// A list of values.
    List(Vec<Constant>),
    /// Members in order; keys are values, because a map may be keyed by anything.
    Object(Vec<(Constant, Constant)>),
}

impl Constant {
    /// Copies a value out of its document.
    ///
    /// Only for values that must outlive it: defaults, operands, arguments a host wants to keep.
    /// Returns `None` below `depth` levels of nesting, and where a part is not known.
    pub fn copy<'v, V: View<'v>>(value: V, depth: usize) -> Option<Constant> {
        let below = depth.checked_sub(1);
        Some(match value.node() {
            Node::Unknown => return None,
            Node::Null => Constant::Null,
            Node::Bool(it) => Constant::Bool(it),
            Node::Int(it) => Constant::Int(it),
            Node::UInt(it) => Constant::UInt(it),
            Node::Float(it) => Constant::Float(it),
            Node::Decimal(it) => Constant::Decimal(it.into()),
            Node::Text(it) => Constant::Text(it.into()),
            Node::Bytes(it) => Constant::Bytes(it.into()),
            Node::List(_) => {
                let below = below?;
                Constant::List(value.items().map(|item| Constant::copy(item, below)).collect::<Option<_>>()?)
            }
            Node::Object(_) => {
                let below = below?;
                Constant::Object(
                    value
                        .members()
                        .map(|(key, value)| {
                            Some((Constant::copy(key, below)?, Constant::copy(value, below)?))
                        })
                        .collect::<Option<_>>()?,
                )
            }
        })
    }

    /// Copies text into a constant; up to 23 bytes take no memory besides.
    pub fn text(text: &str) -> Constant {
        Constant::Text(text.into())
    }
}

macro_rules! constant_from {
    ($($from:ty => $variant:ident),* $(,)?) => {$(
        impl From<$from> for Constant {
            fn from(value: $from) -> Constant {
                Constant::$variant(value.into())
            }
        }
    )*};
}

constant_from! {
    bool => Bool,
    i8 => Int,
    i16 => Int,
    i32 => Int,
    i64 => Int,
    f64 => Float,
    &str => Text,
    String => Text,
}

impl<'v> View<'v> for &'v Constant {
    type Key = &'v Constant;
    type Items = std::slice::Iter<'v, Constant>;
    type Members = ConstantMembers<'v>;

    fn node(self) -> Node<'v> {
        match self {
            Constant::Null => Node::Null,
            Constant::Bool(it) => Node::Bool(*it),
            Constant::Int(it) => Node::Int(*it),
            Constant::UInt(it) => Node::UInt(*it),
            Constant::Float(it) => Node::Float(*it),
            Constant::Decimal(it) => Node::Decimal(it),
            Constant::Text(it) => Node::Text(it),
            Constant::Bytes(it) => Node::Bytes(it),
            Constant::List(items) => Node::List(items.len()),
            Constant::Object(members) => Node::Object(members.len()),
        }
    }

    fn items(self) -> Self::Items {
        match self {
            Constant::List(items) => items.iter(),
            _ => [].iter(),
        }
    }

    fn members(self) -> Self::Members {
        match self {
            Constant::Object(members) => ConstantMembers(members.iter()),
            _ => ConstantMembers([].iter()),
        }
    }
}

/// Iterates over the members of an object constant.
#[derive(Clone, Debug)]
pub struct ConstantMembers<'v>(std::slice::Iter<'v, (Constant, Constant)>);

impl<'v> Iterator for ConstantMembers<'v> {
    type Item = (&'v Constant, &'v Constant);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(key, value)| (key, value))
    }
}

/// Writes the constant as compact JSON.
impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::show::write_whole(f, self)
    }
}
