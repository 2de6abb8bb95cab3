//! Where a declaration is used: in its own file and in those that import it, pass it or give it a value.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use syntax::{NodeKind, Span};

use super::cursor::name_span;
use super::member::{Entity, member_at, member_of};
use super::name_at::{NameTarget, named_by};
use crate::functions::Function;
use crate::symbols::{Binding, Model, SymbolId};

/// A place that uses a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Use {
    /// The bytes of the name.
    pub span: Span,
    /// Whether it is declared, read or written there.
    pub access: Access,
    /// Whether the name is another one than that of the declaration.
    pub is_alias: bool,
}

/// What happens to a declaration where its name stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// The declaration itself.
    Declaration,
    /// It is given a value.
    Write,
    /// Its value is read.
    Read,
}

/// The places of a file that name a target, by position.
pub(crate) fn uses_of(model: &Arc<Model>, target: &NameTarget) -> Vec<Use> {
    match target {
        NameTarget::Symbol(symbol) => match target.entity(model) {
            Some(entity) if entity.model.file.path != model.file.path => uses(model, &entity),
            _ => local_uses(model, *symbol),
        },
        NameTarget::Member(member) => member.entity().map(|entity| uses(model, &entity)).unwrap_or_default(),
        NameTarget::Function(function) => function_uses(model, function),
        NameTarget::File(_) => Vec::new(),
    }
}

/// The places of a file that name a symbol of it, by position.
pub(crate) fn local_uses(model: &Model, symbol: SymbolId) -> Vec<Use> {
    let mut found = Vec::new();
    if let Some(span) = name_span(model, symbol) {
        found.push(Use { span, access: Access::Declaration, is_alias: false });
    }
    bound(model, |binding| binding.symbol() == Some(symbol), false, &mut found);
    sorted(found)
}

/// The places of a file that name a declaration, which may be in another file, by position.
pub(crate) fn uses(model: &Model, entity: &Entity) -> Vec<Use> {
    if entity.model.file.path == model.file.path {
        return local_uses(model, entity.symbol);
    }
    let mut found = Vec::new();
    let name = &entity.model.symbol(entity.symbol).name;
    let stands_for = |symbol: SymbolId| {
        member_of(model, symbol).and_then(|member| member.entity()).is_some_and(|it| it.is(entity))
    };
    let declarations = &model.declarations;
    let candidates =
        [&declarations.imported, &declarations.assignments, &declarations.inherited].into_iter().flatten();
    let symbols = candidates.copied().filter(|symbol| stands_for(*symbol));
    let (own, aliased): (FxHashSet<SymbolId>, FxHashSet<SymbolId>) =
        symbols.partition(|symbol| model.symbol(*symbol).name == *name);
    for alias in &declarations.imported {
        if aliased.contains(alias)
            && let Some(span) = name_span(model, *alias)
        {
            found.push(Use { span, access: Access::Read, is_alias: true });
        }
    }
    let among = |set: &FxHashSet<SymbolId>, binding: Binding| {
        binding.symbol().is_some_and(|symbol| set.contains(&symbol))
    };
    bound(model, |binding| among(&own, binding), false, &mut found);
    bound(model, |binding| among(&aliased, binding), true, &mut found);
    for node in model.file.tree.root().subtree() {
        if let Some((span, member)) = member_at(model, node)
            && member.name == *name
            && member.entity().is_some_and(|it| it.is(entity))
        {
            let access = match node.kind() {
                NodeKind::ObjectProperty | NodeKind::ParameterAssignment => Access::Write,
                _ => Access::Read,
            };
            found.push(Use { span, access, is_alias: false });
        }
    }
    sorted(found)
}

/// The calls of a built-in function, with and without its namespace.
fn function_uses(model: &Model, function: &'static Function) -> Vec<Use> {
    let mut found = Vec::new();
    bound(model, |binding| binding.function() == Some(function), false, &mut found);
    sorted(found)
}

/// Collects the names that mean something, other than in declarations.
fn bound(model: &Model, is_meant: impl Fn(Binding) -> bool, is_alias: bool, found: &mut Vec<Use>) {
    for node in model.file.tree.root().subtree() {
        let binding = model.binding(node.id());
        if !is_meant(binding) || binding.symbol().is_some_and(|symbol| model.symbol(symbol).node == node.id())
        {
            continue;
        }
        if let Some(token) = named_by(node) {
            found.push(Use { span: token.span(), access: Access::Read, is_alias });
        }
    }
}

fn sorted(mut found: Vec<Use>) -> Vec<Use> {
    found.sort_unstable();
    found.dedup_by_key(|found| found.span);
    found
}
