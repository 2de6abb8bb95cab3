//! Comparisons.

use std::cmp::Ordering;

use super::arguments::article;
use super::{Arguments, Function, FunctionError, pure};
use crate::value::{Value, compare_words, values_equal};

pub(super) const FUNCTIONS: &[Function] = &[
    pure("equals", "first, second", equals, "Tells whether two values are equal."),
    pure("greater", "first, second", greater, "Tells whether the first is greater than the second."),
    pure(
        "greaterOrEquals",
        "first, second",
        greater_or_equals,
        "Tells whether the first is at least the second.",
    ),
    pure("less", "first, second", less, "Tells whether the first is less than the second."),
    pure("lessOrEquals", "first, second", less_or_equals, "Tells whether the first is at most the second."),
];

fn equals(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    Ok(values_equal(arguments.value(0), arguments.value(1)).into())
}

fn greater(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    Ok(order(arguments)?.is_gt().into())
}

fn greater_or_equals(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    Ok(order(arguments)?.is_ge().into())
}

fn less(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    Ok(order(arguments)?.is_lt().into())
}

fn less_or_equals(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    Ok(order(arguments)?.is_le().into())
}

fn order(arguments: Arguments<'_>) -> Result<Ordering, FunctionError> {
    match (arguments.value(0), arguments.value(1)) {
        (Value::Int(a), Value::Int(b)) => Ok(a.cmp(b)),
        (Value::Text(a), Value::Text(b)) => Ok(compare_words(a, b)),
        (a, b) => Err(FunctionError::Argument(format!(
            "two ints or two strings can be compared, not {} and {}",
            article(a),
            article(b)
        ))),
    }
}
