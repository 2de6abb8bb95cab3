//! `use-description-params`: parameters without a description.

use super::{Example, LintRule, descriptions};

pub(super) const RULE: LintRule = descriptions::row(
    "use-description-params",
    "Every parameter has a description.",
    &[
        Example::breaks("param size int\n", "size"),
        Example::keeps("@description('How large it gets.')\nparam size int\n"),
    ],
    |linter| descriptions::declared(linter, &linter.model.declarations.parameters, "parameter"),
);
