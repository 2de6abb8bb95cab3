//! What the rules about descriptions share.

use syntax::ast::{AstNode as _, Expr};
use syntax::{Span, SyntaxNode};

use super::{Category, Example, LintCheck, LintRule, Linter};
use crate::decorators::DESCRIPTION;
use crate::symbols::SymbolId;

/// The row of a rule of this kind.
pub(super) const fn row(
    name: &'static str,
    summary: &'static str,
    examples: &'static [Example],
    check: for<'m> fn(&mut Linter<'_, 'm>),
) -> LintRule {
    let documentation = "Descriptions are shown by editors and portals, and in documentation that is made from files. \
        One that is empty is as good as none.";
    LintRule::new(name, Category::BestPractice, summary, documentation, examples, LintCheck::File(check))
        .off()
}

/// Reports declarations without a description.
pub(super) fn declared(linter: &mut Linter<'_, '_>, symbols: &[SymbolId], what: &str) {
    for symbol in symbols {
        if let Some(span) = linter.checker.name_span(*symbol) {
            let name = linter.model.symbol(*symbol).name.as_str();
            described(linter, linter.model.node_of(*symbol), span, what, name);
        }
    }
}

/// Reports a declaration, or a part of a type, without a description.
pub(super) fn described<'m>(
    linter: &mut Linter<'_, 'm>,
    node: SyntaxNode<'m>,
    span: Span,
    what: &str,
    name: &str,
) {
    let Some(call) = linter.model.decorator(node, &DESCRIPTION) else {
        return linter.report(span, format!("the {what} `{name}` has no description"));
    };
    if let Some(Expr::String(text)) = call.argument(0)
        && text.constant().is_some_and(|text| text.trim().is_empty())
    {
        linter.report(text.span(), format!("the description of the {what} `{name}` is empty"));
    }
}
