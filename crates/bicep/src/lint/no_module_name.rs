//! `no-module-name`: modules with names of their own.

use syntax::ast::AstNode as _;

use super::{Category, Example, LintCheck, LintRule, Linter, unused};
use crate::finding::Fix;

pub(super) const RULE: LintRule = LintRule::new(
    "no-module-name",
    Category::BestPractice,
    "Modules are not named, so that names cannot clash.",
    "The name of a module is the name of a deployment. Two deployments with one name that run at the same time get in each \
        other's way; without a name, the compiler makes one that differs.",
    &[
        Example::breaks("module app 'shared.bicep' = {\n  name: 'app'\n  params: {}\n}\n", "name: 'app'")
            .fixed("module app 'shared.bicep' = {\n  params: {}\n}\n"),
        Example::keeps("module app 'shared.bicep' = {}\n"),
    ],
    LintCheck::File(check),
)
.off();

fn check(linter: &mut Linter<'_, '_>) {
    let model = linter.model;
    for module in &model.modules {
        let Some(body) = model.body_object(&module.body) else { continue };
        let Some(name) = model.property(body, "name") else { continue };
        let mut finding = linter.finding(name.span(), "the module needs no name of its own");
        if !linter.checker.has_parse_errors(body.node()) {
            finding = finding.with_fix(Fix::replace("remove the name", unused::row(name.node()), ""));
        }
        linter.push(finding);
    }
}
