//! URIs.

use super::{Family, Function};
use crate::types::{Overload as O, ParameterRow as P, PropertyFlags, Ty};

pub(super) static FUNCTIONS: &[Function] = &[
    row(
        "buildUri",
        "Puts a URI together from scheme, host, port, path and query.",
        &[O::always(&[P::new("parts", parts)], Ty::string)],
    ),
    row(
        "parseUri",
        "Takes a URI apart into scheme, host, port, path and query.",
        &[O::always(&[P::new("uri", Ty::string)], parts)],
    ),
    row(
        "uri",
        "Resolves a relative URI against a base.",
        &[O::always(&[P::new("base", Ty::string), P::new("relative", Ty::string)], Ty::string).folded()],
    ),
    row(
        "uriComponent",
        "Escapes all characters that a part of a URI cannot have.",
        &[O::always(&[P::new("text", Ty::string)], Ty::string).folded()],
    ),
    row(
        "uriComponentToString",
        "Resolves the escapes of a part of a URI.",
        &[O::always(&[P::new("text", Ty::string)], Ty::string).folded()],
    ),
];

const fn row(name: &'static str, doc: &'static str, overloads: &'static [O]) -> Function {
    Function::sys(Family::Uri, name, doc, overloads)
}

fn parts() -> Ty {
    Ty::closed_object(
        "parseUri",
        [
            ("scheme", Ty::string(), PropertyFlags::REQUIRED),
            ("host", Ty::string(), PropertyFlags::REQUIRED),
            ("port", Ty::int(), PropertyFlags::empty()),
            ("path", Ty::string(), PropertyFlags::empty()),
            ("query", Ty::string(), PropertyFlags::empty()),
        ],
    )
}
