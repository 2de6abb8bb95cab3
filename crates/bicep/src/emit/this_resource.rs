//! Calls that ask for the resource around them, as it is before the deployment.

use syntax::ast::{AstNode as _, Statement};

use super::arena::ExprId;
use super::emitter::Emitter;
use crate::functions::ExpressionRule;
use crate::symbols::CallSyntax;

impl<'u> Emitter<'u> {
    /// The expression that a call becomes, by the rule of its row.
    pub(super) fn convert_rewritten(&mut self, rule: ExpressionRule, call: CallSyntax<'u>) -> ExprId {
        match rule {
            ExpressionRule::ResourceExists => self.convert_exists(),
            ExpressionRule::ExistingResource => self.convert_existing(call),
            ExpressionRule::TestFunction => {
                let arguments = self.convert_arguments(call);
                self.arena.call_named(&format!("testing.{}", call.name()), &arguments)
            }
        }
    }

    fn convert_exists(&mut self) -> ExprId {
        let full = self.arena.text("full");
        let target = self.arena.call("target", &[full]);
        let empty = self.arena.call("empty", &[target]);
        self.arena.call("not", &[empty])
    }

    fn convert_existing(&mut self, call: CallSyntax<'u>) -> ExprId {
        let model = self.unit.model;
        let mut around = Some(call.node());
        let mut is_extension = false;
        while let Some(node) = around {
            if let Some(resource) = model.symbol_at(node).and_then(|symbol| model.resource_of(symbol))
                && matches!(Statement::cast(node), Some(Statement::ResourceDeclaration(_)))
            {
                is_extension = resource.extension.is_some();
                break;
            }
            around = model.file.parent(node);
        }
        let full = self.arena.text("full");
        if is_extension { self.arena.call("target", &[]) } else { self.arena.call("target", &[full]) }
    }
}
