//! `no-unused-types`: types that nothing refers to.

use super::{Category, Example, LintCheck, LintRule, unused};

pub(super) const RULE: LintRule = LintRule::new(
    "no-unused-types",
    Category::BestPractice,
    "Every type is used.",
    "A type that nothing refers to is left over, or a use of it is missing. One with `@export()` is for other files.",
    &[
        Example::breaks("type old = string\ntype size = int\noutput size size = 2\n", "old")
            .fixed("type size = int\noutput size size = 2\n"),
        Example::keeps("@export()\ntype size = int\n"),
    ],
    LintCheck::File(|linter| unused::report_unexported(linter, &linter.model.declarations.types, "type")),
);
