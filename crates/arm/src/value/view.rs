//! The view that contracts are checked through.

use std::any::Any;
use std::slice;

use contract::{MASK, Node, View};
use smol_str::SmolStr;

use super::Value;

/// A copyable handle on a value or on a member's name, for contracts and for the writer.
#[derive(Clone, Copy)]
pub enum ValueView<'v> {
    /// A value, whose secrets are masks.
    Value(&'v Value),
    /// A value with its secrets, for those who check it and do not print it.
    Exposed(&'v Value),
    /// The name of a member.
    Name(&'v str),
}

/// The elements of an array as views.
#[derive(Clone)]
pub struct ElementViews<'v>(slice::Iter<'v, Value>, Wrap);

/// The members of an object as views.
#[derive(Clone)]
pub struct MemberViews<'v>(slice::Iter<'v, (SmolStr, Value)>, Wrap);

/// How the parts of a value are seen.
type Wrap = for<'v> fn(&'v Value) -> ValueView<'v>;

fn masked(value: &Value) -> ValueView<'_> {
    ValueView::Value(value)
}

fn exposed(value: &Value) -> ValueView<'_> {
    ValueView::Exposed(value)
}

impl Value {
    /// The value as contracts and writers see it: a secret is a mask. Check `value.expose().view()` against the
    /// contract of a secret.
    pub fn view(&self) -> ValueView<'_> {
        ValueView::Value(self)
    }

    /// The value as contracts see it, secrets and all; nothing is copied for it.
    pub fn exposed(&self) -> ValueView<'_> {
        ValueView::Exposed(self)
    }
}

impl<'v> ValueView<'v> {
    /// What is looked at, and how its parts are seen.
    fn content(self) -> Option<(&'v Value, Wrap)> {
        match self {
            ValueView::Value(value) => Some((value, masked)),
            ValueView::Exposed(value) => Some((value.plain(), exposed)),
            ValueView::Name(_) => None,
        }
    }
}

impl<'v> View<'v> for ValueView<'v> {
    type Key = ValueView<'v>;
    type Items = ElementViews<'v>;
    type Members = MemberViews<'v>;

    fn node(self) -> Node<'v> {
        let value = match self {
            ValueView::Name(name) => return Node::Text(name),
            ValueView::Value(value) => value,
            ValueView::Exposed(value) => value.plain(),
        };
        match value {
            Value::Null => Node::Null,
            Value::Bool(value) => Node::Bool(*value),
            Value::Int(value) => Node::Int(*value),
            Value::Float(value) => Node::Float(*value),
            Value::Decimal(digits) => match digits.parse() {
                Ok(value) => Node::UInt(value),
                Err(_) => Node::Decimal(digits),
            },
            Value::Text(text) => Node::Text(text),
            Value::Array(list) => Node::List(list.items.len()),
            Value::Object(object) => Node::Object(object.len()),
            Value::Secret(_) => Node::Text(MASK),
            Value::Unknown(_) => Node::Unknown,
        }
    }

    fn items(self) -> ElementViews<'v> {
        match self.content() {
            Some((Value::Array(list), wrap)) => ElementViews(list.items.iter(), wrap),
            _ => ElementViews([].iter(), masked),
        }
    }

    fn members(self) -> MemberViews<'v> {
        match self.content() {
            Some((Value::Object(object), wrap)) => MemberViews(object.iter(), wrap),
            _ => MemberViews([].iter(), masked),
        }
    }

    fn item(self, index: usize) -> Option<ValueView<'v>> {
        match self.content()? {
            (Value::Array(list), wrap) => list.items.get(index).map(wrap),
            _ => None,
        }
    }

    /// Names in templates do not depend on case.
    fn member(self, name: &str) -> Option<ValueView<'v>> {
        match self.content()? {
            (Value::Object(object), wrap) => object.get(name).map(wrap),
            _ => None,
        }
    }

    fn has_unknown(self) -> bool {
        match self {
            ValueView::Value(value) | ValueView::Exposed(value) => value.has_unknown(),
            ValueView::Name(_) => false,
        }
    }

    fn original(self) -> Option<&'v dyn Any> {
        match self {
            ValueView::Value(value) | ValueView::Exposed(value) => Some(value),
            ValueView::Name(_) => None,
        }
    }
}

impl std::fmt::Debug for ValueView<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ValueView::Value(value) | ValueView::Exposed(value) => value.fmt(f),
            ValueView::Name(name) => name.fmt(f),
        }
    }
}

impl<'v> Iterator for ElementViews<'v> {
    type Item = ValueView<'v>;

    fn next(&mut self) -> Option<ValueView<'v>> {
        self.0.next().map(self.1)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<'v> Iterator for MemberViews<'v> {
    type Item = (ValueView<'v>, ValueView<'v>);

    fn next(&mut self) -> Option<(ValueView<'v>, ValueView<'v>)> {
        self.0.next().map(|(name, value)| (ValueView::Name(name), (self.1)(value)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}
