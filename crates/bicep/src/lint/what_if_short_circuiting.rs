//! `what-if-short-circuiting`: modules whose names and conditions are only known during the deployment.

use syntax::ast::AstNode as _;

use super::{Category, Example, LintCheck, LintRule, Linter, deciding};

pub(super) const RULE: LintRule = LintRule::new(
    "what-if-short-circuiting",
    Category::PotentialMistake,
    "Names and conditions are known before the deployment, so that a preview can tell what will change.",
    "What-if does not deploy anything. If a parameter of a module is used in a condition, or in the name, the scope or the \
        API version of a resource, and its value is only known during the deployment, what-if cannot look into the module. \
        Parameters that are handed on to other modules count, and so do those that default values are made from. In the \
        examples, `named.bicep` uses `name` as the name of a resource.",
    &[
        Example::breaks(
            "resource app 'Test.Rp/secrets@2024-01-01' existing = {
  name: 'app'
}

module other 'named.bicep' = {
  name: 'other'
  params: {
    name: app.properties.password
  }
}
",
            "app.properties.password",
        ),
        Example::keeps(
            "resource app 'Test.Rp/secrets@2024-01-01' existing = {
  name: 'app'
}

module other 'named.bicep' = {
  name: 'other'
  params: {
    name: app.name
  }
}
",
        ),
    ],
    LintCheck::File(check),
)
.off();

fn check(linter: &mut Linter<'_, '_>) {
    let model = linter.model;
    for module in &model.modules {
        for (parameter, value) in deciding::given(model, module) {
            if linter.checker.is_known_early(value.node()) {
                continue;
            }
            let parameter = match parameter {
                Some(name) => format!("`{name}`"),
                None => "a parameter".to_owned(),
            };
            let message = format!(
                "{parameter} of the module `{}` decides which resources there are, and this value is only known during the \
                    deployment, so that what-if cannot tell what changes",
                model.symbol(module.symbol).name
            );
            linter.report(value.node().span(), message);
        }
    }
}
