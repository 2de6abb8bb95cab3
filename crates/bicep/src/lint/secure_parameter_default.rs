//! `secure-parameter-default`: secrets that are written into the file.

use syntax::Span;
use syntax::SyntaxElement;
use syntax::ast::{AstNode as _, Expr, ParameterDefaultValue, Statement};

use super::{Category, Example, LintCheck, LintRule, Linter};
use crate::finding::Fix;
use crate::types::TypeFlags;

pub(super) const RULE: LintRule = LintRule::new(
    "secure-parameter-default",
    Category::Security,
    "A secret has no default value but an empty or a new one.",
    "Everyone who has the file knows a default value that is written into it. An empty text or object, a value that is \
        a secret itself, and what `newGuid()` makes are fine.",
    &[
        Example::breaks("@secure()\nparam key string = 'abc'\noutput size int = length(key)\n", "= 'abc'")
            .fixed("@secure()\nparam key string\noutput size int = length(key)\n"),
        Example::keeps("@secure()\nparam key string = newGuid()\noutput size int = length(key)\n"),
    ],
    LintCheck::File(check),
);

fn check(linter: &mut Linter<'_, '_>) {
    let model = linter.model;
    for symbol in &model.declarations.parameters {
        let node = model.node_of(*symbol);
        let Some(Statement::ParameterDeclaration(it)) = Statement::cast(node) else { continue };
        let default = it.modifier().and_then(SyntaxElement::node).and_then(ParameterDefaultValue::cast);
        let Some(default) = default.filter(|_| model.is_secure(node)) else { continue };
        let value = default.value();
        let is_empty = match value {
            Expr::String(text) => text.constant().as_deref() == Some(""),
            Expr::Object(object) => object.properties().next().is_none(),
            _ => false,
        };
        if is_empty || value.node().descendants().any(|node| linter.call_of(node, "newGuid").is_some()) {
            continue;
        }
        if linter.ty(value).flags().contains(TypeFlags::SECURE) {
            continue;
        }
        let name = &model.symbol(*symbol).name;
        let message = format!("everyone with the file knows the default value of the secret `{name}`");
        let goes = Span::new(it.ty().span().end, default.span().end);
        let fix = Fix::replace("remove the default value", goes, "");
        linter.push(linter.finding(default.span(), message).with_fix(fix));
    }
}
