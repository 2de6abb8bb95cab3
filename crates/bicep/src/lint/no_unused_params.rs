//! `no-unused-params`: parameters that nothing refers to.

use super::{Category, Example, LintCheck, LintRule, unused};

pub(super) const RULE: LintRule = LintRule::new(
    "no-unused-params",
    Category::BestPractice,
    "Every parameter is used.",
    "Whoever deploys the file has to give a value that changes nothing, or wonders what it is for. Remove the parameter, \
        or use it.",
    &[
        Example::breaks("param location string\nparam size int\noutput place string = location\n", "size")
            .fixed("param location string\noutput place string = location\n"),
        Example::keeps("param location string\noutput place string = location\n"),
    ],
    LintCheck::File(|linter| unused::report(linter, &linter.model.declarations.parameters, "parameter")),
);
