//! Arrays.

use super::reading::{LONGEST_TUPLE, range as between};
use super::{Family, Function, Overload as O, Parameter as P};
use crate::check::{Checker, Errors, arguments_span};
use crate::codes;
use crate::symbols::Call;
use crate::types::{Kind, Range, Ty, TypeFlags, TypeRef, collapse, union_of};

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
        &[O::call(&[P::new("arrays", arrays)], flattened, Ty::array)],
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

fn flattened<'m>(_: &mut Checker<'m>, call: Call<'m>, arguments: &[Ty]) -> Ty {
    arguments.first().map_or_else(Ty::array, |ty| flat(ty, call))
}

fn flat(ty: &Ty, call: Call<'_>) -> Ty {
    let at = arguments_span(call);
    let fail = |inner: &Ty| Ty::error(codes::NOT_FLAT.at(at, &[ty, inner]));
    match ty.kind() {
        Kind::Any => Ty::array(),
        Kind::Tuple(items) if all_tuples_length(items).is_some_and(|count| count < LONGEST_TUPLE) => {
            let all = items.iter().flat_map(|item| match item.get().kind() {
                Kind::Tuple(inner) => inner.clone(),
                _ => Vec::new(),
            });
            Ty::tuple(all.collect())
        }
        Kind::Array(_) | Kind::Tuple(_) => {
            let item = ty.as_list().map_or_else(Ty::any, |(item, _)| item);
            match item.kind() {
                Kind::Any => Ty::array(),
                Kind::Error(_) => item,
                Kind::Union(members) => {
                    let mut parts = Vec::new();
                    for member in members {
                        let member = member.get();
                        match member.kind() {
                            Kind::Any => return Ty::array(),
                            _ => match member.as_list() {
                                Some((item, _)) => parts.push(item),
                                None => return fail(&member),
                            },
                        }
                    }
                    Ty::array_of(union_of(parts), Range::default())
                }
                Kind::Tuple(_) => match item.as_list() {
                    Some((inner, _)) => Ty::array_of(inner, Range::default()),
                    None => Ty::array(),
                },
                Kind::Array(_) => item,
                _ => fail(&item),
            }
        }
        Kind::Union(members) => {
            let parts: Vec<Ty> = members.iter().map(|member| flat(&member.get(), call)).collect();
            match Errors::of(&parts) {
                Some(error) => error,
                None => {
                    let items = parts.iter().filter_map(|part| part.as_list().map(|(item, _)| item));
                    Ty::array_of(union_of(items), Range::default())
                }
            }
        }
        _ => fail(ty),
    }
}

/// How many items tuples have in all; none if one of them is not a tuple.
fn all_tuples_length(items: &[TypeRef]) -> Option<usize> {
    let length = |item: &TypeRef| match item.get().kind() {
        Kind::Tuple(inner) => Some(inner.len()),
        _ => None,
    };
    items.iter().try_fold(0usize, |sum, item| Some(sum.saturating_add(length(item)?)))
}

fn numbers(arguments: &[Ty]) -> Ty {
    let [start, amount] = arguments else { return Ty::array_of(Ty::int(), Range::default()) };
    fn item(start: &Ty, amount: &Ty) -> Ty {
        let all = |members: &[TypeRef], work: &dyn Fn(&Ty) -> Ty| {
            let made = union_of(members.iter().map(|member| work(&member.get())));
            collapse(&made).unwrap_or(made)
        };
        let most = match amount.kind() {
            Kind::Union(members) if !matches!(start.kind(), Kind::Union(_)) => {
                return all(members, &|amount| item(start, amount));
            }
            Kind::IntLit(value) => Some(*value),
            Kind::Int(range) => range.max,
            _ => None,
        };
        let (min, last) = match start.kind() {
            Kind::Union(members) => return all(members, &|start| item(start, amount)),
            Kind::IntLit(value) => (Some(*value), Some(*value)),
            Kind::Int(range) => (range.min, range.max),
            _ => return Ty::int(),
        };
        let max = last.zip(most).map(|(last, most)| last.saturating_add(most).saturating_sub(1));
        Ty::int_within(between(min, max), TypeFlags::empty())
    }
    let folded = collapse(amount).unwrap_or_else(|| amount.clone());
    let length = match folded.kind() {
        Kind::IntLit(value) => between(Some(*value), Some(*value)),
        Kind::Int(range) => *range,
        _ => Range::default(),
    };
    Ty::array_of(item(start, amount), length)
}
