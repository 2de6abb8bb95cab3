//! `prefer-interpolation`: texts that are put together by `concat`.

use syntax::SyntaxNode;
use syntax::ast::{AstNode as _, Expr};

use super::text::Interpolation;
use super::{CALLS, Category, Example, LintCheck, LintRule, Linter};
use crate::finding::Fix;
use crate::types::{Ty, assignable};

pub(super) const RULE: LintRule = LintRule::new(
    "prefer-interpolation",
    Category::Style,
    "Texts are put together by interpolation rather than by `concat`.",
    "`'${a}-${b}'` is shorter than `concat(a, '-', b)` and looks like its result. `concat` is still the way to join arrays.",
    &[
        Example::breaks(
            "param name string\noutput app string = concat('app-', name)\n",
            "concat('app-', name)",
        )
        .fixed("param name string\noutput app string = 'app-${name}'\n"),
        Example::keeps("param names array\noutput all array = concat(names, ['last'])\n"),
    ],
    LintCheck::Nodes(CALLS, check),
);

fn check<'m>(linter: &mut Linter<'_, 'm>, node: SyntaxNode<'m>) {
    let Some(call) = linter.call_of(node, "concat") else { return };
    if call.argument(1).is_none() || linter.checker.has_parse_errors(node) {
        return;
    }
    let Some(expr) = Expr::cast(node) else { return };
    let ty = linter.ty(expr);
    if ty.is_any() || !assignable(&ty, &Ty::string()) {
        return;
    }
    let mut written = Interpolation::new();
    for argument in call.arguments() {
        match argument {
            Expr::String(text) => written.string(text),
            other => written.hole(other.node().text()),
        }
    }
    let fix = Fix::replace("use interpolation", node.span(), written.written());
    linter.push(linter.finding(node.span(), "interpolation is easier to read than `concat`").with_fix(fix));
}
