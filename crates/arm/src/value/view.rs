//! The view that contracts are checked through.

use std::slice;

use contract::{MASK, Node, View};
use smol_str::SmolStr;

use super::Value;

/// A copyable handle on a value or on a member's name, for contracts and for the writer.
#[derive(Clone, Copy)]
pub enum ValueView<'v> {
    /// A value.
    Value(&'v Value),
    /// The name of a member.
    Name(&'v str),
}

/// The elements of an array as views.
#[derive(Clone)]
pub struct Items<'v>(slice::Iter<'v, Value>);

/// The members of an object as views.
#[derive(Clone)]
pub struct Members<'v>(slice::Iter<'v, (SmolStr, Value)>);

impl Value {
    /// The value as contracts and writers see it: a secret is a mask. Check `value.expose().view()` against the
    /// contract of a secret.
    pub fn view(&self) -> ValueView<'_> {
        ValueView::Value(self)
    }
}

impl<'v> View<'v> for ValueView<'v> {
    type Key = ValueView<'v>;
    type Items = Items<'v>;
    type Members = Members<'v>;

    fn node(self) -> Node<'v> {
        match self {
            ValueView::Name(name) => Node::Text(name),
            ValueView::Value(value) => match value {
                Value::Null => Node::Null,
                Value::Bool(value) => Node::Bool(*value),
                Value::Int(value) => Node::Int(*value),
                Value::Float(value) => Node::Float(*value),
                Value::Long(digits) => match digits.parse() {
                    Ok(value) => Node::UInt(value),
                    Err(_) => Node::Decimal(digits),
                },
                Value::Text(text) => Node::Text(text),
                Value::Array(list) => Node::List(list.items.len()),
                Value::Object(object) => Node::Object(object.len()),
                Value::Secret(_) => Node::Text(MASK),
                Value::Unknown(_) => Node::Null,
            },
        }
    }

    fn items(self) -> Items<'v> {
        match self {
            ValueView::Value(Value::Array(list)) => Items(list.items.iter()),
            _ => Items([].iter()),
        }
    }

    fn members(self) -> Members<'v> {
        match self {
            ValueView::Value(Value::Object(object)) => Members(object.iter()),
            _ => Members([].iter()),
        }
    }

    fn item(self, index: usize) -> Option<ValueView<'v>> {
        match self {
            ValueView::Value(Value::Array(list)) => list.items.get(index).map(ValueView::Value),
            _ => None,
        }
    }

    /// Names in templates do not depend on case.
    fn member(self, name: &str) -> Option<ValueView<'v>> {
        match self {
            ValueView::Value(Value::Object(object)) => object.get(name).map(ValueView::Value),
            _ => None,
        }
    }
}

impl std::fmt::Debug for ValueView<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ValueView::Value(value) => value.fmt(f),
            ValueView::Name(name) => name.fmt(f),
        }
    }
}

impl<'v> Iterator for Items<'v> {
    type Item = ValueView<'v>;

    fn next(&mut self) -> Option<ValueView<'v>> {
        self.0.next().map(ValueView::Value)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<'v> Iterator for Members<'v> {
    type Item = (ValueView<'v>, ValueView<'v>);

    fn next(&mut self) -> Option<(ValueView<'v>, ValueView<'v>)> {
        self.0.next().map(|(name, value)| (ValueView::Name(name), ValueView::Value(value)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}
