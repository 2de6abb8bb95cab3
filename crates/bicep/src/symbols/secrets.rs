//! Types that have a secret somewhere in them.

use bicep_types::{Type, TypeId, TypesFile};
use contract::Node;
use document::SourceValue;
use rustc_hash::FxHashSet;
use syntax::ast::{AstNode as _, Statement, TypeExpr};

use super::{Model, ModuleTarget, SymbolId, SymbolKind, TemplateModel};
use crate::types::TypeReference;

/// Tells whether a type has a secret in it, through the names that it uses.
pub(super) fn has_secret(model: &Model, ty: TypeExpr<'_>) -> bool {
    Search::default().in_type(model, ty)
}

#[derive(Default)]
struct Search {
    /// Declarations that were looked at; types can refer to themselves.
    seen: FxHashSet<(usize, SymbolId)>,
}

impl Search {
    fn in_type(&mut self, model: &Model, ty: TypeExpr<'_>) -> bool {
        match ty {
            TypeExpr::TypeVariableAccess(_) => {
                model.symbol_at(ty.node()).is_some_and(|symbol| self.in_symbol(model, symbol))
            }
            TypeExpr::ObjectType(object) => {
                object.properties().any(|it| model.is_secure(it.node()) || self.in_type(model, it.value()))
                    || object
                        .additional_properties()
                        .any(|it| model.is_secure(it.node()) || self.in_type(model, it.value()))
            }
            TypeExpr::TupleType(tuple) => {
                tuple.members().any(|it| model.is_secure(it.node()) || self.in_type(model, it.value()))
            }
            TypeExpr::ArrayType(array) => self.in_type(model, array.item()),
            TypeExpr::UnionType(union) => union.members().any(|member| self.in_type(model, member)),
            TypeExpr::NullableType(it) => self.in_type(model, it.base()),
            TypeExpr::NonNullableType(it) => self.in_type(model, it.base()),
            TypeExpr::ParenthesizedType(it) => self.in_type(model, it.expression()),
            TypeExpr::TypePropertyAccess(it) => match model.symbol_at(it.base().node()) {
                Some(symbol) if model.symbol(symbol).kind == SymbolKind::WildcardImport => {
                    let target = model.wildcard_source(symbol).and_then(|source| source.target.as_ref().ok());
                    target.is_some_and(|target| self.in_export(target, it.name().text()))
                }
                _ => in_derived(model, ty),
            },
            TypeExpr::ParameterizedTypeInstantiation(_)
            | TypeExpr::TypeItemsAccess(_)
            | TypeExpr::TypeAdditionalPropertiesAccess(_) => in_derived(model, ty),
            _ => false,
        }
    }

    fn in_symbol(&mut self, model: &Model, symbol: SymbolId) -> bool {
        if !self.seen.insert((std::ptr::from_ref(model) as usize, symbol)) {
            return false;
        }
        match model.symbol(symbol).kind {
            SymbolKind::Type => match model.statement_of(symbol) {
                Some(Statement::TypeDeclaration(it)) => {
                    model.is_secure(it.node()) || self.in_type(model, it.value())
                }
                _ => false,
            },
            SymbolKind::Imported(_) => model.imported_item(symbol).is_some_and(|(item, source)| {
                source.target.as_ref().is_ok_and(|target| self.in_export(target, &item.original))
            }),
            _ => false,
        }
    }

    fn in_export(&mut self, target: &ModuleTarget, name: &str) -> bool {
        match target {
            ModuleTarget::Bicep(model) => {
                model.export(name).is_some_and(|export| self.in_symbol(model, export.symbol))
            }
            ModuleTarget::Template(template) => in_definition(template, name),
        }
    }
}

/// Tells whether a part of a resource type has a secret in it.
fn in_derived(model: &Model, ty: TypeExpr<'_>) -> bool {
    let Some(store) = &model.az_types else { return false };
    let mut path: Vec<Option<&str>> = Vec::new();
    let mut root = ty;
    let reference = loop {
        root = match root {
            TypeExpr::TypePropertyAccess(it) => {
                path.push(Some(it.name().text()));
                it.base()
            }
            TypeExpr::TypeItemsAccess(it) => {
                path.push(None);
                it.base()
            }
            TypeExpr::TypeAdditionalPropertiesAccess(it) => {
                path.push(None);
                it.base()
            }
            TypeExpr::ParenthesizedType(it) => it.expression(),
            TypeExpr::ParameterizedTypeInstantiation(it) => break it.arguments().next(),
            _ => return false,
        };
    };
    let text = match reference {
        Some(TypeExpr::StringTypeLiteral(text)) => text.constant(),
        _ => None,
    };
    let Some(reference) = text.and_then(|text| TypeReference::parse(&text)) else { return false };
    let Ok(Some(found)) = store.resource_type(&reference.name, reference.version.as_deref()) else {
        return false;
    };
    let Ok(file) = store.file(found.location.file) else { return false };
    let Ok(resource) = file.resource_type(found.location.id) else { return false };
    let start = path.iter().rev().try_fold(resource.body, |id, step| match (file.get(id).ok()?, step) {
        (Type::Object(object), Some(name)) => object.property(name).map(|property| property.ty),
        (Type::Object(object), None) => object.additional_properties,
        (Type::Array(array), None) => Some(array.item),
        _ => None,
    });
    start.is_some_and(|start| has_sensitive(&file, start))
}

/// Tells whether a type of the type data, or any below it, is a secret.
fn has_sensitive(file: &TypesFile, start: TypeId) -> bool {
    let mut seen = FxHashSet::default();
    let mut open = vec![start];
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let Ok(ty) = file.get(id) else { continue };
        let secret = match ty {
            Type::String(text) => text.sensitive,
            Type::StringLiteral(text) => text.sensitive,
            Type::Object(object) => object.sensitive,
            _ => false,
        };
        if secret {
            return true;
        }
        ty.for_each_reference(|next| open.push(next));
    }
    false
}

fn in_definition(template: &TemplateModel, name: &str) -> bool {
    let definition = template.root().and_then(|root| root.member("definitions")?.member(name));
    definition.is_some_and(|definition| in_json(definition, 0))
}

/// Tells whether a type of a template has a secret in it, references aside.
fn in_json(value: SourceValue<'_>, depth: usize) -> bool {
    const MAX_DEPTH: usize = 64;
    let is_secret =
        |kind: &str| kind.eq_ignore_ascii_case("securestring") || kind.eq_ignore_ascii_case("secureobject");
    if value.member("type").and_then(SourceValue::as_str).is_some_and(is_secret) {
        return true;
    }
    let below = value.members().map(|(_, member)| member).chain(value.items());
    depth < MAX_DEPTH
        && below
            .filter(|it| matches!(it.node(), Node::Object(_) | Node::List(_)))
            .any(|it| in_json(it, depth + 1))
}
