//! Arrays.

use super::reading::range as between;
use super::{Family, Function};
use crate::types::{
    CallRule, Overload as O, ParameterRow as P, Range, Ty, TyKind, TypeFlags, TypeRef, collapse, union_of,
};

pub(super) static FUNCTIONS: &[Function] = &[
    row(
        "array",
        "Turns a value into an array of one; an array stays as it is.",
        &[O::always(&[P::new("value", Ty::any)], Ty::array)],
    ),
    row(
        "distinct",
        "Leaves out the elements that equal an earlier one.",
        &[O::always(&[P::new("values", Ty::array)], Ty::array).folded()],
    ),
    row(
        "flatten",
        "Joins the arrays inside an array to one array.",
        &[O::call(&[P::new("arrays", arrays)], CallRule::FlatArray, Ty::array)],
    ),
    row(
        "intersection",
        "Keeps what all objects, or all arrays, have in common.",
        &[
            O::always(&[P::new("objects", Ty::object).at_least(2)], Ty::object).folded(),
            O::always(&[P::new("arrays", Ty::array).at_least(2)], Ty::array).folded(),
        ],
    ),
    row(
        "range",
        "Makes an array of integers that follow each other.",
        &[O::from(&[P::new("start", Ty::int), P::new("count", Ty::int)], numbers)],
    ),
    row(
        "union",
        "Merges objects and the objects in them, or joins arrays and leaves out duplicates.",
        &[
            O::always(&[P::new("objects", Ty::object).at_least(2)], Ty::object).folded(),
            O::always(&[P::new("arrays", Ty::array).at_least(2)], Ty::array).folded(),
        ],
    ),
];

const fn row(name: &'static str, doc: &'static str, overloads: &'static [O]) -> Function {
    Function::sys(Family::Array, name, doc, overloads)
}

fn arrays() -> Ty {
    Ty::array_of(Ty::array(), Range::default())
}

fn numbers(arguments: &[Ty]) -> Ty {
    let [start, amount] = arguments else { return Ty::array_of(Ty::int(), Range::default()) };
    fn item(start: &Ty, amount: &Ty) -> Ty {
        let all = |members: &[TypeRef], work: &dyn Fn(&Ty) -> Ty| {
            let made = union_of(members.iter().map(|member| work(&member.get())));
            collapse(&made).unwrap_or(made)
        };
        let most = match amount.kind() {
            TyKind::Union(members) if !matches!(start.kind(), TyKind::Union(_)) => {
                return all(members, &|amount| item(start, amount));
            }
            TyKind::IntLit(value) => Some(*value),
            TyKind::Int(range) => range.max,
            _ => None,
        };
        let (min, last) = match start.kind() {
            TyKind::Union(members) => return all(members, &|start| item(start, amount)),
            TyKind::IntLit(value) => (Some(*value), Some(*value)),
            TyKind::Int(range) => (range.min, range.max),
            _ => return Ty::int(),
        };
        let max = last.zip(most).map(|(last, most)| last.saturating_add(most).saturating_sub(1));
        Ty::int_within(between(min, max), TypeFlags::empty())
    }
    let folded = collapse(amount).unwrap_or_else(|| amount.clone());
    let length = match folded.kind() {
        TyKind::IntLit(value) => between(Some(*value), Some(*value)),
        TyKind::Int(range) => *range,
        _ => Range::default(),
    };
    Ty::array_of(item(start, amount), length)
}
