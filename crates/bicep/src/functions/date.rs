//! Dates and times.

use super::{Family, Function, Purity};
use crate::types::{FunctionFlags, Overload as O, ParameterRow as P, Ty};

pub(super) static FUNCTIONS: &[Function] = &[
    row(
        "dateTimeAdd",
        "Adds an ISO 8601 duration to a date.",
        &[O::always(
            &[
                P::new("base", Ty::string),
                P::new("duration", Ty::string),
                P::new("format", Ty::string).optional(),
            ],
            Ty::string,
        )],
    ),
    row(
        "dateTimeFromEpoch",
        "Turns seconds since 1970 into a date.",
        &[O::always(&[P::new("seconds", Ty::int).optional()], Ty::string)],
    ),
    row(
        "dateTimeToEpoch",
        "Turns a date into seconds since 1970.",
        &[O::always(&[P::new("date", Ty::string).optional()], Ty::int)],
    ),
    row(
        "utcNow",
        "Returns the time of the deployment.",
        &[O::always(&[P::new("format", Ty::string).optional()], Ty::string)],
    )
    .flags(FunctionFlags::PARAM_DEFAULTS_ONLY)
    .purity(Purity::Impure),
];

const fn row(name: &'static str, doc: &'static str, overloads: &'static [O]) -> Function {
    Function::sys(Family::Date, name, doc, overloads)
}
