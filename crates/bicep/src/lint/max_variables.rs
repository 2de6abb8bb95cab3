//! `max-variables`: how many variables a template can have. Beyond that, a deployment is refused.

use super::declarations::{self, Limit};
use super::{Example, LintRule, Linter};
use crate::symbols::{ExportKind, Model};

pub(super) const RULE: LintRule = declarations::row(
    "max-variables",
    "A file has at most 512 variables.",
    "The deployment engine refuses a template with more. Put some of them into modules, or several values into one \
        object. Variables that are imported by name count too; a file that only offers values to others has as many as \
        it likes. The finding is at the first of them.",
    &[
        Example::breaks("var v# = #\n", "v1").repeated(513),
        Example::keeps("var v# = #\n").repeated(512),
        Example::keeps("@export()\nvar v# = #\n").repeated(513),
    ],
    check,
);

fn check(linter: &mut Linter<'_, '_>) {
    if is_library(linter.model) {
        return;
    }
    let imported = linter.model.imported.iter().filter(|item| item.kind == ExportKind::Variable).count();
    let declared = &linter.model.declarations.variables;
    declarations::check(linter, Limit { most: 512, what: "variables", declared, imported });
}

/// Tells whether a file deploys nothing, and only offers values to others.
fn is_library(model: &Model) -> bool {
    let declarations = &model.declarations;
    let deployed =
        [&declarations.modules, &declarations.resources, &declarations.parameters, &declarations.outputs];
    deployed.into_iter().all(Vec::is_empty)
        && declarations
            .variables
            .iter()
            .any(|variable| model.decorator(model.node_of(*variable), &crate::decorators::EXPORT).is_some())
}
