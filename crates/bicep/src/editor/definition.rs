//! Where something comes from.

use std::sync::Arc;

use document::SourceValue;
use syntax::Span;
use syntax::ast::{AstNode as _, Expr, Object, PropertyAccess, Statement};

use super::cursor::{Cursor, name_span};
use super::member::{Entity, Member, MemberKind, inner_span};
use super::name_at::NameTarget;
use crate::symbols::{ExportKind, Model, ModuleTarget, SymbolId, SymbolKind, TemplateModel};
use crate::{Compiler, FilePath};

/// The declaration of what is named at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The name that was asked about.
    pub origin: Span,
    /// The file with the declaration.
    pub path: FilePath,
    /// The whole declaration; empty at the start for a file as a whole.
    pub span: Span,
    /// The name in the declaration.
    pub name_span: Span,
}

/// Where what is named at an offset is declared: in this file or in another one; a path leads to its file.
#[must_use]
pub fn definition(compiler: &Compiler, path: &FilePath, offset: u32) -> Option<Definition> {
    let model = compiler.model(path).ok()?;
    let cursor = Cursor::at(&model, offset)?;
    let Some(named) = cursor.named() else { return property_definition(&model, &cursor) };
    let origin = named.span;
    match &named.target {
        NameTarget::File(path) => {
            let start = Span::empty(0);
            Some(Definition { origin, path: path.clone(), span: start, name_span: start })
        }
        NameTarget::Function(_) => None,
        NameTarget::Symbol(_) | NameTarget::Member(_) => {
            if let Some(found) = named.target.member(&model).and_then(|member| of_template(&member, origin)) {
                return Some(found);
            }
            of_entity(&named.target.entity(&model)?, origin)
        }
    }
}

fn of_entity(entity: &Entity, origin: Span) -> Option<Definition> {
    let model = &entity.model;
    let symbol = model.symbol(entity.symbol);
    let span = model.file.node(symbol.node).span();
    let name_span = match symbol.kind {
        // Neither is written anywhere: the resource, or what is extended, is the best there is.
        SymbolKind::This | SymbolKind::Base | SymbolKind::Inherited => span,
        _ => name_span(model, entity.symbol)?,
    };
    Some(Definition { origin, path: model.file.path.clone(), span, name_span })
}

/// The place in a template where something is declared; the start of the template if it is not to be found.
fn of_template(member: &Member, origin: Span) -> Option<Definition> {
    let ModuleTarget::Template(template) = &member.target else { return None };
    let found = declared_in(template, member);
    let span =
        found.map_or_else(|| Span::empty(0), |(key, value)| Span::new(key.place().start, value.place().end));
    let name_span = found.map_or(span, |(key, _)| Span::new(key.place().start, key.place().end));
    Some(Definition { origin, path: template.path.clone(), span, name_span })
}

fn declared_in<'t>(
    template: &'t TemplateModel,
    member: &Member,
) -> Option<(SourceValue<'t>, SourceValue<'t>)> {
    let section = match member.kind {
        MemberKind::Parameter => "parameters",
        MemberKind::Output => "outputs",
        MemberKind::Export => match template.export(&member.name)? {
            ExportKind::Type => "definitions",
            ExportKind::Variable => "variables",
            ExportKind::Function => return None,
        },
    };
    template.root()?.member(section)?.member_with_key(&member.name)
}

/// Where a property is written that an access reads: in the object that a variable, resource or module is declared with.
fn property_definition(model: &Arc<Model>, cursor: &Cursor<'_>) -> Option<Definition> {
    let access = PropertyAccess::cast(cursor.node)?;
    if access.name().token()? != cursor.token {
        return None;
    }
    let (symbol, names) = accessed(model, access)?;
    let mut value = value_of(model, symbol)?;
    let mut found = None;
    for name in &names {
        let object = object_of(model, value)?;
        let property = model.property(object, name)?;
        found = Some(property);
        value = property.value();
    }
    let property = found?;
    let origin = cursor.token.span();
    let name_span = inner_span(property.key()).unwrap_or_else(|| property.key().span());
    Some(Definition { origin, path: model.file.path.clone(), span: property.span(), name_span })
}

/// The symbol that a chain of accesses starts from, with the names of the properties on the way.
fn accessed<'m>(model: &Model, access: PropertyAccess<'m>) -> Option<(SymbolId, Vec<&'m str>)> {
    let mut names = vec![access.name().text()];
    let mut base = access.base();
    loop {
        base = match base {
            Expr::PropertyAccess(access) => {
                names.push(access.name().text());
                access.base()
            }
            Expr::NonNullAssertion(inner) => inner.base(),
            Expr::ParenthesizedExpression(inner) => inner.expression(),
            // An item of a loop has the properties of all.
            Expr::ArrayAccess(access) => access.base(),
            _ => {
                names.reverse();
                return Some((model.symbol_in(base)?, names));
            }
        };
    }
}

fn value_of(model: &Model, symbol: SymbolId) -> Option<Expr<'_>> {
    match model.statement_of(symbol)? {
        Statement::VariableDeclaration(it) => Some(it.value()),
        Statement::ResourceDeclaration(it) => Some(it.value()),
        Statement::ModuleDeclaration(it) => Some(it.value()),
        Statement::ParameterAssignment(it) => Some(it.value()),
        _ => None,
    }
}

/// The object that an expression is, through names, loops and conditions.
fn object_of<'m>(model: &'m Model, value: Expr<'m>) -> Option<Object<'m>> {
    const MAX_STEPS: usize = 32;
    let mut value = value;
    for _ in 0..MAX_STEPS {
        value = match value {
            Expr::Object(object) => return Some(object),
            Expr::For(each) => each.body(),
            Expr::IfCondition(condition) => condition.body(),
            Expr::ParenthesizedExpression(inner) => inner.expression(),
            Expr::VariableAccess(_) => value_of(model, model.symbol_in(value)?)?,
            _ => return None,
        };
    }
    None
}
