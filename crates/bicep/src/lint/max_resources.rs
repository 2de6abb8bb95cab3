//! `max-resources`: how many resources a template can have. Beyond that, a deployment is refused.

use super::declarations::{self, Limit};
use super::{Example, LintRule, Linter};

pub(super) const RULE: LintRule = declarations::row(
    "max-resources",
    "A file has at most 800 resources.",
    "The deployment engine refuses a template with more. Put some of them into modules, or declare those that are alike with a loop. The finding is at the first of them.",
    &[
        Example::breaks("resource r# 'Contoso.App/sites@2024-01-01' = { name: 'r#' }\n", "r1").repeated(801),
        Example::keeps("resource r# 'Contoso.App/sites@2024-01-01' = { name: 'r#' }\n").repeated(800),
    ],
    check,
);

fn check(linter: &mut Linter<'_, '_>) {
    let declared = &linter.model.declarations.resources;
    declarations::check(linter, Limit { most: 800, what: "resources", declared, imported: 0 });
}
