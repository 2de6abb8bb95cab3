//! Deep equality.

use contract::number::Number;

use super::{Object, Value};

/// Tells whether two values are equal.
///
/// Text is compared by its code points, numbers by value (`1` is `1.0`), arrays in order, and objects by their
/// members in any order, of which the names may differ by case.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Text(a), Value::Text(b)) => a == b,
        (Value::Array(a), Value::Array(b)) => {
            std::sync::Arc::ptr_eq(a, b)
                || a.depth == b.depth
                    && a.items.len() == b.items.len()
                    && a.items.iter().zip(&b.items).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => std::sync::Arc::ptr_eq(a, b) || same_objects(a, b),
        _ => match (number(a), number(b)) {
            (Some(a), Some(b)) => a == b,
            _ => false,
        },
    }
}

fn same_objects(a: &Object, b: &Object) -> bool {
    a.len() == b.len() && a.iter().all(|(name, value)| b.get(name).is_some_and(|other| same(value, other)))
}

fn number(value: &Value) -> Option<Number<'_>> {
    match value {
        Value::Int(value) => Some(Number::Int(*value)),
        Value::Float(value) => Some(Number::Float(*value)),
        Value::Long(digits) => Number::parse(digits),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn compare(a: Value, b: Value, expected: bool) {
        assert_eq!(same(&a, &b), expected, "{a:?} {b:?}");
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
        compare(Value::Long("9223372036854775808".into()), Value::Int(i64::MAX), false);
        compare(Value::Long("9223372036854775808".into()), Value::Long("9223372036854775808".into()), true);
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
