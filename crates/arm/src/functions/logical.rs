//! Truth values and null.

use super::{Arguments, Function, FunctionError, Special, pure, special};
use crate::evaluate::{Cause, EvaluateError, display_value};
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    special(
        "and",
        "first, second, others...",
        Special::And,
        "Tells whether all are true; the first that is false decides.",
    ),
    pure("bool", "value", bool, "Turns a string or an int into a truth value."),
    special("coalesce", "first, others...", Special::Coalesce, "Returns the first value that is not null."),
    pure("fail", "message", fail, "Stops the evaluation with a message of the template's own."),
    pure("false", "", |_| Ok(Value::Bool(false)), "The truth value false."),
    special(
        "if",
        "condition, then, otherwise",
        Special::If,
        "Returns one of two values; the other one is not evaluated.",
    ),
    pure("not", "value", not, "Turns true into false and false into true."),
    pure("null", "", |_| Ok(Value::Null), "The value that stands for none."),
    special(
        "or",
        "first, second, others...",
        Special::Or,
        "Tells whether any is true; the first that is true decides.",
    ),
    pure("true", "", |_| Ok(Value::Bool(true)), "The truth value true."),
];

fn bool(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    Ok(Value::Bool(match arguments.value(0) {
        Value::Bool(value) => *value,
        Value::Int(value) => *value != 0,
        Value::Text(text) if text.eq_ignore_ascii_case("true") => true,
        Value::Text(text) if text.eq_ignore_ascii_case("false") => false,
        other => {
            return Err(FunctionError::Argument(format!(
                "`{}` is neither true nor false",
                display_value(other)
            )));
        }
    }))
}

fn fail(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    Err(FunctionError::Inner(EvaluateError::new(Cause::Failed, arguments.str_at(0)?)))
}

fn not(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    Ok(Value::Bool(!arguments.bool(0)?))
}
