//! `no-conflicting-metadata`: metadata that a decorator of its own gives as well.

use syntax::ast::{AstNode as _, Decorator, Expr};
use syntax::{NodeKind, SyntaxNode};

use super::{Category, Example, LintCheck, LintRule, Linter};
use crate::decorators::{Applied, DESCRIPTION};
use crate::symbols::CallSyntax;

/// The decorator that gives any metadata.
const METADATA: &str = "metadata";

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
    // All others are only looked at for one that gives metadata: a declaration can have very many.
    let Some(own) = Decorator::cast(node) else { return };
    if !matches!(model.applied(own), Some(Applied::BuiltIn(row)) if row.name == METADATA) {
        return;
    }
    let Some((row, call)) = model.decorators(target).find(|(row, _)| row.name == METADATA) else { return };
    let is_first = CallSyntax::of(own.expression()).is_some_and(|own| own.node() == call.node());
    if !is_first || model.decorator(target, &DESCRIPTION).is_none() {
        return;
    }
    let Some(Expr::Object(object)) = call.argument(0) else { return };
    for property in object.properties().filter(|it| it.key().constant().as_deref() == Some("description")) {
        let message = format!("`@description()` replaces the description in `@{}()`", row.name);
        linter.report(property.key().span(), message);
    }
}
