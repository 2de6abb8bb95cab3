//! Functions that take lambdas.

use super::reading::{flags, range};
use super::row::Elements;
use super::{Family, Function};
use crate::types::{ArgumentRule, Overload as O, ParameterRow as P, Range, Ty, TyKind};

pub(super) static FUNCTIONS: &[Function] = &[
    row(
        "filter",
        "Keeps the elements for which a lambda is true. The lambda gets the element and its index.",
        &[O::from(&[VALUES, P::new("predicate", predicate).depends(ArgumentRule::ItemPredicate)], kept)],
    )
    .elements(Elements::Several),
    row(
        "groupBy",
        "Groups elements by the key that a lambda gives them; a second lambda makes the values.",
        &[O::from(&[VALUES, KEY, VALUE], groups)],
    ),
    row(
        "map",
        "Turns every element into what a lambda makes of it. The lambda gets the element and its index.",
        &[O::from(&[VALUES, P::new("lambda", mapping).depends(ArgumentRule::ItemMapping)], mapped)],
    ),
    row(
        "mapValues",
        "Turns every value of an object into what a lambda makes of it.",
        &[O::from(
            &[
                P::new("object", Ty::object),
                P::new("lambda", selection).depends(ArgumentRule::ValueSelection),
            ],
            mapped_values,
        )],
    ),
    row(
        "reduce",
        "Takes elements together, one after the other. The lambda gets what there is so far, the element and its \
         index.",
        &[O::from(
            &[
                VALUES,
                P::new("start", Ty::any),
                P::new("lambda", accumulation).depends(ArgumentRule::Accumulation),
            ],
            reduced,
        )],
    ),
    row(
        "sort",
        "Sorts elements by a lambda that tells whether the first goes before the second.",
        &[O::from(&[VALUES, P::new("isBefore", order).depends(ArgumentRule::ItemOrder)], sorted)],
    )
    .elements(Elements::Several),
    row(
        "toObject",
        "Makes an object of an array: one lambda gives the name of a property, another the value.",
        &[O::from(&[VALUES, KEY, VALUE], members)],
    ),
];

const VALUES: P = P::new("values", Ty::array);
const KEY: P = P::new("key", key).depends(ArgumentRule::ItemKey);
const VALUE: P = P::new("value", selection).optional().depends(ArgumentRule::ItemSelection);

const fn row(name: &'static str, doc: &'static str, overloads: &'static [O]) -> Function {
    Function::sys(Family::Lambda, name, doc, overloads)
}

fn predicate() -> Ty {
    Ty::lambda(vec![Ty::any()], vec![Ty::int()], Ty::bool())
}

fn mapping() -> Ty {
    Ty::lambda(vec![Ty::any()], vec![Ty::int()], Ty::any())
}

fn selection() -> Ty {
    Ty::lambda(vec![Ty::any()], Vec::new(), Ty::any())
}

fn key() -> Ty {
    Ty::lambda(vec![Ty::any()], Vec::new(), Ty::string())
}

fn order() -> Ty {
    Ty::lambda(vec![Ty::any(), Ty::any()], Vec::new(), Ty::bool())
}

fn accumulation() -> Ty {
    Ty::lambda(vec![Ty::any(), Ty::any()], vec![Ty::int()], Ty::any())
}

fn kept(arguments: &[Ty]) -> Ty {
    let source = arguments.first();
    match source.and_then(Ty::as_list) {
        Some((item, length)) => Ty::array_within(item, range(None, length.max), flags(source)),
        None => source.cloned().unwrap_or_else(Ty::any),
    }
}

fn mapped(arguments: &[Ty]) -> Ty {
    match arguments.get(1).map(Ty::kind) {
        Some(TyKind::Lambda(lambda)) => Ty::array_of(lambda.result.clone(), Range::default()),
        _ => Ty::any(),
    }
}

fn mapped_values(arguments: &[Ty]) -> Ty {
    match arguments.get(1).map(Ty::kind) {
        Some(TyKind::Lambda(lambda)) => Ty::dictionary("object", lambda.result.clone()),
        _ => Ty::any(),
    }
}

fn sorted(arguments: &[Ty]) -> Ty {
    match arguments.first() {
        Some(ty) if matches!(ty.kind(), TyKind::Tuple(_)) => match ty.as_list() {
            Some((item, length)) => Ty::array_within(item, length, ty.flags()),
            None => ty.clone(),
        },
        Some(ty) => ty.clone(),
        None => Ty::array(),
    }
}

fn reduced(arguments: &[Ty]) -> Ty {
    match arguments.get(2).map(Ty::kind) {
        Some(TyKind::Lambda(lambda)) => lambda.result.get(),
        _ => Ty::any(),
    }
}

fn members(arguments: &[Ty]) -> Ty {
    value_of_key(arguments).map_or_else(Ty::object, |value| Ty::dictionary("object", value))
}

fn groups(arguments: &[Ty]) -> Ty {
    let list = |value| Ty::array_of(value, Range::default());
    value_of_key(arguments).map_or_else(Ty::object, |value| Ty::dictionary("object", list(value)))
}

/// The type of the value that an element becomes.
fn value_of_key(arguments: &[Ty]) -> Option<Ty> {
    match (arguments.len(), arguments.first().and_then(Ty::as_list), arguments.get(2).map(Ty::kind)) {
        (2, Some((item, _)), _) => Some(item),
        (3, _, Some(TyKind::Lambda(lambda))) => Some(lambda.result.get()),
        _ => None,
    }
}
