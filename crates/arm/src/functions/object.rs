//! Objects.

use super::array::from_end;
use super::{Arguments, Function, FunctionError, pure};
use crate::evaluate::{display_value, part};
use crate::value::{Object, ObjectBuilder, Value, compare_ordinal_ignoring_case};

pub(super) const FUNCTIONS: &[Function] = &[
    pure("createObject", "namesAndValues...", create_object, "Makes an object of names and values by turns."),
    pure(
        "items",
        "object",
        items,
        "Turns an object into an array of `{key, value}`, in the order of the names.",
    ),
    pure("objectKeys", "object", object_keys, "Returns the names of an object's members, in order."),
    pure(
        "shallowMerge",
        "objects",
        shallow_merge,
        "Merges objects; of members with the same name the last one is kept whole.",
    ),
    pure(
        "tryGet",
        "value, key, keys...",
        try_get,
        "Walks into a value, and returns null where there is nothing.",
    ),
];

fn create_object(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let (pairs, rest) = arguments.all().as_chunks::<2>();
    if !rest.is_empty() {
        return Err(FunctionError::Argument("a value is missing behind the last name".to_owned()));
    }
    let mut object = ObjectBuilder::default();
    for (at, [name, value]) in pairs.iter().enumerate() {
        let Value::Text(name) = name else { return Err(arguments.wrong(2 * at, "a name", name)) };
        if !object.insert(name.clone(), value.clone()) {
            return Err(FunctionError::Argument(format!("the name `{name}` is there twice")));
        }
    }
    Ok(object.finish())
}

fn items(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let pairs = sorted(arguments.object(0)?).into_iter();
    let pairs = pairs
        .map(|(name, value)| Value::object([("key", Value::Text(name.clone())), ("value", value.clone())]));
    Ok(Value::array(pairs.collect()))
}

fn object_keys(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let names = sorted(arguments.object(0)?).into_iter().map(|(name, _)| Value::Text(name.clone()));
    Ok(Value::array(names.collect()))
}

/// The members by name; those that differ by case only stay in their order.
fn sorted(object: &Object) -> Vec<&(smol_str::SmolStr, Value)> {
    let mut members: Vec<_> = object.iter().collect();
    members.sort_by(|(a, _), (b, _)| compare_ordinal_ignoring_case(a, b));
    members
}

fn shallow_merge(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let mut merged = ObjectBuilder::default();
    for object in arguments.array(0)? {
        let Some(object) = object.as_object() else {
            return Err(FunctionError::Argument(format!(
                "every element must be an object, not `{}`",
                display_value(object)
            )));
        };
        for (name, value) in object {
            merged.set(name.clone(), value.clone());
        }
    }
    Ok(merged.finish())
}

fn try_get(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let mut value = arguments.value(0).clone();
    for key in arguments.all().iter().skip(1) {
        value = value.spread();
        let found = match (&value, key) {
            (Value::Null, _) => return Ok(Value::Null),
            (Value::Object(object), Value::Text(name)) => object.get(name).cloned(),
            (Value::Array(list), Value::Int(index)) => {
                usize::try_from(*index).ok().and_then(|index| list.items().get(index)).cloned()
            }
            // `a.?b[^1]` of Bicep: a key that counts from the end is an object.
            (Value::Array(list), Value::Object(key)) if counts_from_end(key) => match key.get("value") {
                Some(Value::Int(position)) => from_end(list.items(), *position).cloned(),
                _ => None,
            },
            // Modules that are published ask strings for members, and mean whatever is not an object.
            (
                Value::Text(_) | Value::Int(_) | Value::Bool(_) | Value::Float(_) | Value::Decimal(_),
                Value::Text(_),
            ) => None,
            (value, key) => Some(part(value, key)?),
        };
        match found {
            Some(found) => value = found,
            None => return Ok(Value::Null),
        }
    }
    Ok(value)
}

fn counts_from_end(key: &Object) -> bool {
    matches!(key.get("fromEnd"), Some(Value::Bool(true)))
}
