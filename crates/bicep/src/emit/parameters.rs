//! Parameters of a template.

use syntax::SyntaxElement;
use syntax::ast::{AstNode as _, ParameterDefaultValue, Statement};

use super::emitter::Emitter;
use super::tree::{EmitTree, merge};

impl Emitter<'_> {
    pub(super) fn parameters(&mut self) {
        let model = self.unit.model;
        if model.declarations.parameters.is_empty() {
            return;
        }
        self.out.key("parameters");
        self.out.begin_object();
        for symbol in &model.declarations.parameters {
            let Some(Statement::ParameterDeclaration(parameter)) = model.statement_of(*symbol) else {
                continue;
            };
            self.out.key(&model.symbol(*symbol).name);
            self.out.begin_object();
            let mut members = self.type_members(parameter.ty());
            let modifier =
                parameter.modifier().and_then(SyntaxElement::node).and_then(ParameterDefaultValue::cast);
            if let Some(default) = modifier {
                merge(&mut members, "defaultValue", EmitTree::Expression(default.value()));
            }
            let members = self.with_decorators(parameter.node(), members, false);
            self.members(&members);
            self.out.end_object();
        }
        self.out.end_object();
    }
}
