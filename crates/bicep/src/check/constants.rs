//! Expressions whose value is known: their types say it.

use arm::{ObjectBuilder, Value};
use syntax::ast::Expr;

use super::{CheckHost, Checker};
use crate::symbols::Model;
use crate::types::{PropertyFlags, Ty, TyKind};

/// How deep the values may nest.
const MAX_DEPTH: usize = 64;

/// How many parts the values of all expressions may have: types share parts, and values that are made of them do not.
const MAX_PARTS: usize = 100_000;

/// The values of expressions of a file, none for those that are not constant.
pub(crate) fn constants<'m>(
    model: &'m Model,
    around: &'m dyn CheckHost,
    expressions: impl Iterator<Item = Expr<'m>>,
) -> Vec<Option<Value>> {
    let mut checker = Checker::new(model, around);
    checker.aliases();
    let mut left = MAX_PARTS;
    expressions.map(|expression| value(&checker.ty(expression), 0, &mut left)).collect()
}

/// The only value of a type. Recursion is bounded by the depth.
fn value(ty: &Ty, depth: usize, left: &mut usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    *left = left.checked_sub(1)?;
    match ty.kind() {
        TyKind::StrLit(text) => Some(Value::text(text.as_str())),
        TyKind::IntLit(number) => Some(Value::Int(*number)),
        TyKind::BoolLit(value) => Some(Value::Bool(*value)),
        TyKind::Null => Some(Value::Null),
        TyKind::Tuple(items) => {
            let items: Option<Vec<Value>> =
                items.iter().map(|item| value(&item.get(), depth + 1, left)).collect();
            items.map(Value::array)
        }
        TyKind::Object(object) if object.additional.is_none() => {
            let mut members = ObjectBuilder::default();
            for (name, property) in &object.properties {
                if !property.flags.contains(PropertyFlags::REQUIRED) {
                    return None;
                }
                members.insert(name.clone(), value(&property.ty.get(), depth + 1, left)?);
            }
            Some(members.finish())
        }
        _ => None,
    }
}
