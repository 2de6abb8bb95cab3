//! `simplify-json-null`: `json('null')`, which is `null`.

use syntax::SyntaxNode;
use syntax::ast::Expr;

use super::{CALLS, Category, Example, LintCheck, LintRule, Linter};
use crate::finding::Fix;

pub(super) const RULE: LintRule = LintRule::new(
    "simplify-json-null",
    Category::BestPractice,
    "`json('null')` is written as `null`.",
    "The language has `null`, so there is no need to read it from a text.",
    &[
        Example::breaks("param on bool\noutput size int? = on ? 1 : json('null')\n", "json('null')")
            .fixed("param on bool\noutput size int? = on ? 1 : null\n"),
        Example::keeps("param on bool\noutput size int? = on ? 1 : null\n"),
    ],
    LintCheck::Nodes(CALLS, check),
);

fn check<'m>(linter: &mut Linter<'_, 'm>, node: SyntaxNode<'m>) {
    let Some(call) = linter.call_of(node, "json") else { return };
    let (Some(Expr::String(text)), None) = (call.argument(0), call.argument(1)) else { return };
    if text.constant().is_some_and(|text| text.trim() == "null") {
        let fix = Fix::replace("use `null`", node.span(), "null");
        linter.push(linter.finding(node.span(), "this is `null`").with_fix(fix));
    }
}
