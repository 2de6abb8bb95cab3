//! `max-variables`: how many variables a template can have. Beyond that, a deployment is refused.

use super::declarations::{self, Limit};
use super::{Example, LintRule};
use crate::check::Checker;
use crate::finding::Severity;
use crate::symbols::{ExportKind, Model};

/// `max-variables`
pub(super) const RULE: LintRule = declarations::row(
    "max-variables",
    "A file has at most 512 variables.",
    "The deployment engine refuses a template with more. Put some of them into modules, or several values into one \
        object. Variables that are imported by name count too; a file that only offers values to others has as many as \
        it likes. The finding is at the first of them.",
    &[
        Example { program: "var v# = #\n", times: 513, found: Some("v1") },
        Example { program: "var v# = #\n", times: 512, found: None },
        Example { program: "@export()\nvar v# = #\n", times: 513, found: None },
    ],
    check,
);

fn check(checker: &mut Checker<'_>, rule: &LintRule, severity: Severity) {
    if is_library(checker.model) {
        return;
    }
    let imported = checker.model.imported.iter().filter(|item| item.kind == ExportKind::Variable).count();
    let declared = &checker.model.declarations.variables;
    declarations::check(checker, rule, severity, Limit { most: 512, what: "variables", declared, imported });
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
