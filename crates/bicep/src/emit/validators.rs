//! Functions of the program that decide about values: what `userDefinedConstraint` says of them.

use syntax::SyntaxNode;

use super::emitter::Emitter;
use super::imports::split_function;
use super::tree::{EmitTree, Members};
use crate::decorators::Applied;

/// The member of a type that names its validators.
pub(super) const CONSTRAINT: &str = "userDefinedConstraint";

impl<'u> Emitter<'u> {
    /// The validators that decorate a declaration, property or item, in source order.
    pub(super) fn validators(&self, node: SyntaxNode<'u>) -> Vec<EmitTree<'u>> {
        let model = self.unit.model;
        let validators = model.validators(node).filter_map(|(applied, call)| {
            let name = match applied {
                Applied::BuiltIn(_) | Applied::Configured(_) => return None,
                Applied::Declared(symbol) => self.names.function(model, symbol),
                Applied::Member(symbol) => self.names.wildcard_function(model, symbol, call.name()),
            };
            let (namespace, name) = split_function(&name);
            let mut members: Members<'u> = vec![
                ("namespace".into(), EmitTree::text(namespace.to_owned())),
                ("name".into(), EmitTree::text(name.to_owned())),
            ];
            let arguments: Vec<EmitTree<'u>> =
                call.arguments().map(|argument| EmitTree::Of(model, argument)).collect();
            if !arguments.is_empty() {
                members.push(("additionalArguments".into(), EmitTree::Array(arguments)));
            }
            Some(EmitTree::Object(members))
        });
        validators.collect()
    }
}
