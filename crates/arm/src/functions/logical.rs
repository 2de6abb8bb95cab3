//! Truth values and null.

use super::{Arguments, Fault, Function, Special, pure, special};
use crate::evaluate::{Cause, EvaluateError, show};
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

fn bool(arguments: Arguments<'_>) -> Result<Value, Fault> {
    Ok(Value::Bool(match arguments.value(0) {
        Value::Bool(value) => *value,
        Value::Int(value) => *value != 0,
        Value::Text(text) if text.eq_ignore_ascii_case("true") => true,
        Value::Text(text) if text.eq_ignore_ascii_case("false") => false,
        other => return Err(Fault::Argument(format!("`{}` is neither true nor false", show(other)))),
    }))
}

fn fail(arguments: Arguments<'_>) -> Result<Value, Fault> {
    Err(Fault::Inner(EvaluateError::new(Cause::Failed, arguments.text(0)?)))
}

fn not(arguments: Arguments<'_>) -> Result<Value, Fault> {
    Ok(Value::Bool(!arguments.bool(0)?))
}
