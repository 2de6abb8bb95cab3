//! Deep equality, and the sets that functions such as `union` need.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use contract::number::Number;

use super::folded;
use super::{Object, Value};

/// Tells whether two values are equal.
///
/// Text is compared by its code points, numbers by value (`1` is `1.0`), arrays in order, and objects by their
/// members in any order, of which the names may differ by case.
pub(crate) fn values_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Text(a), Value::Text(b)) => a == b,
        (Value::Array(a), Value::Array(b)) => {
            std::sync::Arc::ptr_eq(a, b)
                || a.extent.depth == b.extent.depth
                    && a.items.len() == b.items.len()
                    && a.items.iter().zip(&b.items).all(|(a, b)| values_equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => std::sync::Arc::ptr_eq(a, b) || same_objects(a, b),
        (Value::Secret(_), _) | (_, Value::Secret(_)) => values_equal(a.plain(), b.plain()),
        (Value::Unknown(a), Value::Unknown(b)) => a == b,
        _ => match (number(a), number(b)) {
            (Some(a), Some(b)) => a == b,
            _ => false,
        },
    }
}

fn same_objects(a: &Object, b: &Object) -> bool {
    a.len() == b.len()
        && a.iter().all(|(name, value)| b.get(name).is_some_and(|other| values_equal(value, other)))
}

fn number(value: &Value) -> Option<Number<'_>> {
    match value {
        Value::Int(value) => Some(Number::Int(*value)),
        Value::Float(value) => Some(Number::Float(*value)),
        Value::Decimal(digits) => Number::parse(digits),
        _ => None,
    }
}

/// Feeds a value to a hasher; values that are [`same`] feed the same.
fn hash(value: &Value, state: &mut DefaultHasher) {
    match value {
        Value::Null => state.write_u8(0),
        Value::Bool(value) => state.write_u8(1 + u8::from(*value)),
        Value::Int(_) | Value::Float(_) | Value::Decimal(_) => {
            state.write_u8(3);
            if let Some(number) = number(value) {
                number.hash_into(state);
            }
        }
        Value::Text(text) => {
            state.write_u8(4);
            text.hash(state);
        }
        Value::Array(list) => {
            state.write_u8(5);
            state.write_usize(list.items.len());
            list.items.iter().for_each(|item| hash(item, state));
        }
        Value::Object(object) => {
            state.write_u8(6);
            // A sum does not depend on the order of the members.
            let members = object.iter().map(|(name, value)| {
                let mut inner = DefaultHasher::new();
                folded(name).hash(&mut inner);
                hash(value, &mut inner);
                inner.finish()
            });
            state.write_u64(members.fold(0, u64::wrapping_add));
        }
        Value::Secret(inner) => hash(inner, state),
        Value::Unknown(_) => state.write_u8(7),
    }
}

/// A set of values by [`same`].
#[derive(Default)]
pub(crate) struct Distinct<'v>(HashMap<u64, Vec<&'v Value>>);

impl<'v> Distinct<'v> {
    /// Adds a value; tells whether it was not there before.
    pub(crate) fn insert(&mut self, value: &'v Value) -> bool {
        let bucket = self.0.entry(key(value)).or_default();
        if bucket.iter().any(|other| values_equal(value, other)) {
            return false;
        }
        bucket.push(value);
        true
    }

    /// Tells whether a value is in the set.
    pub(crate) fn contains(&self, value: &Value) -> bool {
        self.0.get(&key(value)).is_some_and(|bucket| bucket.iter().any(|other| values_equal(value, other)))
    }
}

impl<'v> FromIterator<&'v Value> for Distinct<'v> {
    fn from_iter<I: IntoIterator<Item = &'v Value>>(values: I) -> Distinct<'v> {
        let mut set = Distinct::default();
        for value in values {
            set.insert(value);
        }
        set
    }
}

fn key(value: &Value) -> u64 {
    let mut state = DefaultHasher::new();
    hash(value, &mut state);
    state.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn compare(a: Value, b: Value, expected: bool) {
        assert_eq!(values_equal(&a, &b), expected, "{a:?} {b:?}");
        let set: Distinct<'_> = [&a].into_iter().collect();
        assert_eq!(set.contains(&b), expected, "{a:?} {b:?} by hash");
    }

    #[test]
    fn text_is_equal_by_case_and_kind() {
        compare("a".into(), "a".into(), true);
        compare("a".into(), "A".into(), false);
        compare("1".into(), Value::Int(1), false);
        compare(Value::Null, Value::Bool(false), false);
    }

    #[test]
    fn numbers_are_equal_by_value() {
        compare(Value::Int(1), Value::Float(1.0), true);
        compare(Value::Float(0.1), Value::Float(0.1), true);
        compare(Value::Decimal("9223372036854775808".into()), Value::Int(i64::MAX), false);
        compare(
            Value::Decimal("9223372036854775808".into()),
            Value::Decimal("9223372036854775808".into()),
            true,
        );
    }

    #[test]
    fn members_are_equal_in_any_order_and_by_any_case() {
        let a = Value::object([("a", Value::Int(1)), ("b", Value::Null)]);
        let b = Value::object([("B", Value::Null), ("A", Value::Int(1))]);
        compare(a.clone(), b.clone(), true);
        compare(Value::array(vec![a.clone()]), Value::array(vec![b]), true);
        compare(a, Value::object([("a", Value::Int(1)), ("c", Value::Null)]), false);
    }
}
