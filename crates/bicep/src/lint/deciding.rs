//! Which parameters of a module decide what it deploys: they are used in conditions, or in names, scopes and versions of
//! resources.

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use syntax::ast::{AstNode as _, Expr, ParameterDefaultValue, Statement};
use syntax::{SyntaxElement, SyntaxNode};

use super::deciding_template;
use crate::symbols::{Deciding, Model, Module, ModuleTarget, SymbolId};

/// Values that are given to parameters of a module that decide, with the names of the parameters, where they are written out.
pub(super) fn given<'m>(model: &'m Model, module: &Module) -> Vec<(Option<SmolStr>, Expr<'m>)> {
    let Some(target) = model.module_target(module) else { return Vec::new() };
    let Some(params) = model.body_property(&module.body, "params") else { return Vec::new() };
    let mut named: Vec<(SmolStr, Expr<'m>)> = Vec::new();
    let mut unknown: Vec<Expr<'m>> = Vec::new();
    match params {
        Expr::Object(object) => {
            for property in object.properties() {
                match property.key().constant() {
                    Some(name) => named.push((name.as_ref().into(), property.value())),
                    None => unknown.push(property.value()),
                }
            }
            unknown.extend(object.spreads().map(|spread| spread.expression()));
        }
        other => unknown.push(other),
    }
    let names: FxHashSet<String> = named.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
    let deciding = of(target).parameters(|name| !unknown.is_empty() || names.contains(name));
    let is_hidden = deciding.iter().any(|name| !names.contains(*name));
    let named = named.into_iter().filter(|(name, _)| deciding.contains(name.to_ascii_lowercase().as_str()));
    let unknown = unknown.into_iter().filter(|_| is_hidden).map(|value| (None, value));
    named.map(|(name, value)| (Some(name), value)).chain(unknown).collect()
}

/// What decides in a module. The modules inside it come first, so that a long chain of modules needs no deep recursion.
fn of(target: &ModuleTarget) -> &Deciding {
    let mut todo = vec![(target, false)];
    while let Some((at, is_ready)) = todo.pop() {
        let ModuleTarget::Bicep(model) = at else { continue };
        if model.deciding.get().is_some() {
            continue;
        }
        if is_ready {
            model.deciding.get_or_init(|| of_program(model));
            continue;
        }
        todo.push((at, true));
        let inner = model.modules.iter().filter_map(|module| model.module_target(module));
        todo.extend(inner.map(|target| (target, false)));
    }
    match target {
        ModuleTarget::Bicep(model) => model.deciding.get_or_init(|| of_program(model)),
        ModuleTarget::Template(template) => template.deciding.get_or_init(|| {
            template.root().map_or_else(Deciding::default, |root| deciding_template::of_template(root, 0))
        }),
    }
}

/// What decides in a program.
fn of_program(model: &Model) -> Deciding {
    let mut deciding = Deciding::default();
    let mut numbers: FxHashMap<SymbolId, usize> = FxHashMap::default();
    for symbol in &model.declarations.parameters {
        numbers.insert(*symbol, deciding.add(Some(&model.symbol(*symbol).name)));
    }
    for symbol in &model.declarations.variables {
        numbers.insert(*symbol, deciding.add(None));
    }
    let mentions = |node: SyntaxNode<'_>| -> Vec<usize> {
        model.mentions(model.file.node(node.id())).filter_map(|it| numbers.get(&it).copied()).collect()
    };
    for symbol in model.declarations.parameters.iter().chain(&model.declarations.variables) {
        let Some(number) = numbers.get(symbol) else { continue };
        let value = match model.statement_of(*symbol) {
            Some(Statement::ParameterDeclaration(it)) => {
                let modifier = it.modifier().and_then(SyntaxElement::node);
                modifier.and_then(ParameterDefaultValue::cast).map(|it| it.node())
            }
            Some(Statement::VariableDeclaration(it)) => Some(it.value().node()),
            _ => None,
        };
        deciding.mention(*number, value.map(&mentions).unwrap_or_default());
    }
    let resources = model.resources.iter().map(|it| (it.body, true));
    let modules = model.modules.iter().map(|it| (it.body, false));
    for (body, is_resource) in resources.chain(modules) {
        deciding.decide(body.condition.map(|it| mentions(model.file.node(it))).unwrap_or_default());
        let properties = model.body_object(&body).into_iter().flat_map(|object| object.properties());
        for property in properties {
            let decides = property.key().constant().is_some_and(|name| {
                name.eq_ignore_ascii_case("scope") || is_resource && name.eq_ignore_ascii_case("name")
            });
            if decides {
                deciding.decide(mentions(property.value().node()));
            }
        }
    }
    for module in &model.modules {
        for (_, value) in given(model, module) {
            deciding.decide(mentions(value.node()));
        }
    }
    deciding
}
