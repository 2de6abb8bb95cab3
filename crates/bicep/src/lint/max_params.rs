//! `max-params`: how many parameters a template can have. Beyond that, a deployment is refused.

use super::declarations::{self, Limit};
use super::{Example, LintRule};
use crate::check::Checker;
use crate::finding::Severity;

/// `max-params`
pub(super) const RULE: LintRule = declarations::row(
    "max-params",
    "A file has at most 256 parameters.",
    "The deployment engine refuses a template with more. Put some of the declarations into modules, or take several values as one object. The finding is at the first of them.",
    &[
        Example { program: "param p# string\n", times: 257, found: Some("p1") },
        Example { program: "param p# string\n", times: 256, found: None },
    ],
    check,
);

fn check(checker: &mut Checker<'_>, rule: &LintRule, severity: Severity) {
    let declared = &checker.model.declarations.parameters;
    declarations::check(
        checker,
        rule,
        severity,
        Limit { most: 256, what: "parameters", declared, imported: 0 },
    );
}
