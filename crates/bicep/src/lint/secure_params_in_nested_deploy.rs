//! `secure-params-in-nested-deploy`: secrets in deployments that are evaluated outside themselves.

use syntax::ast::Expr;

use super::{Category, Example, LintCheck, LintRule, Linter};
use crate::layout;
use crate::symbols::SymbolKind;

pub(super) const RULE: LintRule = LintRule::new(
    "secure-params-in-nested-deploy",
    Category::Security,
    "A deployment that is evaluated outside itself takes no secrets.",
    "The expressions of a nested template are evaluated before it is sent, unless `expressionEvaluationOptions.scope` is \
        `inner`. Secrets are part of the deployment then, and whoever may see it sees them. Modules do not have the problem.",
    &[
        Example::breaks(
            "@secure()
param key string

resource nested 'Microsoft.Resources/deployments@2024-03-01' = {
  name: 'nested'
  properties: {
    mode: 'Incremental'
    template: {
      variables: {
        key: key
      }
    }
  }
}
",
            "nested",
        ),
        Example::keeps(
            "resource nested 'Microsoft.Resources/deployments@2024-03-01' = {
  name: 'nested'
  properties: {
    mode: 'Incremental'
    template: {}
  }
}
",
        ),
    ],
    LintCheck::File(check),
);

fn check(linter: &mut Linter<'_, '_>) {
    let model = linter.model;
    let deployments = model
        .resources
        .iter()
        .filter(|resource| resource.ty.as_ref().is_some_and(|ty| ty.is("Microsoft.Resources/deployments")));
    let deployments: Vec<_> = deployments.collect();
    if deployments.is_empty() || layout::uses_symbolic_names(model) {
        return;
    }
    for resource in deployments {
        let Some(Expr::Object(properties)) = model.body_property(&resource.body, "properties") else {
            continue;
        };
        let inside = |object, name| model.property(object, name).map(|it| it.value());
        let scope = match inside(properties, "expressionEvaluationOptions") {
            Some(Expr::Object(options)) => inside(options, "scope"),
            _ => None,
        };
        let is_inner = match scope {
            Some(Expr::String(text)) => {
                text.constant().is_some_and(|text| text.eq_ignore_ascii_case("inner"))
            }
            _ => false,
        };
        if is_inner || !matches!(inside(properties, "template"), Some(Expr::Object(_))) {
            continue;
        }
        let Some(span) = linter.checker.name_span(resource.symbol) else { continue };
        let node = model.node_of(resource.symbol);
        let name = &model.symbol(resource.symbol).name;
        let secret = model.mentions(node).find(|symbol| {
            model.symbol(*symbol).kind == SymbolKind::Parameter && model.is_secure(model.node_of(*symbol))
        });
        if let Some(secret) = secret {
            let secret = &model.symbol(secret).name;
            linter.report(span, format!("the deployment `{name}` shows the secret `{secret}`"));
        }
        let list = node.descendants().filter_map(|node| linter.azure_call(node));
        let list = list.into_iter().find(|(_, call)| call.name().starts_with("list"));
        if let Some((_, call)) = list {
            linter.report(span, format!("the deployment `{name}` shows what `{}` gives", call.node().text()));
        }
    }
}
