//! `use-user-defined-types`: parameters and outputs that are any object or array.

use syntax::ast::{AstNode as _, TypeVariableAccess};
use syntax::{NodeKind, SyntaxNode};

use super::{Category, Example, LintCheck, LintRule, Linter};

pub(super) const RULE: LintRule = LintRule::new(
    "use-user-defined-types",
    Category::BestPractice,
    "Types say more than `object` and `array`.",
    "A type that names its properties or items lets editors complete them and mistakes show before a deployment.",
    &[
        Example::breaks("param site object\n", "object"),
        Example::keeps("param site { name: string, ports: int[] }\n"),
    ],
    LintCheck::Nodes(&[NodeKind::TypeVariableAccess], check),
)
.off();

fn check<'m>(linter: &mut Linter<'_, 'm>, node: SyntaxNode<'m>) {
    let name = TypeVariableAccess::cast(node).map(|it| it.name().text());
    if let Some(name @ ("object" | "array")) = name {
        linter.report(node.span(), format!("`{name}` says nothing about what is in it"));
    }
}
