//! `no-unused-existing-resources`: existing resources that nothing refers to.

use super::{Category, Example, LintCheck, LintRule, Linter, unused};
use crate::symbols::{ResourceId, SymbolId};

pub(super) const RULE: LintRule = LintRule::new(
    "no-unused-existing-resources",
    Category::BestPractice,
    "Every existing resource is used.",
    "An existing resource is not deployed. Without a use, or a resource that is declared inside it, it does nothing.",
    &[
        Example::breaks(
            "resource app 'Contoso.App/sites@2024-01-01' existing = {\n  name: 'app'\n}\n",
            "app",
        )
        .fixed(""),
        Example::keeps(
            "resource app 'Contoso.App/sites@2024-01-01' existing = {\n  name: 'app'\n}\n\noutput id string = app.id\n",
        ),
    ],
    LintCheck::File(check),
);

fn check(linter: &mut Linter<'_, '_>) {
    let model = linter.model;
    let nested: Vec<ResourceId> = model
        .resources
        .iter()
        .filter_map(|it| it.parent.filter(|it| it.is_nested))
        .map(|it| it.resource)
        .collect();
    let nested: rustc_hash::FxHashSet<ResourceId> = nested.into_iter().collect();
    let found = model.all_resources().filter(|(id, it)| it.is_existing && !nested.contains(id));
    let found: Vec<SymbolId> = found.map(|(_, resource)| resource.symbol).collect();
    unused::report(linter, &found, "existing resource");
}
