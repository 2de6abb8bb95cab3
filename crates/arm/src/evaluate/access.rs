//! Members of objects and elements of arrays.

use super::{Cause, EvaluateError, Evaluator, Locals, Reduced, taint};
use crate::expression::{Access, Expression};
use crate::value::Value;

/// How many names of members a message lists.
const LISTED: usize = 20;

/// Evaluates `base.a[0]`.
pub(super) fn access(
    evaluator: &Evaluator<'_>,
    walk: &Access,
    locals: &Locals<'_>,
) -> Result<Reduced, EvaluateError> {
    let mark = evaluator.mark();
    let mut base = evaluator.expression(walk.base(), locals)?;
    for step in walk.path() {
        let key = evaluator.expression(step, locals)?;
        base = one_step(base, key)?;
    }
    evaluator.settle_part(mark, &base);
    Ok(base)
}

#[inline(never)]
fn one_step(base: Reduced, key: Reduced) -> Result<Reduced, EvaluateError> {
    Ok(match (base, key) {
        (Reduced::Value(base), Reduced::Value(key)) => Reduced::Value(part(&base, &key)?),
        (Reduced::Expression(base), Reduced::Value(key)) => match base.part(&key) {
            Some(Some(part)) => {
                part.to_value().map_or_else(|| Reduced::Expression(part.clone()), Reduced::Value)
            }
            // What is left of an object has all its members: the error is that of the object without their values.
            Some(None) => Reduced::Value(part(&base.outline(), &key)?),
            None => Reduced::Expression(as_base(base).index(Expression::from_value(&key))),
        },
        (base, key) => Reduced::Expression(as_base(base.into_expression()).index(key.into_expression())),
    })
}

/// A walk cannot start from a literal: it starts from a call that gives it.
fn as_base(expression: Expression) -> Expression {
    match expression {
        Expression::Text(_) => Expression::call("string", [expression]),
        Expression::Int(_) => Expression::call("int", [expression]),
        Expression::Secret(_) => Expression::call("first", [Expression::call("createArray", [expression])]),
        expression => expression,
    }
}

/// The part of a value that a key names.
#[inline(never)]
pub(crate) fn part(base: &Value, key: &Value) -> Result<Value, EvaluateError> {
    if base.is_secret() || key.is_secret() {
        return part(base.plain(), key.plain())
            .map(Value::secret)
            .map_err(|error| taint::masked(error, "[]"));
    }
    match (base, key) {
        (Value::Object(object), Value::Text(name)) => match object.get(name) {
            Some(value) => Ok(value.clone()),
            None => {
                let mut names: Vec<&str> =
                    object.iter().take(LISTED).map(|(name, _)| name.as_str()).collect();
                if object.len() > LISTED {
                    names.push("…");
                }
                let message = match names.as_slice() {
                    [] => format!("the property `{name}` doesn't exist, the object is empty"),
                    names => {
                        format!("the property `{name}` doesn't exist, available are `{}`", names.join(", "))
                    }
                };
                Err(EvaluateError::new(Cause::MissingProperty(name.clone()), message))
            }
        },
        (Value::Array(list), Value::Int(index)) => {
            let found = usize::try_from(*index).ok().and_then(|index| list.items().get(index));
            found.cloned().ok_or_else(|| out_of_bounds(*index, list.items().len()))
        }
        (Value::Object(_), key) => Err(EvaluateError::new(
            Cause::NotIndexable,
            format!("a property is named by a string, not by {} `{}`", article(key), display_value(key)),
        )),
        (Value::Array(_), key) => Err(EvaluateError::new(
            Cause::NotIndexable,
            format!("an element is found by an int, not by {} `{}`", article(key), display_value(key)),
        )),
        (base, key) => Err(EvaluateError::new(
            Cause::NotIndexable,
            format!("`{}` can't be looked up in {}", display_value(key), article(base)),
        )),
    }
}

pub(crate) fn out_of_bounds(index: i64, length: usize) -> EvaluateError {
    EvaluateError::new(
        Cause::OutOfBounds(index),
        format!("the index {index} is out of bounds, the length of the array is {length}"),
    )
}

/// The kind of a value with its article.
pub(crate) fn article(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a bool",
        Value::Int(_) => "an int",
        Value::Float(_) | Value::Decimal(_) => "a number",
        Value::Text(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
        Value::Secret(_) => "a secret",
        Value::Unknown(_) => "a value that is not known",
    }
}

/// A value in a message: text as it is, all else as JSON, and not more than fits a line.
pub(crate) fn display_value(value: &Value) -> String {
    let mut text = match value {
        Value::Text(text) => text.to_string(),
        // Long values are cut, so that a large one need not be printed first.
        Value::Array(list) if list.items().len() > 20 => "[…]".to_owned(),
        Value::Object(object) if object.len() > 20 => "{…}".to_owned(),
        value => value.to_json(),
    };
    if let Some((end, _)) = text.char_indices().nth(80) {
        text.truncate(end);
        text.push('…');
    }
    text
}
