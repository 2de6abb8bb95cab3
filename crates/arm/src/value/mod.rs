//! The engine's JSON value: ordered, cheap to clone, looked up without regard to case.
//!
//! Text up to 23 bytes lives inside the value, longer text and all containers are shared, so a clone never
//! copies content: `variables('x')` hands out the same tree to everyone who asks. Containers know how deep they
//! nest and how large they would be on paper, where every shared part counts each time: that is what keeps
//! whatever walks over values within its stack and its time.

mod convert;
mod equal;
mod fold;
mod largest;
mod merge;
pub(crate) mod names;
mod object;
mod secret;
mod view;

use std::fmt;
use std::sync::Arc;

use smol_str::SmolStr;

pub(crate) use ::value::case::fold_char;
pub use ::value::case::{Caseless, folded};
pub use convert::TooDeep;
pub(crate) use equal::{Distinct, values_equal};
pub(crate) use fold::{compare_ordinal_ignoring_case, compare_words, equal_ignoring_case};
pub use object::{Object, ObjectBuilder};
pub use view::{ElementViews, MemberViews, ValueView};

use crate::template_text;

/// The most containers that may stand inside each other in one value.
pub const MAX_DEPTH: usize = 512;

/// How many bytes a value takes by itself; shorter texts stand inside of it.
const SCALAR: u64 = 24;
/// How many bytes a number or a word has in JSON, about.
const LITERAL: u64 = 6;
/// What an array takes beside its items, and an object beside its members: itself, and room for more of them.
const ARRAY: u64 = 104;
const OBJECT: u64 = 256;

/// One JSON value as template expressions see it.
#[derive(Clone)]
pub enum Value {
    /// JSON's `null`, which is also what a missing value is compared with.
    Null,
    /// `true` or `false`; no other value counts as one.
    Bool(bool),
    /// An integer: what all arithmetic works with.
    Int(i64),
    /// A number with a fraction or an exponent; carried along, never calculated with.
    Float(f64),
    /// A number that neither 64 signed bits nor a double hold exactly, as it was written; carried along like a fraction.
    Decimal(Arc<str>),
    /// Unicode text, escapes decoded.
    Text(SmolStr),
    /// A list, shared and not copied when it is cloned.
    Array(Arc<ArrayValue>),
    /// Members in the order in which they were written.
    Object(Arc<Object>),
    /// What only a provider or another deployment may read; see [`Value::expose`]. The content is plain.
    Secret(Arc<Value>),
    /// What an expression will give. Only functions that are being evaluated see it: it stands for a part of a
    /// container that is known otherwise.
    Unknown(Arc<crate::Expression>),
}

/// The elements of an array, and how deep they nest.
pub struct ArrayValue {
    items: Vec<Value>,
    extent: Extent,
}

/// How far a value goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    depth: u32,
    /// Whether there is a secret inside.
    secret: bool,
    /// Whether there is a part inside that is not known.
    unknown: bool,
    /// Whether there is a member inside that is null.
    nulls: bool,
    /// Whether there is an object inside with two members whose names differ by case only.
    twins: bool,
    /// Whether there is a number inside that no double comes near.
    beyond: bool,
    size: u64,
    /// Bytes of memory, and of JSON.
    bytes: u64,
    written: u64,
}

impl Extent {
    /// That of a value without parts.
    const SCALAR: Extent = Extent {
        depth: 0,
        secret: false,
        unknown: false,
        nulls: false,
        twins: false,
        beyond: false,
        size: 1,
        bytes: SCALAR,
        written: LITERAL,
    };

    /// That of a text, or of the name of a member.
    fn of_text(text: &str) -> Extent {
        let bytes = SCALAR + if text.len() < SCALAR as usize { 0 } else { text.len() as u64 };
        let written = text.len() as u64 + 3;
        Extent { size: 1 + text.len() as u64 / 16, bytes, written, ..Extent::SCALAR }
    }

    /// A container of parts that go so far, which takes some memory beside them.
    fn around(own: u64, parts: impl Iterator<Item = Extent>) -> Extent {
        let all = parts.fold(Extent::default(), |all, part| Extent {
            depth: all.depth.max(part.depth),
            secret: all.secret || part.secret,
            unknown: all.unknown || part.unknown,
            nulls: all.nulls || part.nulls,
            twins: all.twins || part.twins,
            beyond: all.beyond || part.beyond,
            size: all.size.saturating_add(part.size),
            bytes: all.bytes.saturating_add(part.bytes),
            written: all.written.saturating_add(part.written),
        });
        let bytes = all.bytes.saturating_add(own);
        let written = all.written.saturating_add(3);
        Extent { depth: all.depth + 1, size: all.size.saturating_add(1), bytes, written, ..all }
    }
}

impl Value {
    /// Makes a text value.
    pub fn text(text: impl Into<SmolStr>) -> Value {
        Value::Text(text.into())
    }

    /// Makes an array, with what is known of its items as a whole.
    pub fn array(items: Vec<Value>) -> Value {
        let extent = Extent::around(ARRAY, items.iter().map(Value::extent));
        Value::Array(Arc::new(ArrayValue { items, extent }))
    }

    /// Makes an object; of members with the same name, by whatever case, the last one's value is kept.
    pub fn object<K: Into<SmolStr>>(members: impl IntoIterator<Item = (K, Value)>) -> Value {
        let mut builder = ObjectBuilder::default();
        for (name, value) in members {
            builder.set(name.into(), value);
        }
        builder.finish()
    }

    /// How many containers stand inside each other: 0 for a scalar, 1 for `[]`.
    pub fn depth(&self) -> u32 {
        self.extent().depth
    }

    /// How many values there are inside, this one included; sixteen bytes of text count as one.
    pub fn size(&self) -> u64 {
        self.extent().size
    }

    /// About how many bytes of memory it takes, as if nothing in it were shared.
    pub fn bytes(&self) -> u64 {
        self.extent().bytes
    }

    /// About how many bytes of JSON it is.
    pub fn written(&self) -> u64 {
        self.extent().written
    }

    fn extent(&self) -> Extent {
        match self {
            Value::Array(list) => list.extent,
            Value::Object(object) => object.extent(),
            Value::Text(text) => Extent::of_text(text),
            Value::Secret(inner) => Extent { secret: true, ..inner.extent() },
            Value::Unknown(rest) => {
                let written = rest.written();
                Extent { unknown: true, bytes: SCALAR + written, written, ..Extent::SCALAR }
            }
            Value::Float(value) => Extent { beyond: !value.is_finite(), ..Extent::SCALAR },
            Value::Decimal(literal) => Extent {
                size: 1 + literal.len() as u64 / 16,
                bytes: SCALAR + literal.len() as u64,
                written: literal.len() as u64 + 1,
                beyond: is_beyond(literal),
                ..Extent::default()
            },
            Value::Null | Value::Bool(_) | Value::Int(_) => Extent::SCALAR,
        }
    }

    /// Tells whether there is a member inside that is null.
    pub(crate) fn has_null_member(&self) -> bool {
        self.extent().nulls
    }

    /// Tells whether there is a part inside that is not known.
    pub(crate) fn has_unknown(&self) -> bool {
        self.extent().unknown
    }

    /// Tells whether there is something inside that readers would not agree on: two members whose names differ by case only, or a number
    /// that no double comes near.
    pub fn is_ambiguous(&self) -> bool {
        let extent = self.extent();
        extent.twins || extent.beyond
    }

    /// Tells whether the value is closed to those who look at it: a secret, or not known.
    pub(crate) fn is_closed(&self) -> bool {
        matches!(self, Value::Secret(_) | Value::Unknown(_))
    }

    /// The kind in the word that messages use.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "bool",
            Value::Int(_) => "int",
            Value::Float(_) | Value::Decimal(_) => "number",
            Value::Text(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
            Value::Secret(inner) => inner.kind(),
            Value::Unknown(_) => "unknown",
        }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The elements of an array.
    pub fn as_array(&self) -> Option<&[Value]> {
        match self {
            Value::Array(list) => Some(&list.items),
            _ => None,
        }
    }

    /// The members of an object.
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Value::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Tells whether this is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// The value as compact JSON, as `string()` gives it; secrets are masked.
    pub fn to_json(&self) -> String {
        template_text::compact(self.view())
    }
}

/// Tells whether a number is beyond the range of doubles: too large for one, or so small that it would be zero.
fn is_beyond(literal: &str) -> bool {
    let digits = literal.split(['e', 'E']).next().unwrap_or_default();
    match literal.parse::<f64>() {
        Ok(0.0) => digits.bytes().any(|byte| matches!(byte, b'1'..=b'9')),
        Ok(nearest) => !nearest.is_finite(),
        Err(_) => true,
    }
}

impl ArrayValue {
    /// The elements of the array, in order.
    pub fn items(&self) -> &[Value] {
        &self.items
    }
}

impl PartialEq for Value {
    /// As `equals()` compares: by content, members in any order, text by its code points.
    fn eq(&self, other: &Value) -> bool {
        values_equal(self, other)
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_json())
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Int(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Value {
        Value::Text(value.into())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Value {
        Value::Text(value.into())
    }
}

impl From<Vec<Value>> for Value {
    fn from(items: Vec<Value>) -> Value {
        Value::array(items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_takes_twenty_four_bytes() {
        assert_eq!(size_of::<Value>(), 24);
    }

    #[test]
    fn depth_counts_containers() {
        assert_eq!(Value::Int(1).depth(), 0);
        assert_eq!(Value::array(vec![]).depth(), 1);
        let nested = Value::object([("a", Value::array(vec![Value::array(vec![]), Value::Null]))]);
        assert_eq!(nested.depth(), 3);
    }

    #[test]
    fn size_counts_every_part_each_time() {
        assert_eq!(Value::Null.size(), 1);
        assert_eq!(Value::from("x".repeat(32)).size(), 3);
        let mut value = Value::array(vec![Value::Int(1)]);
        for _ in 0..100 {
            value = Value::object([("a", value.clone()), ("b", value)]);
        }
        assert_eq!((value.depth(), value.size()), (101, u64::MAX));
    }
}
