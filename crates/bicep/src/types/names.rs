//! What types are called. Unions are sorted by these names, so they are the reference compiler's.

use std::fmt::Write as _;

use smol_str::{SmolStr, SmolStrBuilder, format_smolstr};

use super::model::{Lambda, Ty, TyKind, TypeRef};
use super::{Array, Discriminated, Scopes};

/// How much of the name of a list or object is written; what is longer tells nobody anything.
const LONGEST: usize = 4096;

pub(super) fn name(ty: &Ty) -> SmolStr {
    match ty.kind() {
        TyKind::Any => "any".into(),
        TyKind::Null => "null".into(),
        TyKind::Bool => "bool".into(),
        TyKind::BoolLit(value) => format_smolstr!("{value}"),
        TyKind::Int(_) => "int".into(),
        TyKind::IntLit(value) => format_smolstr!("{value}"),
        TyKind::Str(_) => "string".into(),
        TyKind::StrLit(value) => quoted(value),
        TyKind::Array(array) => match &array.name {
            Some(name) => name.clone(),
            None => array_name(array.item.get()),
        },
        TyKind::Tuple(items) if items.is_empty() => "<empty array>".into(),
        TyKind::Tuple(items) => {
            let mut text = SmolStrBuilder::new();
            let _written = write!(text, "[");
            join(&mut text, items.iter().map(TypeRef::name), ", ");
            let _written = write!(text, "]");
            text.finish()
        }
        TyKind::Object(object) => object.name.clone(),
        TyKind::Discriminated(object) => object.name.clone(),
        TyKind::Union(members) if members.is_empty() => "never".into(),
        TyKind::Union(members) => {
            let mut text = SmolStrBuilder::new();
            join(&mut text, members.iter().map(|member| member.get().compound_name()), " | ");
            text.finish()
        }
        TyKind::Lambda(lambda) => lambda_name(lambda),
        TyKind::Resource(resource) => resource.reference.full_name().into(),
        TyKind::Module(..) => "module".into(),
        TyKind::Test(_) => "test".into(),
        TyKind::ScopeRef(scopes) => scope_names(*scopes, " | "),
        TyKind::ParentOf(child) => {
            child.name.rsplit_once('/').map_or_else(SmolStr::default, |(parent, _)| parent.into())
        }
        TyKind::ResourceParameter(reference) => reference.full_name().into(),
        TyKind::TypeOf(inner) => format_smolstr!("Type<{inner}>"),
        TyKind::Error(_) => "error".into(),
    }
}

/// How deep a type is searched for parts that have an error.
const SEARCHED: usize = 8;

/// What a type is called in a message: the type of a part that has an error, which is reported where that is, has no name.
pub(super) fn name_in_message(ty: &Ty) -> SmolStr {
    let name = ty.name();
    if !has_error(ty, SEARCHED) {
        return name.clone();
    }
    let mut text = SmolStrBuilder::new();
    // Names of types are in no quotes, and literals are.
    for (place, outside) in name.split('\'').enumerate() {
        let quote = if place == 0 { "" } else { "'" };
        let part = match place % 2 {
            0 => outside.replace("error", "unknown"),
            _ => outside.to_owned(),
        };
        let _written = write!(text, "{quote}{part}");
    }
    text.finish()
}

/// Whether a type has a part with an error that its name shows.
fn has_error(ty: &Ty, depth: usize) -> bool {
    let Some(below) = depth.checked_sub(1) else { return false };
    // What is read later comes from type data, which has no errors.
    let part = |part: &TypeRef| matches!(part, TypeRef::Now(ty) if has_error(ty, below));
    match ty.kind() {
        TyKind::Error(_) => true,
        TyKind::Array(array) => array.name.is_none() && part(&array.item),
        TyKind::Tuple(items) => items.iter().any(part),
        TyKind::Union(members) => members.iter().any(part),
        TyKind::Lambda(lambda) => {
            lambda.required.iter().chain(&lambda.optional).chain([&lambda.result]).any(part)
        }
        TyKind::TypeOf(inner) => has_error(inner, below),
        _ => false,
    }
}

/// The name of an array of these items. Type data can have arrays of arrays without an end.
fn array_name(item: Ty) -> SmolStr {
    const MAX_DEPTH: usize = 32;
    let mut item = item;
    let mut depth = 1;
    while let TyKind::Array(Array { item: inner, name: None, .. }) = item.kind() {
        let inner = inner.get();
        if inner.is_any() || depth > MAX_DEPTH {
            return format_smolstr!("array{}", "[]".repeat(depth));
        }
        item = inner;
        depth += 1;
    }
    if item.is_any() {
        return "array".into();
    }
    format_smolstr!("{}{}", item.compound_name(), "[]".repeat(depth))
}

pub(super) fn compound_name(ty: &Ty) -> SmolStr {
    let wrap = match ty.kind() {
        TyKind::Union(members) => !members.is_empty(),
        TyKind::Lambda(_) => true,
        TyKind::Discriminated(Discriminated { name, .. }) => name.contains(' '),
        _ => false,
    };
    if wrap { format_smolstr!("({})", ty.name()) } else { ty.name().clone() }
}

fn join(text: &mut SmolStrBuilder, parts: impl Iterator<Item = SmolStr>, separator: &str) {
    let mut written = 0usize;
    for (place, part) in parts.enumerate() {
        if place > 0 {
            let _written = text.write_str(separator);
        }
        written += part.len();
        if written > LONGEST {
            let _written = text.write_str("...");
            return;
        }
        let _written = text.write_str(&part);
    }
}

fn lambda_name(lambda: &Lambda) -> SmolStr {
    let list = |types: &[TypeRef]| {
        let mut text = SmolStrBuilder::new();
        join(&mut text, types.iter().map(|ty| ty.get().compound_name()), ", ");
        text.finish()
    };
    let result = lambda.result.get().compound_name();
    let (required, optional) = (list(&lambda.required), list(&lambda.optional));
    match (lambda.required.len(), lambda.optional.len()) {
        (0, 0) => format_smolstr!("() => {result}"),
        (1, 0) => format_smolstr!("{required} => {result}"),
        (_, 0) => format_smolstr!("({required}) => {result}"),
        (0, _) => format_smolstr!("([{optional}]) => {result}"),
        _ => format_smolstr!("({required}[, {optional}]) => {result}"),
    }
}

/// The words for scopes, in the order that messages use.
pub(crate) fn scope_names(scopes: Scopes, separator: &str) -> SmolStr {
    let order = [
        (Scopes::RESOURCE, "resource"),
        (Scopes::MODULE, "module"),
        (Scopes::TENANT, "tenant"),
        (Scopes::MANAGEMENT_GROUP, "managementGroup"),
        (Scopes::SUBSCRIPTION, "subscription"),
        (Scopes::RESOURCE_GROUP, "resourceGroup"),
        (Scopes::LOCAL, "local"),
    ];
    let names: Vec<&str> =
        order.into_iter().filter(|(scope, _)| scopes.contains(*scope)).map(|(_, name)| name).collect();
    if names.is_empty() { "none".into() } else { names.join(separator).into() }
}

/// A text as the language writes it.
pub(crate) fn quoted(value: &str) -> SmolStr {
    syntax::spelling::quoted(value).into()
}
