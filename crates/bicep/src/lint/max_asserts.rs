//! `max-asserts`: how many assertions a template can have. Beyond that, a deployment is refused.

use super::declarations::{self, Limit};
use super::{Example, LintRule, Linter};

pub(super) const RULE: LintRule = declarations::row(
    "max-asserts",
    "A file has at most 32 assertions.",
    "The deployment engine refuses a template with more. Put some of them into modules, or join conditions with `&&`. The finding is at the first of them.",
    &[
        Example::breaks("assert a# = true\n", "a1").repeated(33),
        Example::keeps("assert a# = true\n").repeated(32),
    ],
    check,
);

fn check(linter: &mut Linter<'_, '_>) {
    // Those of a test file are not deployed.
    if linter.model.file.is_test() {
        return;
    }
    let declared = &linter.model.declarations.asserts;
    declarations::check(linter, Limit { most: 32, what: "assertions", declared, imported: 0 });
}
