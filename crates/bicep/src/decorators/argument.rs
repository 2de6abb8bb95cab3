//! Arguments of declared decorators: which are certain to have their types, and which types a template can say.

use syntax::ast::{AstNode as _, Expr, ObjectProperty, Statement, TypeExpr};
use syntax::{NodeKind, SyntaxElement};

use crate::check::array_items;
use crate::emit::{Members, Tree};
use crate::symbols::{Ambient, Binding, Model, SymbolKind};
use crate::types::{Kind, Ty, TypeRef, without_null};

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
            is_written_out && array_items(array).all(|item| certain(model, item, below))
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

/// The members of a template that say what a type says; none if a template cannot say it, and no members if anything will do.
pub(crate) fn carried<'u>(ty: &Ty) -> Option<Members<'u>> {
    members(ty, DEEPEST)
}

fn members<'u>(ty: &Ty, depth: usize) -> Option<Members<'u>> {
    let below = depth.checked_sub(1)?;
    let word = |word: &'static str| vec![("type".into(), Tree::text(word))];
    let one = |name: &'static str, value: Tree<'u>| {
        let mut members = word(name);
        members.push(("allowedValues".into(), Tree::Array(vec![value])));
        members
    };
    let inner = |ty: &TypeRef| members(&ty.get(), below).map(Tree::Object);
    Some(match ty.kind() {
        Kind::Any => Members::new(),
        Kind::Bool => word("bool"),
        Kind::Int(_) => word("int"),
        Kind::Str(_) => word("string"),
        Kind::BoolLit(value) => one("bool", Tree::Bool(*value)),
        Kind::IntLit(value) => one("int", Tree::Int(*value)),
        Kind::StrLit(text) => one("string", Tree::text(text.to_string())),
        Kind::Array(array) => {
            let mut members = word("array");
            members.push(("items".into(), inner(&array.item)?));
            members
        }
        Kind::Tuple(items) => {
            let mut members = word("array");
            let items: Option<Vec<Tree<'u>>> = items.iter().map(inner).collect();
            members.push(("prefixItems".into(), Tree::Array(items?)));
            members.push(("items".into(), Tree::Bool(false)));
            members
        }
        Kind::Object(object) => {
            let mut members = word("object");
            if !object.properties.is_empty() {
                let properties = object.properties.iter();
                let properties: Option<Members<'u>> = properties
                    .map(|(name, property)| Some((name.to_string().into(), inner(&property.ty)?)))
                    .collect();
                members.push(("properties".into(), Tree::Object(properties?)));
            }
            if let Some(others) = &object.additional {
                members.push(("additionalProperties".into(), inner(&others.ty)?));
            }
            members
        }
        Kind::Union(_) => match without_null(ty) {
            Some(rest) => {
                let mut members = members(&rest, below)?;
                members.push(("nullable".into(), Tree::Bool(true)));
                members
            }
            None => listed(ty)?,
        },
        _ => return None,
    })
}

/// A union of values of one kind.
fn listed<'u>(ty: &Ty) -> Option<Members<'u>> {
    let Kind::Union(all) = ty.kind() else { return None };
    let mut values = Vec::new();
    let mut word = None;
    for member in all {
        let (kind, value) = match member.get().kind() {
            Kind::BoolLit(value) => ("bool", Tree::Bool(*value)),
            Kind::IntLit(value) => ("int", Tree::Int(*value)),
            Kind::StrLit(text) => ("string", Tree::text(text.to_string())),
            _ => return None,
        };
        if *word.get_or_insert(kind) != kind {
            return None;
        }
        values.push(value);
    }
    Some(vec![("type".into(), Tree::text(word?)), ("allowedValues".into(), Tree::Array(values))])
}
