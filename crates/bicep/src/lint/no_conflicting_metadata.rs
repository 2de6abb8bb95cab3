//! `no-conflicting-metadata`: metadata that a decorator of its own gives as well.

use syntax::ast::Expr;
use syntax::{NodeKind, SyntaxNode};

use super::{Category, Example, LintCheck, LintRule, Linter};
use crate::decorators::DESCRIPTION;
use crate::symbols::CallSyntax;

pub(super) const RULE: LintRule = LintRule::new(
    "no-conflicting-metadata",
    Category::PotentialMistake,
    "Metadata is not given twice, by `@metadata()` and by a decorator of its own.",
    "`@description()` replaces a `description` in `@metadata()`, which is lost then.",
    &[
        Example::breaks(
            "@metadata({\n  description: 'How large.'\n})\n@description('How large it gets.')\nparam size int\n",
            "description",
        ),
        Example::keeps("@metadata({\n  unit: 'GB'\n})\n@description('How large it gets.')\nparam size int\n"),
    ],
    LintCheck::Nodes(&[NodeKind::Decorator], check),
);

fn check<'m>(linter: &mut Linter<'_, 'm>, node: SyntaxNode<'m>) {
    let model = linter.model;
    let Some(target) = model.parent(node) else { return };
    if model.parent(target).is_none_or(|outer| outer.kind() != NodeKind::Program) {
        return;
    }
    let Some((row, call)) = model.decorators(target).find(|(row, _)| row.name == "metadata") else { return };
    let own = syntax::ast::AstNode::cast(node).map(|it: syntax::ast::Decorator<'m>| it.expression());
    let is_first = own.and_then(CallSyntax::of).is_some_and(|own| own.node() == call.node());
    if !is_first || model.decorator(target, &DESCRIPTION).is_none() {
        return;
    }
    let Some(Expr::Object(object)) = call.argument(0) else { return };
    for property in object.properties().filter(|it| it.key().constant().as_deref() == Some("description")) {
        let message = format!("`@description()` replaces the description in `@{}()`", row.name);
        linter.report(property.key().span(), message);
    }
}
