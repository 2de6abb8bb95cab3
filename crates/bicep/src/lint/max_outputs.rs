//! `max-outputs`: how many outputs a template can have. Beyond that, a deployment is refused.

use super::declarations::{self, Limit};
use super::{Example, LintRule, Linter};

pub(super) const RULE: LintRule = declarations::row(
    "max-outputs",
    "A file has at most 64 outputs.",
    "The deployment engine refuses a template with more. Put some of them into modules, or give several values as one object. The finding is at the first of them.",
    &[
        Example::breaks("output o# string = ''\n", "o1").repeated(65),
        Example::keeps("output o# string = ''\n").repeated(64),
    ],
    check,
);

fn check(linter: &mut Linter<'_, '_>) {
    let declared = &linter.model.declarations.outputs;
    declarations::check(linter, Limit { most: 64, what: "outputs", declared, imported: 0 });
}
