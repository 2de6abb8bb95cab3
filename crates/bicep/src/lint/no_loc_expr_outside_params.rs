//! `no-loc-expr-outside-params`: the location of the deployment, used elsewhere than as a default.

use syntax::{NodeKind, SyntaxNode};

use super::{Category, Example, LintCheck, LintRule, Linter, locations};

pub(super) const RULE: LintRule = LintRule::new(
    "no-loc-expr-outside-params",
    Category::Location,
    "The location of a resource group or deployment is only the default value of a parameter.",
    "With a parameter, whoever deploys the file can choose another place for its resources than that of the group.",
    &[
        Example::breaks("output place string = resourceGroup().location\n", "resourceGroup().location"),
        Example::keeps("param location string = resourceGroup().location\noutput place string = location\n"),
    ],
    LintCheck::Nodes(&[NodeKind::PropertyAccess], check),
);

fn check<'m>(linter: &mut Linter<'_, 'm>, node: SyntaxNode<'m>) {
    let Some(what) = locations::of_deployment(node) else { return };
    let mut at = linter.model.parent(node);
    while let Some(outer) = at {
        if outer.kind() == NodeKind::ParameterDeclaration {
            return;
        }
        at = linter.model.parent(outer);
    }
    linter.report(node.span(), format!("`{what}` should only be the default value of a parameter"));
}
