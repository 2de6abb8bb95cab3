//! Values from documents, or from anything else that has a view.

use contract::{Node, View};
use document::{Document, FileId, JsonOptions, ReadLimits};

use super::{MAX_DEPTH, ObjectBuilder, Value};

/// Says that a value nests deeper than [`MAX_DEPTH`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the value nests more than {MAX_DEPTH} levels deep")]
pub struct TooDeep;

impl Value {
    /// Copies a value out of a document.
    ///
    /// No number is rounded: what neither 64 signed bits nor a double hold exactly stays as it was written.
    pub fn from_view<'v, V: View<'v>>(view: V) -> Result<Value, TooDeep> {
        copy(view, MAX_DEPTH)
    }

    /// Reads a text as `json()` does; the error says what is wrong with it.
    pub(crate) fn from_json(text: &str) -> Result<Value, String> {
        let document =
            Document::from_json_with(text, FileId::FIRST, &ReadLimits::DEFAULT, JsonOptions::TEMPLATE);
        let document = document.map_err(|error| error.to_string())?;
        Value::from_view(document.root()).map_err(|error| error.to_string())
    }

    /// The same as [`Value::from_view`] for what was written by the engine itself: a value of its own stands inside of a record or of a template.
    pub fn from_record<'v, V: View<'v>>(view: V) -> Result<Value, TooDeep> {
        copy(view, 2 * MAX_DEPTH)
    }
}

/// `left` is how many levels there may still be.
fn copy<'v, V: View<'v>>(view: V, left: usize) -> Result<Value, TooDeep> {
    let inside = |view: V| copy(view, left.checked_sub(1).ok_or(TooDeep)?);
    Ok(match view.node() {
        Node::Null => Value::Null,
        Node::Bool(value) => Value::Bool(value),
        Node::Int(value) => Value::Int(value),
        Node::UInt(value) => Value::Decimal(value.to_string().into()),
        Node::Float(value) => Value::Float(value),
        Node::Decimal(literal) => Value::Decimal(literal.into()),
        Node::Text(text) => Value::Text(text.into()),
        // Only values of the engine itself are not known in part, and they are not copied.
        Node::Unknown => return Err(TooDeep),
        // No document that the engine reads has bytes; a view that has is a text to it.
        Node::Bytes(bytes) => Value::Text(String::from_utf8_lossy(bytes).as_ref().into()),
        Node::List(_) => {
            let items = view.items().map(inside);
            Value::array(items.collect::<Result<_, _>>()?)
        }
        Node::Object(_) => {
            let mut object = ObjectBuilder::default();
            for (key, value) in view.members() {
                let Node::Text(name) = key.node() else { continue };
                object.insert(name.into(), inside(value)?);
            }
            object.finish()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn reads(json: &str, expected: &str) {
        let document = Document::from_json(json, FileId::FIRST, &ReadLimits::DEFAULT).unwrap();
        assert_eq!(Value::from_view(document.root()).unwrap().to_json(), expected);
    }

    #[test]
    fn documents_keep_their_order_and_their_long_integers() {
        reads(r#"{"b": [1, -2], "a": {"x": null, "X": true}}"#, r#"{"b":[1,-2],"a":{"x":null,"X":true}}"#);
        reads("[18446744073709551615, -9223372036854775809]", "[18446744073709551615,-9223372036854775809]");
        reads("[1.50, 1e3, 0.12345678901234567890]", "[1.5,1000.0,0.12345678901234567890]");
    }

    #[test]
    fn a_value_that_nests_too_deep_is_refused() {
        let limits = ReadLimits { depth: 10_000, ..ReadLimits::DEFAULT };
        let text = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        let read = |depth| Document::from_json(text(depth).as_str(), FileId::FIRST, &limits).unwrap();
        assert!(Value::from_view(read(MAX_DEPTH).root()).is_ok());
        assert_eq!(Value::from_view(read(5_000).root()).err(), Some(TooDeep));
    }
}
