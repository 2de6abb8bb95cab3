//! `nested-deployment-template-scoping`: templates that are written out inside deployment resources. Where their
//! expressions are evaluated inside, they see nothing of the program around them.

use syntax::NodeKind;
use syntax::ast::{AstNode as _, Expr};

use super::{Category, Example, LintCheck, LintRule, Linter, value_of};
use crate::layout;
use crate::symbols::ScopeKind;

pub(super) const RULE: LintRule = LintRule::new(
    "nested-deployment-template-scoping",
    Category::DeploymentError,
    "A template inside a deployment resource does not refer to what is declared outside it.",
    "A template in the body of a deployment resource is evaluated inside that deployment if \
        `expressionEvaluationOptions.scope` is `inner`, or if the template around it uses symbolic names. It cannot refer \
        to parameters, variables or resources of the file then. Pass values as parameters of the nested template, or \
        use a module.",
    &[
        Example::breaks(
            "param size int

resource nested 'Microsoft.Resources/deployments@2024-03-01' = {
  name: 'nested'
  properties: {
    mode: 'Incremental'
    expressionEvaluationOptions: {
      scope: 'inner'
    }
    template: {
      outputs: {
        size: {
          type: 'int'
          value: size
        }
      }
    }
  }
}
",
            "size",
        ),
        Example::keeps(
            "param size int

resource nested 'Microsoft.Resources/deployments@2024-03-01' = {
  name: 'nested'
  properties: {
    mode: 'Incremental'
    parameters: {
      size: {
        value: size
      }
    }
    template: {
    }
  }
}
",
        ),
    ],
    LintCheck::File(check),
);

/// Reports what templates inside deployments refer to and do not see.
fn check(linter: &mut Linter<'_, '_>) {
    let model = linter.model;
    let mut inner_by_default = None;
    for symbol in &model.declarations.resources {
        let declared = linter.checker.declared_resource(*symbol);
        let is_deployment = declared.as_resource().is_some_and(|it| {
            it.extension.is_none()
                && it.reference.name.eq_ignore_ascii_case("Microsoft.Resources/deployments")
        });
        let body = model.resource_of(*symbol).and_then(|resource| model.body_object(&resource.body));
        let Some(body) = body.filter(|_| is_deployment) else { continue };
        let Some(Expr::Object(properties)) = value_of(body, "properties") else { continue };
        let Some(template) = value_of(properties, "template") else { continue };
        let options = value_of(properties, "expressionEvaluationOptions");
        let scope = match options {
            Some(Expr::Object(options)) => value_of(options, "scope"),
            _ => None,
        };
        let said = scope.is_some_and(|scope| {
            linter.ty(scope).as_string_literal().is_some_and(|text| text.eq_ignore_ascii_case("inner"))
        });
        let inner = said || *inner_by_default.get_or_insert_with(|| layout::uses_symbolic_names(model));
        if !inner {
            continue;
        }
        let used = template.node().descendants().filter(|node| {
            matches!(
                node.kind(),
                NodeKind::VariableAccess | NodeKind::ResourceAccess | NodeKind::FunctionCall
            )
        });
        for node in used {
            let Some(symbol) = model.symbol_at(node) else { continue };
            let known = model.symbol(symbol);
            if model.scope(known.scope).kind == ScopeKind::File {
                let message =
                    format!("the nested template cannot refer to `{}` of the file around it", known.name);
                let finding = linter.finding(node.span(), message);
                linter.push(finding.with_hint("pass it as a parameter of the nested template"));
            }
        }
    }
}
