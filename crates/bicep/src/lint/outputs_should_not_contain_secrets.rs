//! `outputs-should-not-contain-secrets`: outputs that give secrets away.

use syntax::ast::{AstNode as _, OutputDeclaration};
use syntax::{NodeKind, SyntaxNode};

use super::{Category, Example, LintCheck, LintRule, Linter, secrets};

pub(super) const RULE: LintRule = LintRule::new(
    "outputs-should-not-contain-secrets",
    Category::Security,
    "Outputs hold no secrets, because anyone can read them.",
    "The outputs of a deployment are kept with it, and whoever may see the deployment sees them. Secrets are the values of \
        `@secure()` parameters and the results of `list` functions; an output whose name has `password` in it is taken for \
        one. An output can be `@secure()` itself.",
    &[
        Example::breaks(
            "@secure()\nparam key string\noutput url string = 'https://host?key=${key}'\n",
            "key",
        ),
        Example::keeps(
            "@secure()\nparam key string\n@secure()\noutput url string = 'https://host?key=${key}'\n",
        ),
    ],
    LintCheck::Nodes(&[NodeKind::OutputDeclaration], check),
);

fn check<'m>(linter: &mut Linter<'_, 'm>, node: SyntaxNode<'m>) {
    let Some(output) = OutputDeclaration::cast(node) else { return };
    if linter.model.is_secure(node) {
        return;
    }
    let name = output.name();
    if name.text().to_ascii_lowercase().contains("password") {
        linter.report(node.span(), format!("the output `{}` seems to be a password", name.text()));
    }
    for secret in secrets::find(linter, node) {
        linter.report(
            secret.span,
            format!("{} may be a secret, and outputs can be read by anyone", secret.what),
        );
    }
}
