//! Arguments of declared decorators: which are certain to have their types, and which types a template can say.

use smol_str::SmolStr;
use syntax::ast::{AstNode as _, Expr, ObjectProperty, Statement, TypeExpr};
use syntax::{NodeKind, SyntaxElement};

use crate::symbols::{Binding, Model, SymbolKind};
use crate::types::{Ambient, Ty, TyKind, TypeRef, without_null};

/// How far variables are followed, and how deep values and types are looked into.
const DEEPEST: usize = 32;

/// Tells whether an argument has the type that the compiler found for it, whatever is deployed: it is written out, or a parameter that the
/// engine has checked. What a resource says of itself, and what is called `any`, may turn out to be something else.
pub(crate) fn is_certain(model: &Model, argument: Expr<'_>) -> bool {
    certain(model, argument, DEEPEST)
}

fn certain(model: &Model, value: Expr<'_>, depth: usize) -> bool {
    let Some(below) = depth.checked_sub(1) else { return false };
    match value {
        Expr::String(_)
        | Expr::IntegerLiteral(_)
        | Expr::BooleanLiteral(_)
        | Expr::NullLiteral(_)
        | Expr::Lambda(_) => true,
        Expr::ParenthesizedExpression(it) => certain(model, it.expression(), below),
        Expr::UnaryOperation(it) => matches!(it.operand(), Expr::IntegerLiteral(_)),
        Expr::Object(object) => object.items().filter_map(SyntaxElement::node).all(|item| {
            ObjectProperty::cast(item).is_some_and(|property| {
                property.key().constant().is_some() && certain(model, property.value(), below)
            })
        }),
        Expr::Array(array) => {
            let is_written_out =
                !array.node().child_nodes().any(|it| it.kind() == NodeKind::SpreadExpression);
            is_written_out && array.values().all(|item| certain(model, item, below))
        }
        Expr::VariableAccess(_) => {
            let Some(symbol) = model.symbol_in(value) else { return false };
            match (model.symbol(symbol).kind, model.statement_of(symbol)) {
                (SymbolKind::Parameter, Some(Statement::ParameterDeclaration(parameter))) => {
                    is_simple(model, parameter.ty(), below)
                }
                (SymbolKind::Variable, Some(Statement::VariableDeclaration(variable))) => {
                    certain(model, variable.value(), below)
                }
                _ => false,
            }
        }
        _ => false,
    }
}

/// Tells whether a type is a word for simple values, or some of them.
fn is_simple(model: &Model, ty: TypeExpr<'_>, depth: usize) -> bool {
    let Some(below) = depth.checked_sub(1) else { return false };
    match ty {
        TypeExpr::TypeVariableAccess(_) => matches!(
            model.binding(ty.node().id()),
            Binding::Ambient(Ambient::String | Ambient::Int | Ambient::Bool)
        ),
        TypeExpr::StringTypeLiteral(_)
        | TypeExpr::IntegerTypeLiteral(_)
        | TypeExpr::BooleanTypeLiteral(_) => true,
        TypeExpr::ParenthesizedType(it) => is_simple(model, it.expression(), below),
        TypeExpr::NullableType(it) => is_simple(model, it.base(), below),
        TypeExpr::UnionType(it) => {
            let mut members = it.node().child_nodes().filter_map(TypeExpr::cast);
            members.all(|member| is_simple(model, member, below))
        }
        _ => false,
    }
}

/// The members of a template that say a type, in order.
pub(crate) type CarriedMembers = Vec<(SmolStr, CarriedType)>;

/// A part of what a template says of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CarriedType {
    Bool(bool),
    Int(i64),
    Text(SmolStr),
    Object(CarriedMembers),
    Array(Vec<CarriedType>),
}

/// The members of a template that say what a type says; none if a template cannot say it, and no members if anything will do.
pub(crate) fn carried(ty: &Ty) -> Option<CarriedMembers> {
    members(ty, DEEPEST)
}

fn members(ty: &Ty, depth: usize) -> Option<CarriedMembers> {
    let below = depth.checked_sub(1)?;
    let word = |word: &'static str| vec![("type".into(), CarriedType::Text(word.into()))];
    let one = |name: &'static str, value: CarriedType| {
        let mut members = word(name);
        members.push(("allowedValues".into(), CarriedType::Array(vec![value])));
        members
    };
    let inner = |ty: &TypeRef| members(&ty.get(), below).map(CarriedType::Object);
    Some(match ty.kind() {
        TyKind::Any => CarriedMembers::new(),
        TyKind::Bool => word("bool"),
        TyKind::Int(_) => word("int"),
        TyKind::Str(_) => word("string"),
        TyKind::BoolLit(value) => one("bool", CarriedType::Bool(*value)),
        TyKind::IntLit(value) => one("int", CarriedType::Int(*value)),
        TyKind::StrLit(text) => one("string", CarriedType::Text(text.clone())),
        TyKind::Array(array) => {
            let mut members = word("array");
            members.push(("items".into(), inner(&array.item)?));
            members
        }
        TyKind::Tuple(items) => {
            let mut members = word("array");
            let items: Option<Vec<CarriedType>> = items.iter().map(inner).collect();
            members.push(("prefixItems".into(), CarriedType::Array(items?)));
            members.push(("items".into(), CarriedType::Bool(false)));
            members
        }
        TyKind::Object(object) => {
            let mut members = word("object");
            if !object.properties.is_empty() {
                let properties = object.properties.iter();
                let properties: Option<CarriedMembers> =
                    properties.map(|(name, property)| Some((name.clone(), inner(&property.ty)?))).collect();
                members.push(("properties".into(), CarriedType::Object(properties?)));
            }
            if let Some(others) = &object.additional {
                members.push(("additionalProperties".into(), inner(&others.ty)?));
            }
            members
        }
        TyKind::Union(_) => match without_null(ty) {
            Some(rest) => {
                let mut members = members(&rest, below)?;
                members.push(("nullable".into(), CarriedType::Bool(true)));
                members
            }
            None => listed(ty)?,
        },
        _ => return None,
    })
}

/// A union of values of one kind.
fn listed(ty: &Ty) -> Option<CarriedMembers> {
    let TyKind::Union(all) = ty.kind() else { return None };
    let mut values = Vec::new();
    let mut word = None;
    for member in all {
        let (kind, value) = match member.get().kind() {
            TyKind::BoolLit(value) => ("bool", CarriedType::Bool(*value)),
            TyKind::IntLit(value) => ("int", CarriedType::Int(*value)),
            TyKind::StrLit(text) => ("string", CarriedType::Text(text.clone())),
            _ => return None,
        };
        if *word.get_or_insert(kind) != kind {
            return None;
        }
        values.push(value);
    }
    Some(vec![
        ("type".into(), CarriedType::Text(word?.into())),
        ("allowedValues".into(), CarriedType::Array(values)),
    ])
}
