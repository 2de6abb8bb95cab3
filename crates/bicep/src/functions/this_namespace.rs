//! The resource whose body calls them.

use super::Function;
use super::row::{Becomes, ExpressionRule};
use crate::types::{CallRule, Overload as O, Ty, nullable};

pub(super) static FUNCTIONS: &[Function] = &[
    Function::this(
        "existingResource",
        "Returns the resource as it is before the deployment, or null if there is none.",
        &[O::call(&[], CallRule::ExistingResource, nothing_or_object)],
    )
    .becomes(Becomes::Expression(
        ExpressionRule::ExistingResource,
        "`target('full')`, or `target()` for an extension's resource",
    )),
    Function::this(
        "exists",
        "Tells whether the resource is there before the deployment.",
        &[O::always(&[], Ty::bool)],
    )
    .becomes(Becomes::Expression(ExpressionRule::ResourceExists, "`not(empty(target('full')))`")),
];

fn nothing_or_object() -> Ty {
    nullable(&Ty::object())
}
