//! The resource whose body calls them.

use syntax::ast::{AstNode as _, Statement};

use super::row::Becomes;
use super::{Function, Overload as O};
use crate::check::Checker;
use crate::emit::{Emitter, ExprId};
use crate::symbols::Call;
use crate::types::{Ty, nullable};

pub(super) static FUNCTIONS: &[Function] = &[
    Function::this(
        "existingResource",
        "Returns the resource as it is before the deployment, or null if there is none.",
        &[O::call(&[], existing, nothing_or_object)],
    )
    .becomes(Becomes::Expression(
        write_existing,
        "`target('full')`, or `target()` for an extension's resource",
    )),
    Function::this(
        "exists",
        "Tells whether the resource is there before the deployment.",
        &[O::always(&[], Ty::bool)],
    )
    .becomes(Becomes::Expression(write_exists, "`not(empty(target('full')))`")),
];

fn nothing_or_object() -> Ty {
    nullable(&Ty::object())
}

fn existing<'m>(checker: &mut Checker<'m>, call: Call<'m>, _: &[Ty]) -> Ty {
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
    nothing_or_object()
}

fn write_exists<'u>(emitter: &mut Emitter<'u>, _: Call<'u>) -> ExprId {
    let full = emitter.arena.text("full");
    let target = emitter.arena.call("target", &[full]);
    let empty = emitter.arena.call("empty", &[target]);
    emitter.arena.call("not", &[empty])
}

fn write_existing<'u>(emitter: &mut Emitter<'u>, call: Call<'u>) -> ExprId {
    let model = emitter.unit.model;
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
    let full = emitter.arena.text("full");
    if is_extension { emitter.arena.call("target", &[]) } else { emitter.arena.call("target", &[full]) }
}
