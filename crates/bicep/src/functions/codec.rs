//! Encodings: base64, data URIs, JSON.

use super::{Family, Function};
use crate::types::{CallRule, Overload as O, ParameterRow as P, Ty};

pub(super) static FUNCTIONS: &[Function] = &[
    row(
        "base64",
        "Encodes a string as base64.",
        &[O::always(&[P::new("text", Ty::string)], Ty::string).folded()],
    ),
    row(
        "base64ToJson",
        "Decodes base64 and reads the result as JSON.",
        &[O::always(&[P::new("text", Ty::string)], Ty::any)],
    ),
    row(
        "base64ToString",
        "Decodes base64 to a string.",
        &[O::always(&[P::new("text", Ty::string)], Ty::string).folded()],
    ),
    row(
        "dataUri",
        "Encodes a value as a data URI.",
        &[O::always(&[P::new("value", Ty::any)], Ty::string).folded()],
    ),
    row(
        "dataUriToString",
        "Decodes a data URI to a string.",
        &[O::always(&[P::new("uri", Ty::string)], Ty::string).folded()],
    ),
    row(
        "json",
        "Reads a string as JSON. The type of the result is known when the string is.",
        &[O::call(&[P::new("text", Ty::string)], CallRule::ParsedJson, Ty::any)],
    ),
];

const fn row(name: &'static str, doc: &'static str, overloads: &'static [O]) -> Function {
    Function::sys(Family::Codec, name, doc, overloads)
}
