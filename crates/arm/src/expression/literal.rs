//! Values as expressions that give them.

use super::Expression;
use crate::Value;
use crate::template_text;

/// See [`Expression::from_value`]. Recursion is bounded by how deep a value may nest.
pub(super) fn expression(value: &Value) -> Expression {
    match value {
        Value::Null => Expression::call("null", []),
        Value::Bool(true) => Expression::call("true", []),
        Value::Bool(false) => Expression::call("false", []),
        Value::Int(value) if i32::try_from(*value).is_ok() => Expression::Int(*value),
        Value::Int(_) | Value::Float(_) | Value::Long(_) => {
            Expression::call("json", [Expression::text(template_text::compact(value))])
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
        Value::Secret(_) => Expression::text(contract::MASK),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
