//! `use-description-type-properties`: properties of types without a description.

use syntax::ast::{AstNode as _, ObjectTypeAdditionalProperties, ObjectTypeProperty};

use super::{Example, LintRule, Linter, descriptions};

pub(super) const RULE: LintRule = descriptions::row(
    "use-description-type-properties",
    "Every property of a type has a description.",
    &[
        Example::breaks("type site = {\n  port: int\n}\n", "port"),
        Example::keeps("type site = {\n  @description('Where it listens.')\n  port: int\n}\n"),
    ],
    check,
);

fn check(linter: &mut Linter<'_, '_>) {
    for symbol in &linter.model.declarations.types {
        for node in linter.model.node_of(*symbol).descendants() {
            if let Some(property) = ObjectTypeProperty::cast(node) {
                if let Some(name) = property.key().constant() {
                    descriptions::described(linter, node, property.key().span(), "property", &name);
                }
            } else if let Some(asterisk) =
                ObjectTypeAdditionalProperties::cast(node).and_then(|it| it.asterisk())
            {
                descriptions::described(linter, node, asterisk.span(), "property", "*");
            }
        }
    }
}
