//! Objects.

use super::reading::{flags, readable, texts};
use super::{Family, Function};
use crate::types::{Overload as O, ParameterRow as P, PropertyFlags, Range, Ty, collapse, union_of};

pub(super) static FUNCTIONS: &[Function] = &[
    row(
        "items",
        "Turns an object into an array of `{key, value}`, in the order of the names.",
        &[O::from(&[P::new("object", Ty::object)], entries)],
    ),
    row(
        "objectKeys",
        "Returns the names of an object's properties, in order.",
        &[O::from(&[P::new("object", Ty::object)], keys)],
    ),
    row(
        "shallowMerge",
        "Merges objects; of properties with the same name the last one is kept whole.",
        &[O::always(&[P::new("objects", objects)], Ty::object).folded()],
    ),
];

const fn row(name: &'static str, doc: &'static str, overloads: &'static [O]) -> Function {
    Function::sys(Family::Object, name, doc, overloads)
}

fn objects() -> Ty {
    Ty::array_of(Ty::object(), Range::default())
}

fn entries(arguments: &[Ty]) -> Ty {
    let (key, value) = match arguments.first().and_then(Ty::as_object) {
        Some(object) => {
            let (keys, values) = readable(object);
            (union_of(keys), collapse(&union_of(values)).unwrap_or_else(Ty::any))
        }
        None => (Ty::string(), Ty::any()),
    };
    let none = PropertyFlags::empty();
    let entry = Ty::closed_object("object", [("key", key, none), ("value", value, none)]);
    Ty::array_of(entry, Range::default())
}

fn keys(arguments: &[Ty]) -> Ty {
    let source = arguments.first();
    match source.and_then(Ty::as_object) {
        Some(object) => Ty::array_within(union_of(readable(object).0), Range::default(), flags(source)),
        None => texts(),
    }
}
