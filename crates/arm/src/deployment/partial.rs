//! Template JSON that was evaluated as far as possible.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::evaluate::Reduced;
use crate::expression::{Expression, escape_text, print_template_string};
use crate::value::{ObjectBuilder, Value};

/// What template JSON has become.
#[derive(Clone, Debug)]
pub(super) enum Partial {
    /// All of it is known.
    Value(Value),
    /// An expression that has to be evaluated later.
    Expression(Expression),
    /// An array with something in it that is not known.
    Array(Vec<Partial>),
    /// An object with something in it that is not known.
    Object(Vec<(PartialName, Partial)>),
}

/// The name of a member.
#[derive(Clone, Debug)]
pub(super) enum PartialName {
    Text(SmolStr),
    Expression(Expression),
}

impl PartialName {
    fn written(&self) -> u64 {
        match self {
            PartialName::Text(name) => name.len() as u64 + 4,
            PartialName::Expression(expression) => expression.written(),
        }
    }
}

impl From<Reduced> for Partial {
    fn from(reduced: Reduced) -> Partial {
        match reduced {
            Reduced::Value(value) => Partial::Value(value),
            Reduced::Expression(expression) => Partial::Expression(expression),
        }
    }
}

impl Partial {
    /// An array of parts.
    pub(super) fn array(items: Vec<Partial>) -> Partial {
        if items.iter().any(|item| item.known().is_none()) {
            return Partial::Array(items);
        }
        Partial::Value(Value::array(items.into_iter().filter_map(Partial::into_known).collect()))
    }

    /// An object of members.
    pub(super) fn object(members: Vec<(PartialName, Partial)>) -> Partial {
        let known = members
            .iter()
            .all(|(name, value)| matches!(name, PartialName::Text(_)) && value.known().is_some());
        if !known {
            return Partial::Object(members);
        }
        let mut object = ObjectBuilder::default();
        for (name, value) in members {
            if let (PartialName::Text(name), Some(value)) = (name, value.into_known()) {
                object.insert(name, value);
            }
        }
        Partial::Value(object.finish())
    }

    /// The value, if all of it is known.
    pub(super) fn known(&self) -> Option<&Value> {
        match self {
            Partial::Value(value) => Some(value),
            Partial::Expression(_) | Partial::Array(_) | Partial::Object(_) => None,
        }
    }

    /// About how many bytes of JSON it is.
    ///
    /// Recursion is bounded by how deep a document may nest.
    pub(super) fn written(&self) -> u64 {
        match self {
            Partial::Value(value) => value.written(),
            Partial::Expression(expression) => expression.written(),
            Partial::Array(items) => items.iter().map(Partial::written).fold(2, u64::saturating_add),
            Partial::Object(members) => {
                let members =
                    members.iter().map(|(name, value)| name.written().saturating_add(value.written()));
                members.fold(2, u64::saturating_add)
            }
        }
    }

    /// The value with what is not known marked; members whose names are not known are left out.
    ///
    /// Recursion is bounded by how deep a document may nest.
    pub(super) fn with_unknowns(&self) -> Value {
        match self {
            Partial::Value(value) => value.clone(),
            Partial::Expression(expression) => Value::Unknown(Arc::new(expression.clone())),
            Partial::Array(items) => Value::array(items.iter().map(Partial::with_unknowns).collect()),
            Partial::Object(members) => {
                let mut object = ObjectBuilder::default();
                for (name, value) in members {
                    if let PartialName::Text(name) = name {
                        object.insert(name.clone(), value.with_unknowns());
                    }
                }
                object.finish()
            }
        }
    }

    fn into_known(self) -> Option<Value> {
        match self {
            Partial::Value(value) => Some(value),
            Partial::Expression(_) | Partial::Array(_) | Partial::Object(_) => None,
        }
    }

    /// The one expression that gives it, or the value.
    ///
    /// Recursion is bounded by how deep a document may nest.
    pub(super) fn into_reduced(self) -> Reduced {
        match self {
            Partial::Value(value) => Reduced::Value(value),
            other => Reduced::Expression(other.into_expression()),
        }
    }

    fn into_expression(self) -> Expression {
        match self {
            Partial::Value(value) => Expression::from_value(&value),
            Partial::Expression(expression) => expression,
            Partial::Array(items) => Expression::call(
                "createArray",
                items.into_iter().map(Partial::into_expression).collect::<Vec<_>>(),
            ),
            Partial::Object(members) => {
                let members = members.into_iter().flat_map(|(name, value)| {
                    let name = match name {
                        PartialName::Text(text) => Expression::Text(text),
                        PartialName::Expression(expression) => expression,
                    };
                    [name, value.into_expression()]
                });
                Expression::call("createObject", members.collect::<Vec<_>>())
            }
        }
    }

    /// Template JSON again: what is not known is an expression string, and text that looks like one is escaped.
    pub(super) fn into_template_json(self, nulls: Nulls) -> Value {
        match self {
            Partial::Value(value) => escaped(&value, nulls),
            Partial::Expression(expression) => expression_json(&expression, nulls),
            Partial::Array(items) => {
                Value::array(items.into_iter().map(|item| item.into_template_json(nulls)).collect())
            }
            Partial::Object(members) => {
                let mut object = ObjectBuilder::default();
                for (name, value) in members {
                    if nulls == Nulls::Drop && matches!(value, Partial::Value(Value::Null)) {
                        continue;
                    }
                    let name = match name {
                        PartialName::Text(text) => escape_text(&text).as_ref().into(),
                        PartialName::Expression(expression) => template_string(&expression),
                    };
                    object.insert(name, value.into_template_json(nulls));
                }
                object.finish()
            }
        }
    }
}

/// What becomes of members that are null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nulls {
    /// They are left out, as they are for a provider.
    Drop,
    /// They stay, as they do in outputs.
    Keep,
}

/// An expression as template JSON: objects and arrays that it makes are objects and arrays.
fn expression_json(expression: &Expression, nulls: Nulls) -> Value {
    match expression.as_call() {
        Some(call) if call.is_call_to("createArray") => {
            Value::array(call.arguments.iter().map(|part| expression_json(part, nulls)).collect())
        }
        Some(call) if call.is_call_to("createObject") && call.arguments.len().is_multiple_of(2) => {
            let mut object = ObjectBuilder::default();
            let (pairs, _) = call.arguments.as_chunks::<2>();
            for [name, value] in pairs {
                let value = expression_json(value, nulls);
                if nulls == Nulls::Keep || !value.is_null() {
                    object.insert(template_string(name), value);
                }
            }
            object.finish()
        }
        _ => match expression.to_value() {
            Some(value) => escaped(&value, nulls),
            None => Value::Text(template_string(expression)),
        },
    }
}

/// The JSON string of an expression.
pub(super) fn template_string(expression: &Expression) -> SmolStr {
    let mut text = String::new();
    print_template_string(expression, &mut text);
    text.into()
}

/// A value as template JSON that stands for it.
pub(super) fn escaped(value: &Value, nulls: Nulls) -> Value {
    match value {
        Value::Text(text) => Value::text(escape_text(text).as_ref()),
        Value::Array(list) => Value::array(list.items().iter().map(|item| escaped(item, nulls)).collect()),
        Value::Object(object) => {
            let mut members = ObjectBuilder::default();
            for (name, value) in object.iter().filter(|(_, value)| nulls == Nulls::Keep || !value.is_null()) {
                members.insert(escape_text(name).as_ref().into(), escaped(value, nulls));
            }
            members.finish()
        }
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Float(_)
        | Value::Decimal(_)
        | Value::Unknown(_)
        | Value::Secret(_) => value.clone(),
    }
}

/// A value without the members that are null, as providers get it; elements of arrays stay.
pub(super) fn without_nulls(value: &Value) -> Value {
    // What has none stays shared with everybody who has it.
    if !value.has_null_member() {
        return value.clone();
    }
    match value {
        Value::Array(list) => Value::array(list.items().iter().map(without_nulls).collect()),
        Value::Object(object) => {
            let mut members = ObjectBuilder::default();
            for (name, value) in object.iter().filter(|(_, value)| !value.is_null()) {
                members.insert(name.clone(), without_nulls(value));
            }
            members.finish()
        }
        Value::Secret(inner) => without_nulls(inner).secret(),
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Float(_)
        | Value::Decimal(_)
        | Value::Text(_)
        | Value::Unknown(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_null_member_stays_shared() {
        let shared = Value::array(vec![Value::Null, Value::object([("a", Value::Int(1))])]);
        let body = Value::object([("x", shared.clone()), ("y", Value::Null)]);
        let rest = without_nulls(&body);
        assert_eq!(rest.to_json(), r#"{"x":[null,{"a":1}]}"#);
        let (Some(Value::Array(left)), Value::Array(right)) =
            (rest.as_object().and_then(|o| o.get("x")), &shared)
        else {
            panic!("arrays stay arrays");
        };
        assert!(std::sync::Arc::ptr_eq(left, right));
    }
}
