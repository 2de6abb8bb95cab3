//! Values as expressions that give them.

use super::{Expression, FunctionCall};
use std::sync::Arc;

use smol_str::SmolStr;

use crate::value::{ObjectBuilder, Value, equal_ignoring_case};

/// See [`Expression::from_value`]. Recursion is bounded by how deep a value may nest.
pub(super) fn expression(value: &Value) -> Expression {
    match value {
        Value::Null => Expression::call("null", []),
        Value::Bool(true) => Expression::call("true", []),
        Value::Bool(false) => Expression::call("false", []),
        Value::Int(value) if i32::try_from(*value).is_ok() => Expression::Int(*value),
        Value::Int(_) | Value::Float(_) | Value::Decimal(_) => {
            Expression::call("json", [Expression::text(value.to_json())])
        }
        Value::Text(text) => Expression::Text(text.clone()),
        Value::Array(list) => {
            Expression::call("createArray", list.items().iter().map(expression).collect::<Vec<_>>())
        }
        Value::Object(object) => {
            let members =
                object.iter().flat_map(|(name, value)| [Expression::Text(name.clone()), expression(value)]);
            Expression::call("createObject", members.collect::<Vec<_>>())
        }
        Value::Secret(_) => Expression::Secret(Box::new(value.clone())),
        Value::Unknown(expression) => (**expression).clone(),
    }
}

/// See [`Expression::to_value`].
pub(super) fn value(expression: &Expression) -> Option<Value> {
    let call = match expression {
        Expression::Text(text) => return Some(Value::Text(text.clone())),
        Expression::Int(value) => return Some(Value::Int(*value)),
        Expression::Secret(value) => return Some((**value).clone()),
        Expression::Access(_) => return None,
        Expression::Call(call) => call,
    };
    match call.arguments.as_slice() {
        [] if call.is_call_to("null") => Some(Value::Null),
        [] if call.is_call_to("true") => Some(Value::Bool(true)),
        [] if call.is_call_to("false") => Some(Value::Bool(false)),
        [Expression::Text(text)] if call.is_call_to("json") => Value::from_json(text).ok(),
        arguments if call.is_call_to("createArray") => {
            Some(Value::array(arguments.iter().map(value).collect::<Option<_>>()?))
        }
        _ if call.is_call_to("createObject") => {
            let mut object = ObjectBuilder::default();
            for (name, part) in members(call)? {
                object.insert(name.clone(), value(part)?);
            }
            Some(object.finish())
        }
        _ => None,
    }
}

/// The members of `createObject` if all names are literals.
fn members(call: &FunctionCall) -> Option<Vec<(&SmolStr, &Expression)>> {
    let (pairs, rest) = call.arguments.as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    let pairs = pairs.iter().map(|[name, value]| match name {
        Expression::Text(name) => Some((name, value)),
        _ => None,
    });
    pairs.collect()
}

/// See [`Expression::to_parts`].
pub(super) fn parts(expression: &Expression) -> Value {
    match expression.as_call() {
        Some(call) if call.is_call_to("createArray") => {
            Value::array(call.arguments.iter().map(parts).collect())
        }
        Some(call) if call.is_call_to("createObject") => match members(call) {
            Some(members) => {
                let mut object = ObjectBuilder::default();
                for (name, value) in members {
                    object.insert(name.clone(), parts(value));
                }
                object.finish()
            }
            None => Value::Unknown(Arc::new(expression.clone())),
        },
        _ => value(expression).unwrap_or_else(|| Value::Unknown(Arc::new(expression.clone()))),
    }
}

/// See [`Expression::part`].
pub(super) fn part<'e>(expression: &'e Expression, key: &Value) -> Option<Option<&'e Expression>> {
    let call = expression.as_call()?;
    match key {
        Value::Text(key) if call.is_call_to("createObject") => {
            let members = members(call)?;
            let exact = members.iter().find(|(name, _)| *name == key);
            let found = exact.or_else(|| members.iter().find(|(name, _)| equal_ignoring_case(name, key)));
            Some(found.map(|(_, value)| *value))
        }
        Value::Int(index) if call.is_call_to("createArray") => {
            Some(usize::try_from(*index).ok().and_then(|index| call.arguments.get(index)))
        }
        _ => None,
    }
}

/// See [`Expression::outline`].
pub(super) fn outline(expression: &Expression) -> Value {
    match expression.as_call() {
        Some(call) if call.is_call_to("createObject") => {
            let members = members(call).unwrap_or_default();
            Value::object(members.into_iter().map(|(name, _)| (name.clone(), Value::Null)))
        }
        Some(call) if call.is_call_to("createArray") => Value::array(vec![Value::Null; call.arguments.len()]),
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_what_is_left_are_found() {
        let expression = super::super::parse("createObject('a', f(), 'b', createArray(1, g()))").unwrap();
        let part = |key: &str| expression.part(&key.into()).map(|part| part.map(ToString::to_string));
        assert_eq!(part("A"), Some(Some("f()".to_owned())));
        assert_eq!(part("c"), Some(None));
        let array = expression.part(&"b".into()).unwrap().unwrap();
        assert_eq!(array.part(&Value::Int(1)).unwrap().unwrap().to_string(), "g()");
        assert_eq!(array.part(&Value::Int(2)), Some(None));
        assert_eq!(array.part(&"x".into()), None);
    }

    #[test]
    fn literals_are_read_back() {
        let value = Value::object([
            ("a", Value::array(vec![Value::Null, Value::Bool(true), Value::Int(-3)])),
            ("big", Value::Int(2_199_023_255_552)),
            ("half", Value::Float(0.5)),
        ]);
        assert_eq!(Expression::from_value(&value).to_value(), Some(value));
        assert_eq!(super::super::parse("createArray(f())").unwrap().to_value(), None);
    }

    #[test]
    fn every_value_has_an_expression() {
        let value = Value::object([
            ("a", Value::array(vec![Value::Null, Value::Bool(true), Value::Bool(false), Value::Int(-3)])),
            ("it's", Value::object([("big", Value::Int(2_199_023_255_552)), ("half", Value::Float(0.5))])),
        ]);
        assert_eq!(
            Expression::from_value(&value).to_string(),
            "createObject('a', createArray(null(), true(), false(), -3), \
             'it''s', createObject('big', json('2199023255552'), 'half', json('0.5')))"
        );
    }
}
