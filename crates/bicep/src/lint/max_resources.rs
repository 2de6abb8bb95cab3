//! `max-resources`: how many resources a template can have. Beyond that, a deployment is refused.

use super::declarations::{self, Limit};
use super::{Example, LintRule};
use crate::check::Checker;
use crate::finding::Severity;

/// `max-resources`
pub(super) const RULE: LintRule = declarations::row(
    "max-resources",
    "A file has at most 800 resources.",
    "The deployment engine refuses a template with more. Put some of them into modules, or declare those that are alike with a loop. The finding is at the first of them.",
    &[
        Example {
            program: "resource r# 'Contoso.App/sites@2024-01-01' = { name: 'r#' }\n",
            times: 801,
            found: Some("r1"),
        },
        Example {
            program: "resource r# 'Contoso.App/sites@2024-01-01' = { name: 'r#' }\n",
            times: 800,
            found: None,
        },
    ],
    check,
);

fn check(checker: &mut Checker<'_>, rule: &LintRule, severity: Severity) {
    let declared = &checker.model.declarations.resources;
    declarations::check(
        checker,
        rule,
        severity,
        Limit { most: 800, what: "resources", declared, imported: 0 },
    );
}
