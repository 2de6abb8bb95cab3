//! What speaks of the program rather than of values.

use super::row::{Becomes, ValueRule};
use super::{Family, Function, Purity};
use crate::types::{CallRule, FunctionFlags, Overload as O, ParameterRow as P, Ty};

pub(super) static FUNCTIONS: &[Function] = &[
    row(
        "any",
        "Says that a value fits wherever it stands: its type is not checked.",
        &[O::always(&[P::new("value", Ty::any)], Ty::any)],
    )
    .becomes(Becomes::Argument),
    row(
        "fail",
        "Ends the deployment with a message when it is evaluated.",
        &[O::always(&[P::new("message", Ty::string)], Ty::never)],
    )
    .purity(Purity::Impure),
    row(
        "nameof",
        "Returns the name of a declaration or property, which an editor renames with it.",
        &[O::call(&[P::new("symbol", Ty::any)], CallRule::MentionedName, Ty::string)],
    )
    .flags(FunctionFlags::IGNORES_VALUES)
    .becomes(Becomes::Value(ValueRule::MentionedName, "the name")),
];

const fn row(name: &'static str, doc: &'static str, overloads: &'static [O]) -> Function {
    Function::sys(Family::Language, name, doc, overloads)
}
