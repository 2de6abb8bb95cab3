//! `no-unused-vars`: variables that nothing refers to.

use super::{Category, Example, LintCheck, LintRule, unused};

pub(super) const RULE: LintRule = LintRule::new(
    "no-unused-vars",
    Category::BestPractice,
    "Every variable is used.",
    "A variable that nothing refers to is left over, or a use of it is missing. One with `@export()` is for other files, \
        and the items of loops are not looked at.",
    &[
        Example::breaks("var old = 1\nvar size = 2\noutput size int = size\n", "old")
            .fixed("var size = 2\noutput size int = size\n"),
        Example::keeps("@export()\nvar size = 2\n"),
    ],
    LintCheck::File(|linter| {
        unused::report_unexported(linter, &linter.model.declarations.variables, "variable")
    }),
);
