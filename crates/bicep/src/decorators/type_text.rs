//! Types that are written as text, outside a program: the parameters of decorators that are declared.

use std::collections::BTreeMap;

use smol_str::SmolStr;
use syntax::SourceKind;
use syntax::ast::{
    AstNode as _, NameOrString, ObjectType, ObjectTypeAdditionalProperties, ObjectTypeProperty, Program,
    Statement, StringTypeLiteral, TupleType, TupleTypeItem, TypeExpr, UnionType,
};

use crate::types::{Ambient, Object, Property, PropertyFlags, Range, Ty, TypeRef, nullable, union_of};

/// The name of the type of lambdas, which programs cannot write.
const LAMBDA: &str = "lambda";

/// How many characters a type may have.
const MAX_LENGTH: usize = 4096;

/// How deep a type may nest.
const MAX_DEPTH: usize = 32;

/// The type that a text says: what a program would write, without names that it would have to declare; or `lambda`.
pub(super) fn read(text: &str) -> Option<Ty> {
    let text = text.trim();
    if text == LAMBDA {
        return Some(Ty::lambda(vec![Ty::any()], Vec::new(), Ty::any()));
    }
    if text.len() > MAX_LENGTH {
        return None;
    }
    let tree = syntax::parse(format!("type it = {text}"), SourceKind::Bicep);
    if !tree.diagnostics().is_empty() {
        return None;
    }
    let mut statements = Program::cast(tree.root())?.statements();
    let (Some(Statement::TypeDeclaration(it)), None) = (statements.next(), statements.next()) else {
        return None;
    };
    lower(it.value(), 0)
}

fn lower(ty: TypeExpr<'_>, depth: usize) -> Option<Ty> {
    if depth >= MAX_DEPTH {
        return None;
    }
    let inner = |ty| lower(ty, depth + 1);
    match ty {
        TypeExpr::TypeVariableAccess(it) => match Ambient::from_name(it.name().text())? {
            Ambient::Any => Some(Ty::any()),
            Ambient::Array => Some(Ty::array()),
            Ambient::Bool => Some(Ty::bool()),
            Ambient::Int => Some(Ty::int()),
            Ambient::Object => Some(Ty::object()),
            Ambient::String => Some(Ty::string()),
            Ambient::ResourceInput | Ambient::ResourceOutput => None,
        },
        TypeExpr::ParenthesizedType(it) => inner(it.expression()),
        TypeExpr::NullableType(it) => Some(nullable(&inner(it.base())?)),
        TypeExpr::ArrayType(it) => Some(Ty::array_of(inner(it.item())?, Range::default())),
        TypeExpr::UnionType(it) => union(it, depth),
        TypeExpr::ObjectType(it) => object(it, depth),
        TypeExpr::TupleType(it) => tuple(it, depth),
        TypeExpr::StringTypeLiteral(it) => StringTypeLiteral::constant(it).map(Ty::string_literal),
        TypeExpr::IntegerTypeLiteral(it) => i64::try_from(it.value()).ok().map(Ty::int_literal),
        TypeExpr::BooleanTypeLiteral(it) => Some(Ty::bool_literal(it.node().text() == "true")),
        TypeExpr::NullTypeLiteral(_) => Some(Ty::null()),
        _ => None,
    }
}

fn union(ty: UnionType<'_>, depth: usize) -> Option<Ty> {
    let members = ty.node().child_nodes().filter_map(TypeExpr::cast);
    let members: Option<Vec<Ty>> = members.map(|member| lower(member, depth + 1)).collect();
    members.filter(|members| !members.is_empty()).map(union_of)
}

fn object(ty: ObjectType<'_>, depth: usize) -> Option<Ty> {
    let (mut properties, mut additional) = (BTreeMap::new(), None);
    for node in ty.node().child_nodes() {
        if let Some(property) = ObjectTypeProperty::cast(node) {
            let name: SmolStr = match property.key() {
                NameOrString::Name(name) => name.text().into(),
                NameOrString::String(text) => (&*text.constant()?).into(),
                NameOrString::Skipped(_) => return None,
            };
            let value = lower(property.value(), depth + 1)?;
            let optional = matches!(property.value(), TypeExpr::NullableType(_));
            let flags = if optional { PropertyFlags::empty() } else { PropertyFlags::REQUIRED };
            properties.insert(name, Property::new(value, flags));
        } else if let Some(others) = ObjectTypeAdditionalProperties::cast(node) {
            additional = Some(Property::new(lower(others.value(), depth + 1)?, PropertyFlags::empty()));
        }
    }
    Some(Ty::object_of(Object { name: ty.node().text().into(), properties, additional, ..Object::default() }))
}

fn tuple(ty: TupleType<'_>, depth: usize) -> Option<Ty> {
    let items = ty.node().child_nodes().filter_map(TupleTypeItem::cast);
    let items: Option<Vec<TypeRef>> =
        items.map(|item| lower(item.value(), depth + 1).map(TypeRef::Now)).collect();
    items.map(Ty::tuple)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_those_that_programs_write_without_declaring_any() {
        for text in [
            "string",
            "int[]",
            "'a' | 'b'",
            "('a' | 'b')[]",
            "{ a: string, b: int? }",
            "[string, int]",
            "bool?",
            "lambda",
            "{ *: string }",
        ] {
            assert!(read(text).is_some(), "{text}");
        }
        for text in
            ["", "text", "string int", "string\nparam p int", "resourceInput<'a'>", "a.b", "(", "string |"]
        {
            assert!(read(text).is_none(), "{text}");
        }
        assert!(read(&format!("{}string{}", "(".repeat(100), ")".repeat(100))).is_none());
    }
}
