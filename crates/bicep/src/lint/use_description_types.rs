//! `use-description-types`: types without a description.

use super::{Example, LintRule, Linter, descriptions};
use crate::decorators::Refines;
use crate::symbols::SymbolId;

pub(super) const RULE: LintRule = descriptions::row(
    "use-description-types",
    "Every type has a description.",
    &[
        Example::breaks("type size = int\n", "size"),
        Example::keeps("@description('How large it gets.')\ntype size = int\n"),
    ],
    check,
);

fn check(linter: &mut Linter<'_, '_>) {
    let model = linter.model;
    // The members of a type that is told apart by a property are described instead.
    let plain = |symbol: &&SymbolId| model.refined(model.node_of(**symbol), Refines::Discriminator).is_none();
    let plain: Vec<SymbolId> = model.declarations.types.iter().filter(plain).copied().collect();
    descriptions::declared(linter, &plain, "type");
}
