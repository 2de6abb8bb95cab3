//! `use-description-vars`: variables without a description.

use super::{Example, LintRule, descriptions};

pub(super) const RULE: LintRule = descriptions::row(
    "use-description-vars",
    "Every variable has a description.",
    &[
        Example::breaks("var size = 1\n", "size"),
        Example::keeps("@description('How large it gets.')\nvar size = 1\n"),
    ],
    |linter| descriptions::declared(linter, &linter.model.declarations.variables, "variable"),
);
