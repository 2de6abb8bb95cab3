//! `secure-secrets-in-params`: parameters that look like secrets and are not kept secret.

use syntax::Span;

use super::{Category, Example, LintCheck, LintRule, Linter};
use crate::finding::Fix;
use crate::symbols::{SymbolId, SymbolKind};
use crate::types::{Ty, assignable};

pub(super) const RULE: LintRule = LintRule::new(
    "secure-secrets-in-params",
    Category::Security,
    "A parameter whose name says that it is a secret is `@secure()`.",
    "The values of other parameters are shown in the history of deployments. A parameter is taken for a secret if its name \
        has `password`, `pwd`, `secret`, `accountkey` or `acctkey` in it (unless it is about names, versions, addresses or \
        permissions of secrets), or if its default value is made from a secret.",
    &[
        Example::breaks(
            "param adminPassword string\noutput size int = length(adminPassword)\n",
            "adminPassword",
        )
        .fixed("@secure()\nparam adminPassword string\noutput size int = length(adminPassword)\n"),
        Example::keeps("param secretName string\noutput size int = length(secretName)\n"),
    ],
    LintCheck::File(check),
);

const SECRET: [&str; 5] = ["password", "pwd", "secret", "accountkey", "acctkey"];
const NOT_SECRET: [&str; 5] = ["secretpermissions", "secretversion", "secreturi", "secreturl", "secretname"];

fn check(linter: &mut Linter<'_, '_>) {
    let model = linter.model;
    for symbol in &model.declarations.parameters {
        let node = model.node_of(*symbol);
        if is_secure(linter, *symbol) {
            continue;
        }
        let name = model.symbol(*symbol).name.to_ascii_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| name.contains(word));
        let by_name = says(&SECRET) && !says(&NOT_SECRET) && holds_text(linter, *symbol);
        let by_default = || {
            model
                .mentions(node)
                .any(|used| model.symbol(used).kind == SymbolKind::Parameter && is_secure(linter, used))
        };
        if !by_name && !by_default() {
            continue;
        }
        let Some(span) = linter.checker.name_span(*symbol) else { continue };
        let at = Span::empty(node.span().start);
        let fix = Fix::replace("make the parameter `@secure()`", at, "@secure()\n");
        let message =
            format!("the parameter `{}` is a secret, but not `@secure()`", model.symbol(*symbol).name);
        linter.push(linter.finding(span, message).with_fix(fix));
    }
}

fn is_secure(linter: &Linter<'_, '_>, parameter: SymbolId) -> bool {
    linter.model.is_secure(linter.model.node_of(parameter))
}

/// Tells whether a parameter is a text or an object.
fn holds_text(linter: &mut Linter<'_, '_>, parameter: SymbolId) -> bool {
    let ty = linter.checker.quietly(|checker| checker.symbol_type(parameter));
    !ty.is_any() && (assignable(&ty, &Ty::string()) || assignable(&ty, &Ty::object()))
}
