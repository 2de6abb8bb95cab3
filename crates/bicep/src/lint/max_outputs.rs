//! `max-outputs`: how many outputs a template can have. Beyond that, a deployment is refused.

use super::declarations::{self, Limit};
use super::{Example, LintRule};
use crate::check::Checker;
use crate::finding::Severity;

/// `max-outputs`
pub(super) const RULE: LintRule = declarations::row(
    "max-outputs",
    "A file has at most 64 outputs.",
    "The deployment engine refuses a template with more. Put some of them into modules, or give several values as one object. The finding is at the first of them.",
    &[
        Example { program: "output o# string = ''\n", times: 65, found: Some("o1") },
        Example { program: "output o# string = ''\n", times: 64, found: None },
    ],
    check,
);

fn check(checker: &mut Checker<'_>, rule: &LintRule, severity: Severity) {
    let declared = &checker.model.declarations.outputs;
    declarations::check(checker, rule, severity, Limit { most: 64, what: "outputs", declared, imported: 0 });
}
