//! Outputs and asserts of a template.

use syntax::ast::{AstNode as _, Statement, TypeExpr};

use super::emitter::Emitter;
use super::external_resources::inferred_type;
use super::types::resource_members;
use super::values::ExpressionShape;
use crate::layout::resource_type;

impl Emitter<'_> {
    pub(super) fn outputs(&mut self) {
        let model = self.unit.model;
        if model.declarations.outputs.is_empty() {
            return;
        }
        self.out.key("outputs");
        self.out.begin_object();
        for symbol in &model.declarations.outputs {
            let Some(Statement::OutputDeclaration(output)) = model.statement_of(*symbol) else { continue };
            self.out.key(&model.symbol(*symbol).name);
            self.out.begin_object();
            let members = match inferred_type(model, output).filter(|_| resource_type(output.ty()).is_none())
            {
                Some(ty) => resource_members(&ty),
                None => self.type_members(output.ty()),
            };
            let members = self.with_decorators(output.node(), members, false);
            self.members(&members);
            if let ExpressionShape::Loop(each) = self.loop_shape(output.value()) {
                self.out.key("copy");
                self.copy_object(None, each, Some(each.body()), None);
            } else if matches!(output.ty(), TypeExpr::ResourceType(_)) {
                self.out.key("value");
                let value = self.id_of(output.value()).unwrap_or_else(|| self.arena.call("null", &[]));
                self.expression(value);
                self.done();
            } else {
                self.out.key("value");
                self.value(output.value());
            }
            self.out.end_object();
        }
        self.out.end_object();
    }

    pub(super) fn asserts(&mut self) {
        let model = self.unit.model;
        if model.declarations.asserts.is_empty() {
            return;
        }
        self.out.key("asserts");
        self.out.begin_object();
        for symbol in &model.declarations.asserts {
            let Some(Statement::AssertDeclaration(assert)) = model.statement_of(*symbol) else { continue };
            self.key(&model.symbol(*symbol).name);
            self.value(assert.value());
        }
        self.out.end_object();
    }
}
