//! The resource around a call, as it is before the deployment.

use crate::check::Checker;
use crate::symbols::CallSyntax;
use crate::types::{Ty, nullable};

/// The type of `this.existingResource()`.
pub(super) fn existing<'m>(checker: &mut Checker<'m>, call: CallSyntax<'m>) -> Ty {
    let model = checker.model;
    let mut at = model.parent(call.node());
    while let Some(node) = at {
        if let Some(symbol) = model.symbol_at(node)
            && model.resource_of(symbol).is_some()
            && model.symbol(symbol).node == node.id()
        {
            let declared = checker.declared_resource(symbol);
            return nullable(&declared.as_resource().map_or_else(Ty::object, |it| it.body.clone()));
        }
        at = model.parent(node);
    }
    nullable(&Ty::object())
}
