//! Integers.

use super::reading::range;
use super::{Family, Function};
use crate::types::{Overload as O, ParameterRow as P, Range, Ty, TyKind, TypeFlags, TypeRef, union_of};

pub(super) static FUNCTIONS: &[Function] = &[
    row("int", "Turns a string into an integer.", &[O::always(&[P::new("value", text_or_int)], Ty::int)]),
    row(
        "max",
        "Returns the largest of integers, or of an array of them.",
        &[
            O::from(&[P::new("values", Ty::int).at_least(1)], largest).folded(),
            O::from(&[P::new("values", ints)], largest).folded(),
        ],
    ),
    row(
        "min",
        "Returns the smallest of integers, or of an array of them.",
        &[
            O::from(&[P::new("values", Ty::int).at_least(1)], smallest).folded(),
            O::from(&[P::new("values", ints)], smallest).folded(),
        ],
    ),
];

const fn row(name: &'static str, doc: &'static str, overloads: &'static [O]) -> Function {
    Function::sys(Family::Numeric, name, doc, overloads)
}

fn text_or_int() -> Ty {
    union_of([Ty::string(), Ty::int()])
}

fn ints() -> Ty {
    Ty::array_of(Ty::int(), Range::default())
}

fn largest(arguments: &[Ty]) -> Ty {
    extreme(false, arguments)
}

fn smallest(arguments: &[Ty]) -> Ty {
    extreme(true, arguments)
}

fn extreme(least: bool, arguments: &[Ty]) -> Ty {
    let values: Vec<Ty> = match arguments {
        [single] => match single.kind() {
            TyKind::Tuple(items) => items.iter().map(TypeRef::get).collect(),
            TyKind::Array(array) => return Some(array.item.get()).filter(is_number).unwrap_or_else(Ty::int),
            _ => arguments.to_vec(),
        },
        _ => arguments.to_vec(),
    };
    let bounds = |ty: &Ty| match ty.kind() {
        TyKind::IntLit(value) => range(Some(*value), Some(*value)),
        TyKind::Int(range) => *range,
        _ => Range::default(),
    };
    let mut ranges = values.iter().map(bounds);
    let Some(first) = ranges.next() else { return Ty::int() };
    let both = |a: Option<i64>, b: Option<i64>, pick: fn(i64, i64) -> i64| a.zip(b).map(|(a, b)| pick(a, b));
    let either = |a: Option<i64>, b: Option<i64>, pick: fn(i64, i64) -> i64| match (a, b) {
        (Some(a), Some(b)) => Some(pick(a, b)),
        (a, b) => a.or(b),
    };
    let all = ranges.fold(first, |all, next| {
        if least {
            range(both(all.min, next.min, i64::min), either(all.max, next.max, i64::min))
        } else {
            range(either(all.min, next.min, i64::max), both(all.max, next.max, i64::max))
        }
    });
    Ty::int_within(all, TypeFlags::empty())
}

fn is_number(ty: &Ty) -> bool {
    matches!(ty.kind(), TyKind::Int(_) | TyKind::IntLit(_))
}
