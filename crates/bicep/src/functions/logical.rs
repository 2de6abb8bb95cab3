//! Truth values.

use super::{Family, Function, Overload as O, Parameter as P};
use crate::types::Ty;

pub(super) static FUNCTIONS: &[Function] = &[Function::sys(
    Family::Logical,
    "bool",
    "Turns a string or an integer into a truth value.",
    &[O::always(&[P::new("value", Ty::any)], Ty::bool)],
)];
