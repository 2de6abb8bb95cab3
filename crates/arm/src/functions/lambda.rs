//! Functions that take lambdas.

use smol_str::SmolStr;

use super::arguments::article;
use super::{Function, FunctionBody, FunctionError, LambdaRun, Special, special};
use crate::evaluate::{Argument, Lambda};
use crate::value::{ObjectBuilder, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    row("filter", "values, lambda", filter, "Keeps the elements for which a lambda is true."),
    row("groupBy", "values, key, value?", group_by, "Groups elements by the key that a lambda gives them."),
    special(
        "lambda",
        "namesAndBody...",
        Special::LambdaItself,
        "An expression with variables, for functions that take one.",
    ),
    special(
        "lambdaVariables",
        "name",
        Special::LambdaVariables,
        "Returns a variable of the lambda around it.",
    ),
    row("map", "values, lambda", map, "Turns every element into what a lambda makes of it."),
    row(
        "mapValues",
        "object, lambda",
        map_values,
        "Turns every value of an object into what a lambda makes of it.",
    ),
    row("reduce", "values, start, lambda", reduce, "Takes elements together, one after the other."),
    row(
        "sort",
        "values, lambda",
        sort,
        "Sorts elements by a lambda that tells whether the first goes before the second.",
    ),
    row(
        "toObject",
        "values, key, value?",
        to_object,
        "Makes an object of an array, with the names that a lambda gives.",
    ),
];

const fn row(name: &'static str, parameters: &'static str, run: LambdaRun, doc: &'static str) -> Function {
    Function::new(name, parameters, FunctionBody::Lambda(run), doc)
}

/// Goes on with a lambda's result; ends with none if it is not known.
macro_rules! known {
    ($result:expr) => {
        match $result? {
            Some(value) => value,
            None => return Ok(None),
        }
    };
}

fn array<'a>(arguments: &'a [Argument<'_>]) -> Result<&'a [Value], FunctionError> {
    match value(arguments, 0)? {
        Value::Array(list) => Ok(list.items()),
        other => Err(FunctionError::Argument(format!("argument 1 must be an array, not {}", article(other)))),
    }
}

fn value<'a>(arguments: &'a [Argument<'_>], at: usize) -> Result<&'a Value, FunctionError> {
    match arguments.get(at) {
        Some(Argument::Value(value)) => Ok(value),
        _ => Err(FunctionError::Argument(format!("argument {} must be a value, not a lambda", at + 1))),
    }
}

/// The lambda at a position, with a number of variables that the function can fill.
fn lambda<'a, 'b>(
    arguments: &'a [Argument<'b>],
    at: usize,
    least: usize,
    most: usize,
) -> Result<&'a Lambda<'b>, FunctionError> {
    match arguments.get(at) {
        Some(Argument::Lambda(lambda)) if (least..=most).contains(&lambda.arity()) => Ok(lambda),
        Some(Argument::Lambda(lambda)) => {
            let wanted = if least == most { format!("{least}") } else { format!("{least} to {most}") };
            let message = format!("the lambda must have {wanted} variables, not {}", lambda.arity());
            Err(FunctionError::Argument(message))
        }
        _ => Err(FunctionError::Argument(format!("argument {} must be a lambda", at + 1))),
    }
}

/// Applies a lambda to an element, and to its index if the lambda has a variable for it.
fn apply(lambda: &Lambda<'_>, item: &Value, index: usize) -> Result<Value, FunctionError> {
    Ok(lambda.apply(&[item.clone(), Value::Int(index as i64)])?)
}

/// The same for a result that becomes a part of the function's own.
fn keep(lambda: &Lambda<'_>, item: &Value, index: usize, kept: &mut u64) -> Result<Value, FunctionError> {
    Ok(lambda.apply_and_keep(&[item.clone(), Value::Int(index as i64)], kept)?)
}

fn truth(lambda: &Lambda<'_>, value: Value) -> Result<Option<bool>, FunctionError> {
    match lambda.decide(value) {
        None => Ok(None),
        Some(Value::Bool(value)) => Ok(Some(value)),
        Some(other) => {
            Err(FunctionError::Argument(format!("the lambda must return a bool, not {}", article(&other))))
        }
    }
}

fn key(lambda: &Lambda<'_>, value: Value) -> Result<Option<SmolStr>, FunctionError> {
    match lambda.decide(value) {
        None => Ok(None),
        Some(Value::Text(text)) => Ok(Some(text)),
        Some(other) => Err(FunctionError::Argument(format!(
            "the lambda must return a string as the name, not {}",
            article(&other)
        ))),
    }
}

fn filter(arguments: &[Argument<'_>]) -> Result<Option<Value>, FunctionError> {
    let lambda = lambda(arguments, 1, 1, 2)?;
    let mut kept = Vec::new();
    for (index, item) in array(arguments)?.iter().enumerate() {
        if known!(truth(lambda, apply(lambda, item, index)?)) {
            kept.push(item.clone());
        }
    }
    Ok(Some(Value::array(kept)))
}

fn map(arguments: &[Argument<'_>]) -> Result<Option<Value>, FunctionError> {
    let lambda = lambda(arguments, 1, 1, 2)?;
    let (mut mapped, mut kept) = (Vec::new(), 0);
    for (index, item) in array(arguments)?.iter().enumerate() {
        mapped.push(keep(lambda, item, index, &mut kept)?);
    }
    Ok(Some(Value::array(mapped)))
}

fn map_values(arguments: &[Argument<'_>]) -> Result<Option<Value>, FunctionError> {
    let lambda = lambda(arguments, 1, 1, 1)?;
    let Value::Object(object) = value(arguments, 0)? else {
        return Err(FunctionError::Argument("argument 1 must be an object".to_owned()));
    };
    let (mut mapped, mut kept) = (ObjectBuilder::default(), 0);
    for (name, value) in &**object {
        mapped.insert(name.clone(), keep(lambda, value, 0, &mut kept)?);
    }
    Ok(Some(mapped.finish()))
}

fn reduce(arguments: &[Argument<'_>]) -> Result<Option<Value>, FunctionError> {
    let lambda = lambda(arguments, 2, 2, 3)?;
    Ok(Some(lambda.fold(array(arguments)?, value(arguments, 1)?)?))
}

fn to_object(arguments: &[Argument<'_>]) -> Result<Option<Value>, FunctionError> {
    let (key_of, value_of) = (lambda(arguments, 1, 1, 1)?, optional(arguments, 2)?);
    let (mut object, mut kept) = (ObjectBuilder::default(), 0);
    for item in array(arguments)? {
        let name = known!(key(key_of, apply(key_of, item, 0)?));
        key_of.keep_name(&name)?;
        let value = match value_of {
            Some(lambda) => keep(lambda, item, 0, &mut kept)?,
            None => item.clone(),
        };
        object.set(name, value);
    }
    Ok(Some(object.finish()))
}

fn group_by(arguments: &[Argument<'_>]) -> Result<Option<Value>, FunctionError> {
    let (key_of, value_of) = (lambda(arguments, 1, 1, 1)?, optional(arguments, 2)?);
    let (mut places, mut kept) = (ObjectBuilder::default(), 0);
    let mut groups: Vec<(SmolStr, Vec<Value>)> = Vec::new();
    for item in array(arguments)? {
        let name = known!(key(key_of, apply(key_of, item, 0)?));
        let value = match value_of {
            Some(lambda) => keep(lambda, item, 0, &mut kept)?,
            None => item.clone(),
        };
        let place = match places.get(&name) {
            Some(Value::Int(place)) => *place as usize,
            _ => {
                key_of.keep_name(&name)?;
                places.set(name.clone(), Value::Int(groups.len() as i64));
                groups.push((name, Vec::new()));
                groups.len() - 1
            }
        };
        if let Some((_, group)) = groups.get_mut(place) {
            group.push(value);
        }
    }
    Ok(Some(Value::object(groups.into_iter().map(|(name, group)| (name, Value::array(group))))))
}

fn optional<'a, 'b>(
    arguments: &'a [Argument<'b>],
    at: usize,
) -> Result<Option<&'a Lambda<'b>>, FunctionError> {
    if at < arguments.len() { lambda(arguments, at, 1, 1).map(Some) } else { Ok(None) }
}

/// A merge sort: stable, and at ease with a lambda that contradicts itself.
fn sort(arguments: &[Argument<'_>]) -> Result<Option<Value>, FunctionError> {
    let lambda = lambda(arguments, 1, 2, 2)?;
    let mut items = array(arguments)?.to_vec();
    let mut width = 1;
    while width < items.len() {
        let mut sorted = Vec::with_capacity(items.len());
        for pair in items.chunks(2 * width) {
            let (left, right) = pair.split_at(width.min(pair.len()));
            let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
            while let (Some(first), Some(second)) = (left.peek(), right.peek()) {
                let swap = known!(truth(lambda, lambda.apply(&[(*second).clone(), (*first).clone()])?));
                let next = if swap { right.next() } else { left.next() };
                sorted.extend(next.cloned());
            }
            sorted.extend(left.chain(right).cloned());
        }
        items = sorted;
        width *= 2;
    }
    Ok(Some(Value::array(items)))
}
