//! `secure-params-in-parameters-file`: secrets that are given to parameters that do not keep them.

use syntax::ast::{AstNode as _, Statement};

use super::{Category, Example, LintCheck, LintRule, Linter};
use crate::symbols::SymbolKind;
use crate::types::holds_secret;

pub(super) const RULE: LintRule = LintRule::new(
    "secure-params-in-parameters-file",
    Category::Security,
    "A parameters file gives secrets only to parameters that keep them.",
    "The value of a parameter that is not `@secure()` is shown in the history of deployments, also if it is made from one \
        that is.",
    &[
        Example::breaks(
            "using 'main.bicep'\n\nparam key = 'abc'\nparam text = 'key: ${key}'\n",
            "'key: ${key}'",
        )
        .using("@secure()\nparam key string\nparam text string\n"),
        Example::keeps("using 'main.bicep'\n\nparam key = 'abc'\nparam text = 'key'\n")
            .using("@secure()\nparam key string\nparam text string\n"),
    ],
    LintCheck::File(check),
);

fn check(linter: &mut Linter<'_, '_>) {
    let model = linter.model;
    if model.declarations.assignments.is_empty() {
        return;
    }
    let Some(interface) = linter.checker.using_interface() else { return };
    let is_secret = |name: &str| interface.parameters.get(name).map(|it| holds_secret(&it.ty));
    for symbol in &model.declarations.assignments {
        let name = &model.symbol(*symbol).name;
        if is_secret(name) != Some(false) {
            continue;
        }
        let used = linter.checker.closure(*symbol).into_iter().map(|used| model.symbol(used));
        let mut secrets =
            used.filter(|it| it.kind == SymbolKind::ParameterAssignment && is_secret(&it.name) == Some(true));
        let Some(secret) = secrets.next() else { continue };
        if let Some(Statement::ParameterAssignment(it)) = model.statement_of(*symbol) {
            let message = format!("the value of `{name}` is made from the secret `{}`", secret.name);
            linter.report(it.value().span(), message);
        }
    }
}
