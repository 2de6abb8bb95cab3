//! Which symbols a part of a file mentions.

use syntax::{NodeKind, SyntaxNode};

use super::{Binding, Model, SymbolId};

impl Model {
    /// The symbols that a node mentions, each as often as it does, in source order.
    pub(crate) fn mentions<'m>(&'m self, node: SyntaxNode<'m>) -> impl Iterator<Item = SymbolId> {
        node.descendants().filter_map(|node| {
            let is_use = matches!(
                node.kind(),
                NodeKind::VariableAccess
                    | NodeKind::FunctionCall
                    | NodeKind::ResourceAccess
                    | NodeKind::TypeVariableAccess
                    | NodeKind::ParameterizedTypeInstantiation
            );
            match self.binding(node.id()) {
                Binding::Symbol(symbol) if is_use => Some(symbol),
                _ => None,
            }
        })
    }
}
