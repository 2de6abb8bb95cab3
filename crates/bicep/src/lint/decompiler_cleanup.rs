//! `decompiler-cleanup`: names that a decompiler made up.

use syntax::ast::{AstNode as _, Expr};

use super::{Category, Example, LintCheck, LintRule, Linter};

pub(super) const RULE: LintRule = LintRule::new(
    "decompiler-cleanup",
    Category::BestPractice,
    "What a decompiler could not translate well is cleaned up.",
    "A decompiler adds `_resource` and `_var` to names that would clash. Better names say what things are for.",
    &[
        Example::breaks("var size_var = 1\noutput size int = size_var\n", "size_var"),
        Example::keeps("var size = 1\noutput size int = size\n"),
    ],
    LintCheck::File(check),
);

fn check(linter: &mut Linter<'_, '_>) {
    let model = linter.model;
    for resource in linter.azure_resources() {
        let name = &model.symbol(resource.symbol).name;
        if let Some(Expr::String(text)) = model.body_property(&resource.body, "name")
            && is_made_up(name, "_resource")
        {
            linter.report(
                text.span(),
                format!("a decompiler named the resource `{name}`, a better name helps readers"),
            );
        }
    }
    for symbol in &model.declarations.variables {
        let name = &model.symbol(*symbol).name;
        if let Some(span) = linter.checker.name_span(*symbol).filter(|_| is_made_up(name, "_var")) {
            linter.report(
                span,
                format!("a decompiler named the variable `{name}`, a better name helps readers"),
            );
        }
    }
}

fn is_made_up(name: &str, ending: &str) -> bool {
    let start = name.strip_suffix(ending);
    start.is_some_and(|start| start.bytes().next_back().is_some_and(|last| last.is_ascii_alphanumeric()))
}
