//! `max-asserts`: how many assertions a template can have. Beyond that, a deployment is refused.

use super::declarations::{self, Limit};
use super::{Example, LintRule};
use crate::check::Checker;
use crate::finding::Severity;

/// `max-asserts`
pub(super) const RULE: LintRule = declarations::row(
    "max-asserts",
    "A file has at most 32 assertions.",
    "The deployment engine refuses a template with more. Put some of them into modules, or join conditions with `&&`. The finding is at the first of them.",
    &[
        Example { program: "assert a# = true\n", times: 33, found: Some("a1") },
        Example { program: "assert a# = true\n", times: 32, found: None },
    ],
    check,
);

fn check(checker: &mut Checker<'_>, rule: &LintRule, severity: Severity) {
    let declared = &checker.model.declarations.asserts;
    declarations::check(
        checker,
        rule,
        severity,
        Limit { most: 32, what: "assertions", declared, imported: 0 },
    );
}
