//! What functions give when all their arguments are known: types of one value go in, the type of the result comes out.

use arm::Value;
use smol_str::SmolStr;

use crate::codes;
use crate::finding::Finding;
use crate::types::{Object, Property, PropertyFlags, Role, Ty, TyKind, TypeRef, object_name};

/// The most parts that values may have in all: literals that grow with each use stop being literals here.
const MAX_SIZE: u64 = 16_384;

/// How deep values may nest.
const MAX_DEPTH: usize = 64;

/// The type of what a function of the template language gives for known arguments.
///
/// Nothing is known when an argument is not, or when the result is not a literal; the error is why the function fails.
pub(super) fn fold(name: &str, arguments: &[&Ty]) -> Result<Option<Ty>, String> {
    fold_counted(name, arguments, &mut 0)
}

/// The same, with the number of parts that were looked at.
pub(super) fn fold_counted(name: &str, arguments: &[&Ty], parts: &mut usize) -> Result<Option<Ty>, String> {
    let mut values = Vec::with_capacity(arguments.len());
    let mut left = MAX_SIZE;
    for argument in arguments {
        let value = value(argument, 0, &mut left);
        *parts = usize::try_from(MAX_SIZE - left).unwrap_or_default();
        let Some(value) = value else { return Ok(None) };
        values.push(value);
    }
    match arm::functions::find(name).and_then(|function| function.apply(&values)) {
        None => Ok(None),
        Some(Ok(result)) if result.size() > MAX_SIZE => Ok(None),
        Some(Ok(result)) => Ok(literal(&result, 0)),
        Some(Err(error)) => Err(error.to_string()),
    }
}

/// The finding for a function that fails for known arguments.
pub(super) fn failure(span: syntax::Span, name: &str, arguments: &[&Ty], reason: &str) -> Finding {
    codes::FUNCTION_FAILED.at(span, &[&name, &codes::list(arguments.iter()), &reason])
}

/// The one value of a type, unless it has more parts than are left.
fn value(ty: &Ty, depth: usize, left: &mut u64) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    let own = ty.as_string_literal().map_or(1, |text| 1 + text.len() as u64 / 16);
    *left = left.checked_sub(own)?;
    match ty.kind() {
        TyKind::BoolLit(value) => Some(Value::Bool(*value)),
        TyKind::IntLit(value) => Some(Value::Int(*value)),
        TyKind::StrLit(value) => Some(Value::text(value.clone())),
        TyKind::Null => Some(Value::Null),
        TyKind::Tuple(items) => {
            let items: Option<Vec<Value>> =
                items.iter().map(|item| value(&item.get(), depth + 1, left)).collect();
            items.map(Value::array)
        }
        TyKind::Object(object) if object.additional.is_none() && matches!(object.role, Role::Plain) => {
            let members: Option<Vec<(SmolStr, Value)>> = object
                .properties
                .iter()
                .map(|(name, property)| Some((name.clone(), value(&property.ty.get(), depth + 1, left)?)))
                .collect();
            members.map(Value::object)
        }
        _ => None,
    }
}

/// The type of one value.
fn literal(value: &Value, depth: usize) -> Option<Ty> {
    if depth > MAX_DEPTH {
        return None;
    }
    match value {
        Value::Null => Some(Ty::null()),
        Value::Bool(value) => Some(Ty::bool_literal(*value)),
        Value::Int(value) => Some(Ty::int_literal(*value)),
        Value::Text(text) => Some(Ty::string_literal(text)),
        Value::Float(_) | Value::Decimal(_) | Value::Secret(_) | Value::Unknown(_) => None,
        Value::Array(_) => {
            let items = value.as_array().unwrap_or_default();
            let items: Option<Vec<TypeRef>> =
                items.iter().map(|item| literal(item, depth + 1).map(TypeRef::Now)).collect();
            items.map(Ty::tuple)
        }
        Value::Object(members) => {
            let flags = PropertyFlags::REQUIRED.union(PropertyFlags::DISALLOW_ANY);
            let properties = members
                .iter()
                .map(|(name, value)| Some((name.clone(), Property::new(literal(value, depth + 1)?, flags))));
            let properties: std::collections::BTreeMap<_, _> = properties.collect::<Option<_>>()?;
            // The name has the order of the value, which properties do not keep.
            let named = members
                .iter()
                .filter_map(|(name, _)| Some((name.as_str(), properties.get(name)?.ty.get().name().clone())));
            let name = object_name(named, None);
            Some(Ty::object_of(Object { name, properties, ..Object::default() }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_arguments_give_known_results() {
        let text = Ty::string_literal("a,b");
        let comma = Ty::string_literal(",");
        let parts = fold("split", &[&text, &comma]).unwrap().unwrap();
        assert_eq!(parts.to_string(), "['a', 'b']");
        assert!(fold("split", &[&text, &Ty::string()]).unwrap().is_none());
        assert!(fold("substring", &[&text, &Ty::int_literal(9)]).is_err());
    }
}
