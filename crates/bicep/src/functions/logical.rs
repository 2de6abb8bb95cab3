//! Truth values.

use super::{Family, Function};
use crate::types::{Overload as O, ParameterRow as P, Ty};

pub(super) static FUNCTIONS: &[Function] = &[Function::sys(
    Family::Logical,
    "bool",
    "Turns a string or an integer into a truth value.",
    &[O::always(&[P::new("value", Ty::any)], Ty::bool)],
)];
