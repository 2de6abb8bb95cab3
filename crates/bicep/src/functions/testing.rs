//! What asserts of test files call.

use super::Function;
use super::row::{Becomes, ExpressionRule};
use crate::types::{Overload as O, ParameterRow as P, Ty};

const VALUE: P = P::new("value", Ty::any);
const PATTERN: P = P::new("pattern", Ty::any);

pub(super) static FUNCTIONS: &[Function] = &[
    row("absent", "In a pattern: the member is missing or null.", &[O::always(&[], Ty::any)]),
    row("anything", "In a pattern: the value is there and not null.", &[O::always(&[], Ty::any)]),
    row(
        "count",
        "Returns how many items of an array match a pattern.",
        &[O::always(&[P::new("array", Ty::array), PATTERN], Ty::int)],
    ),
    row(
        "deployedBefore",
        "Tells whether one resource of a test was in place before the first call for another one began. The resources are named as the \
         program names them.",
        &[O::always(
            &[P::new("test", Ty::any), P::new("first", Ty::string), P::new("second", Ty::string)],
            Ty::bool,
        )],
    ),
    row(
        "exactly",
        "In a pattern: the object has no members besides those of the pattern.",
        &[O::always(&[PATTERN], Ty::any)],
    ),
    row(
        "hasItem",
        "Tells whether some item of an array matches a pattern.",
        &[O::always(&[P::new("array", Ty::array), PATTERN], Ty::bool)],
    ),
    row(
        "matches",
        "Tells whether a value has everything that a pattern names: an object may have more members; arrays are compared item by item.",
        &[O::always(&[VALUE, PATTERN], Ty::bool)],
    ),
    row(
        "regex",
        "In a pattern: the text contains a match of a regular expression.",
        &[O::always(&[P::new("expression", Ty::string)], Ty::any)],
    ),
];

const fn row(name: &'static str, doc: &'static str, overloads: &'static [O]) -> Function {
    Function::testing(name, doc, overloads)
        .becomes(Becomes::Expression(ExpressionRule::TestFunction, "a function of `tendon test`"))
}
