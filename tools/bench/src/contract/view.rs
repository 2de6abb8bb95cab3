//! A view on `serde_json::Value`, so that both engines check the very same document in memory.

use std::hint::black_box;

use contract::{Node, View};
use serde_json::Value;

/// A value of `serde_json`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Json<'v>(pub(crate) &'v Value);

impl<'v> View<'v> for Json<'v> {
    type Key = Name<'v>;
    type Items = Items<'v>;
    type Members = Members<'v>;

    // Inlined for certain, so that a `match` on the node becomes one on the value.
    #[inline(always)]
    fn node(self) -> Node<'v> {
        match self.0 {
            Value::Null => Node::Null,
            Value::Bool(it) => Node::Bool(*it),
            Value::Number(number) => match number.as_i64() {
                Some(integer) => Node::Int(integer),
                None => match number.as_u64() {
                    Some(integer) => Node::UInt(integer),
                    None => Node::Float(number.as_f64().unwrap_or(f64::NAN)),
                },
            },
            Value::String(text) => Node::Text(text),
            Value::Array(items) => Node::List(items.len()),
            Value::Object(members) => Node::Object(members.len()),
        }
    }

    #[inline(always)]
    fn soon(self) {
        // Members are on the heap. Nothing waits for what is read here, so that several reads go on at once.
        if let Value::Object(members) = self.0 {
            black_box(members.iter().next().map_or(0, |(name, _)| name.len()));
        }
    }

    #[inline]
    fn items(self) -> Items<'v> {
        Items(self.0.as_array().map(Vec::as_slice).unwrap_or_default().iter())
    }

    #[inline]
    fn members(self) -> Members<'v> {
        Members(self.0.as_object().map(serde_json::Map::iter))
    }

    #[inline]
    fn item(self, index: usize) -> Option<Self> {
        self.0.get(index).map(Json)
    }

    #[inline]
    fn member(self, name: &str) -> Option<Self> {
        self.0.as_object()?.get(name).map(Json)
    }
}

/// The elements of an array.
#[derive(Debug)]
pub(crate) struct Items<'v>(std::slice::Iter<'v, Value>);

impl<'v> Iterator for Items<'v> {
    type Item = Json<'v>;

    #[inline]
    fn next(&mut self) -> Option<Json<'v>> {
        self.0.next().map(Json)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

/// The members of an object.
#[derive(Debug)]
pub(crate) struct Members<'v>(Option<serde_json::map::Iter<'v>>);

impl<'v> Iterator for Members<'v> {
    type Item = (Name<'v>, Json<'v>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.0.as_mut()?.next().map(|(name, value)| (Name(name), Json(value)))
    }
}

/// The name of a member.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'v>(&'v str);

impl<'v> View<'v> for Name<'v> {
    type Key = Name<'v>;
    type Items = std::iter::Empty<Name<'v>>;
    type Members = std::iter::Empty<(Name<'v>, Name<'v>)>;

    #[inline]
    fn node(self) -> Node<'v> {
        Node::Text(self.0)
    }

    fn items(self) -> Self::Items {
        std::iter::empty()
    }

    fn members(self) -> Self::Members {
        std::iter::empty()
    }
}
