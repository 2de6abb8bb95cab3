//! `no-deployments-resources`: deployments that are declared as resources.

use syntax::ast::{AstNode as _, ResourceDeclaration};

use super::{Category, Example, LintCheck, LintRule, Linter};

pub(super) const RULE: LintRule = LintRule::new(
    "no-deployments-resources",
    Category::BestPractice,
    "Modules are used rather than deployment resources.",
    "A template inside a deployment resource is not checked. A module does the same, and its parameters and outputs have \
        types.",
    &[
        Example::breaks(
            "resource nested 'Microsoft.Resources/deployments@2024-03-01' = {
  name: 'nested'
  properties: {
    mode: 'Incremental'
    template: {}
  }
}
",
            "'Microsoft.Resources/deployments@2024-03-01'",
        ),
        Example::keeps("resource app 'Contoso.App/sites@2024-01-01' = {\n  name: 'app'\n}\n"),
    ],
    LintCheck::File(check),
);

fn check(linter: &mut Linter<'_, '_>) {
    let model = linter.model;
    for resource in linter.azure_resources() {
        if !resource.ty.as_ref().is_some_and(|ty| ty.is("Microsoft.Resources/deployments")) {
            continue;
        }
        if let Some(declaration) = ResourceDeclaration::cast(model.node_of(resource.symbol)) {
            let name = &model.symbol(resource.symbol).name;
            linter
                .report(declaration.ty().span(), format!("`{name}` is a deployment, a module does the same"));
        }
    }
}
