//! `max-params`: how many parameters a template can have. Beyond that, a deployment is refused.

use super::declarations::{self, Limit};
use super::{Example, LintRule, Linter};

pub(super) const RULE: LintRule = declarations::row(
    "max-params",
    "A file has at most 256 parameters.",
    "The deployment engine refuses a template with more. Put some of the declarations into modules, or take several values as one object. The finding is at the first of them.",
    &[
        Example::breaks("param p# string\n", "p1").repeated(257),
        Example::keeps("param p# string\n").repeated(256),
    ],
    check,
);

fn check(linter: &mut Linter<'_, '_>) {
    let declared = &linter.model.declarations.parameters;
    declarations::check(linter, Limit { most: 256, what: "parameters", declared, imported: 0 });
}
