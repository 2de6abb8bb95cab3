//! Types that have a secret somewhere in them.

use contract::Node;
use document::Value;
use rustc_hash::FxHashSet;
use syntax::ast::{AstNode as _, Statement, TypeExpr};

use super::{Model, ModuleTarget, SymbolId, SymbolKind};
use crate::template::TemplateModel;

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
                _ => false,
            },
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

fn in_definition(template: &TemplateModel, name: &str) -> bool {
    let definition = template.root().and_then(|root| root.member("definitions")?.member(name));
    definition.is_some_and(|definition| in_json(definition, 0))
}

/// Tells whether a type of a template has a secret in it, references aside.
fn in_json(value: Value<'_>, depth: usize) -> bool {
    const MAX_DEPTH: usize = 64;
    let is_secret =
        |kind: &str| kind.eq_ignore_ascii_case("securestring") || kind.eq_ignore_ascii_case("secureobject");
    if value.member("type").and_then(Value::as_str).is_some_and(is_secret) {
        return true;
    }
    let below = value.members().map(|(_, member)| member).chain(value.items());
    depth < MAX_DEPTH
        && below
            .filter(|it| matches!(it.node(), Node::Object(_) | Node::List(_)))
            .any(|it| in_json(it, depth + 1))
}
