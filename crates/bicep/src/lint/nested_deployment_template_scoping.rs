//! `nested-deployment-template-scoping`: templates that are written out inside deployment resources. Where their
//! expressions are evaluated inside, they see nothing of the program around them.

use syntax::NodeKind;
use syntax::ast::{AstNode as _, Expr, Object, ObjectProperty};

use super::{Category, Example, LintRule};
use crate::check::Checker;
use crate::finding::Severity;
use crate::layout;
use crate::symbols::ScopeKind;

/// `nested-deployment-template-scoping`
pub(super) const RULE: LintRule = LintRule {
    name: "nested-deployment-template-scoping",
    category: Category::DeploymentError,
    override_level: None,
    summary: "A template inside a deployment resource does not refer to what is declared outside it.",
    documentation: "A template in the body of a deployment resource is evaluated inside that deployment if \
        `expressionEvaluationOptions.scope` is `inner`, or if the template around it uses symbolic names. It cannot refer \
        to parameters, variables or resources of the file then. Pass values as parameters of the nested template, or \
        use a module.",
    examples: &[
        Example {
            program: "param size int

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
            times: 1,
            found: Some("size"),
        },
        Example {
            program: "param size int

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
            times: 1,
            found: None,
        },
    ],
    check: Some(check),
};

/// Reports what templates inside deployments refer to and do not see.
fn check(checker: &mut Checker<'_>, rule: &LintRule, severity: Severity) {
    let model = checker.model;
    let mut inner_by_default = None;
    for symbol in &model.declarations.resources {
        let declared = checker.declared_resource(*symbol);
        let is_deployment = declared.as_resource().is_some_and(|it| {
            it.extension.is_none()
                && it.reference.name.eq_ignore_ascii_case("Microsoft.Resources/deployments")
        });
        let body = model.resource_of(*symbol).and_then(|resource| model.body_object(&resource.body));
        let Some(body) = body.filter(|_| is_deployment) else { continue };
        let Some(Expr::Object(properties)) = value(body, "properties") else { continue };
        let Some(template) = value(properties, "template") else { continue };
        let options = value(properties, "expressionEvaluationOptions");
        let scope = match options {
            Some(Expr::Object(options)) => value(options, "scope"),
            _ => None,
        };
        let said = scope.is_some_and(|scope| {
            checker.ty(scope).as_string_literal().is_some_and(|text| text.eq_ignore_ascii_case("inner"))
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
                checker.push(crate::Finding {
                    hint: Some("pass it as a parameter of the nested template".into()),
                    ..rule.finding(node.span(), severity, message)
                });
            }
        }
    }
}

/// The value of a property, whatever the case of its name.
fn value<'t>(object: Object<'t>, name: &str) -> Option<Expr<'t>> {
    let named =
        |it: &ObjectProperty<'t>| it.key().constant().is_some_and(|key| key.eq_ignore_ascii_case(name));
    object.properties().find(named).map(|property| property.value())
}
