//! Integers of 64 bits; nothing wraps around.

use super::{Arguments, Function, FunctionError, pure};
use crate::evaluate::display_value;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    pure("add", "first, second", add, "Adds two integers."),
    pure("div", "first, second", div, "Divides two integers and drops what is left over."),
    pure("float", "value", float, "Turns an int or a string into a number with a fraction."),
    pure("int", "value", int, "Turns a string into an integer."),
    pure("max", "values...", max, "Returns the largest of integers, or of an array of them."),
    pure("min", "values...", min, "Returns the smallest of integers, or of an array of them."),
    pure(
        "mod",
        "first, second",
        modulo,
        "Returns what is left over by a division, with the sign of the first.",
    ),
    pure("mul", "first, second", mul, "Multiplies two integers."),
    pure("sub", "first, second", sub, "Subtracts the second integer from the first."),
];

fn add(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    calculate(arguments, i64::checked_add)
}

fn sub(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    calculate(arguments, i64::checked_sub)
}

fn mul(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    calculate(arguments, i64::checked_mul)
}

fn div(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    not_by_zero(arguments)?;
    calculate(arguments, i64::checked_div)
}

fn modulo(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    not_by_zero(arguments)?;
    calculate(arguments, i64::checked_rem)
}

fn calculate(
    arguments: Arguments<'_>,
    operation: fn(i64, i64) -> Option<i64>,
) -> Result<Value, FunctionError> {
    let (first, second) = (arguments.int(0)?, arguments.int(1)?);
    match operation(first, second) {
        Some(result) => Ok(Value::Int(result)),
        None => {
            Err(FunctionError::Overflow(format!("the result of {first} and {second} does not fit 64 bits")))
        }
    }
}

fn not_by_zero(arguments: Arguments<'_>) -> Result<(), FunctionError> {
    if arguments.int(1)? == 0 {
        Err(FunctionError::Argument("the divisor must not be zero".to_owned()))
    } else {
        Ok(())
    }
}

fn int(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let value = arguments.value(0);
    let found = match value {
        Value::Int(value) => Some(*value),
        Value::Text(text) => text.parse().ok(),
        Value::Float(value) if value.trunc() == *value && value.abs() < (1_u64 << 53) as f64 => {
            Some(*value as i64)
        }
        _ => None,
    };
    found.map(Value::Int).ok_or_else(|| {
        FunctionError::Argument(format!("`{}` cannot be turned into an integer", display_value(value)))
    })
}

fn float(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let value = arguments.value(0);
    let found = match value {
        Value::Int(value) => Some(*value as f64),
        Value::Float(value) => Some(*value),
        Value::Text(text) => text.parse().ok().filter(|value: &f64| value.is_finite()),
        _ => None,
    };
    found.map(Value::Float).ok_or_else(|| {
        FunctionError::Argument(format!("`{}` cannot be turned into a number", display_value(value)))
    })
}

fn max(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    extreme(arguments, i64::max)
}

fn min(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    extreme(arguments, i64::min)
}

fn extreme(arguments: Arguments<'_>, choose: fn(i64, i64) -> i64) -> Result<Value, FunctionError> {
    let values = match arguments.all() {
        [Value::Array(list)] => list.items(),
        values => values,
    };
    let mut found: Option<i64> = None;
    for value in values {
        let Value::Int(value) = value else {
            return Err(FunctionError::Argument(format!("`{}` is not an int", display_value(value))));
        };
        found = Some(found.map_or(*value, |found| choose(found, *value)));
    }
    found.map(Value::Int).ok_or_else(|| FunctionError::Argument("at least one int is needed".to_owned()))
}
