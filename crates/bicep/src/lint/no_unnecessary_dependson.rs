//! `no-unnecessary-dependson`: dependencies that are listed although references say the same.

use rustc_hash::FxHashSet;
use syntax::ast::{Array, AstNode as _, Expr, Object};
use syntax::{Span, SyntaxNode};

use super::{Category, Example, LintCheck, LintRule, Linter, unused};
use crate::finding::Fix;
use crate::layout::{Dependencies, inferred_dependencies};
use crate::symbols::{BodyNodes, Model, SymbolId, SymbolKind};

pub(super) const RULE: LintRule = LintRule::new(
    "no-unnecessary-dependson",
    Category::BestPractice,
    "Dependencies that follow from references are not listed once more.",
    "A resource waits for what it refers to, directly or through others. Listing that in `dependsOn` as well only has to be \
        kept up to date. Entries that name a whole collection are not looked at.",
    &[
        Example::breaks(
            "resource plan 'Contoso.App/plans@2024-01-01' = {
  name: 'plan'
}

resource app 'Contoso.App/sites@2024-01-01' = {
  name: 'app-${plan.name}'
  dependsOn: [
    plan
  ]
}
",
            "plan",
        )
        .fixed(
            "resource plan 'Contoso.App/plans@2024-01-01' = {
  name: 'plan'
}

resource app 'Contoso.App/sites@2024-01-01' = {
  name: 'app-${plan.name}'
}
",
        ),
        Example::keeps(
            "resource plan 'Contoso.App/plans@2024-01-01' = {
  name: 'plan'
}

resource app 'Contoso.App/sites@2024-01-01' = {
  name: 'app'
  dependsOn: [
    plan
  ]
}
",
        ),
    ],
    LintCheck::File(check),
);

fn check(linter: &mut Linter<'_, '_>) {
    let model = linter.model;
    let resources = model.resources.iter().map(|it| (it.symbol, &it.body));
    let modules = model.modules.iter().map(|it| (it.symbol, &it.body));
    let mut inferred: Option<Dependencies> = None;
    for (symbol, body) in resources.chain(modules) {
        let Some(Expr::Array(list)) = model.body_property(body, "dependsOn") else { continue };
        let inferred = inferred.get_or_insert_with(|| inferred_dependencies(model));
        let mut known = reached(model, inferred, symbol);
        for item in crate::check::array_items(list) {
            let Some(target) = model.symbol_in(item).filter(|target| !is_collection(model, *target)) else {
                continue;
            };
            if known.insert(target) {
                continue;
            }
            let name = &model.symbol(target).name;
            let message = format!("`{name}` is waited for anyway, because something refers to it");
            let mut finding = linter.finding(item.span(), message);
            if let Some(span) = goes(linter, body, list, item.node()) {
                finding = finding.with_fix(Fix::replace("remove the dependency", span, ""));
            }
            linter.push(finding);
        }
    }
}

fn is_collection(model: &Model, symbol: SymbolId) -> bool {
    let resource = model.resource_of(symbol).is_some_and(|it| it.body.is_collection());
    resource || model.module_of(symbol).is_some_and(|it| it.body.is_collection())
}

/// All that a declaration waits for because it refers to it, directly or through others.
fn reached(model: &Model, inferred: &Dependencies, from: SymbolId) -> FxHashSet<SymbolId> {
    let mut found = FxHashSet::default();
    let mut seen = FxHashSet::default();
    let mut open = vec![from];
    while let Some(symbol) = open.pop() {
        for dependency in inferred.get(&symbol).into_iter().flatten() {
            let target = dependency.target;
            if seen.insert(target) {
                open.push(target);
            }
            // An existing resource of which nothing is read is not waited for.
            let existing = model.resource_of(target).is_some_and(|resource| resource.is_existing);
            if !(dependency.weak && existing && model.symbol(target).kind == SymbolKind::Resource) {
                found.insert(target);
            }
        }
    }
    found
}

/// The text that goes with an entry: the whole property if it is the only one.
fn goes<'m>(
    linter: &Linter<'_, 'm>,
    body: &BodyNodes,
    list: Array<'m>,
    item: SyntaxNode<'m>,
) -> Option<Span> {
    let object: Object<'m> = linter.model.body_object(body)?;
    if linter.checker.has_parse_errors(object.node()) {
        return None;
    }
    if crate::check::array_items(list).count() == 1 {
        return Some(unused::row(linter.model.property(object, "dependsOn")?.node()));
    }
    Some(unused::row(item))
}
