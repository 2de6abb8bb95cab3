//! Templates that are written out inside deployment resources. Where their expressions are evaluated inside, they see
//! nothing of the program around them.

use syntax::NodeKind;
use syntax::ast::{AstNode as _, Expr, Object, ObjectProperty};

use super::Checker;
use crate::emit;
use crate::finding::Finding;
use crate::lint;
use crate::symbols::ScopeKind;

/// The rule of the linter that this is.
const RULE: &str = "nested-deployment-template-scoping";

impl<'m> Checker<'m> {
    /// Reports what templates inside deployments refer to and do not see.
    pub(super) fn nested_templates(&mut self) {
        let model = self.model;
        let level = lint::rule(RULE).map(|rule| rule.level(&model.file.config));
        let Some(severity) = level.and_then(lint::Level::severity) else { return };
        let mut inner_by_default = None;
        for symbol in &model.declarations.resources {
            let declared = self.declared_resource(*symbol);
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
                self.ty(scope).as_string_literal().is_some_and(|text| text.eq_ignore_ascii_case("inner"))
            });
            let inner = said || *inner_by_default.get_or_insert_with(|| emit::uses_symbolic_names(model));
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
                    self.push(Finding {
                        span: node.span(),
                        code: RULE,
                        severity,
                        message: message.into(),
                        hint: Some("pass it as a parameter of the nested template".into()),
                    });
                }
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
