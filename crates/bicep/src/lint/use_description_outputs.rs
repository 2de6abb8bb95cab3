//! `use-description-outputs`: outputs without a description.

use super::{Example, LintRule, descriptions};

pub(super) const RULE: LintRule = descriptions::row(
    "use-description-outputs",
    "Every output has a description.",
    &[
        Example::breaks("output size int = 1\n", "size"),
        Example::keeps("@description('How large it is.')\noutput size int = 1\n"),
    ],
    |linter| descriptions::declared(linter, &linter.model.declarations.outputs, "output"),
);
