//! `no-explicit-any`: types that allow everything.

use syntax::ast::{AstNode as _, TypePropertyAccess};
use syntax::{NodeKind, SyntaxNode};

use super::{Category, Example, LintCheck, LintRule, Linter};
use crate::symbols::Binding;
use crate::types::{Ambient, BuiltIn};

pub(super) const RULE: LintRule = LintRule::new(
    "no-explicit-any",
    Category::BestPractice,
    "The type `any` is not written where another type is possible.",
    "Nothing is checked about a value of type `any`. A type that is not known yet can often be made of others with `|`.",
    &[Example::breaks("output settings any = {}\n", "any"), Example::keeps("output settings object = {}\n")],
    LintCheck::Nodes(&[NodeKind::TypeVariableAccess], check),
);

fn check<'m>(linter: &mut Linter<'_, 'm>, node: SyntaxNode<'m>) {
    let is_any = match linter.model.binding(node.id()) {
        Binding::Ambient(Ambient::Any) => true,
        Binding::Namespace(BuiltIn::Sys) => {
            let access = linter.model.parent(node).and_then(TypePropertyAccess::cast);
            access.is_some_and(|it| it.name().text() == "any")
        }
        _ => false,
    };
    if is_any {
        linter.report(node.span(), "nothing is checked about a value of type `any`");
    }
}
