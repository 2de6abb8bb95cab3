//! What becomes of the arrays in an array.

use crate::check::{Errors, arguments_span};
use crate::codes;
use crate::functions::LONGEST_TUPLE;
use crate::symbols::CallSyntax;
use crate::types::{Range, Ty, TyKind, TypeRef, union_of};

/// The type of `flatten()`, from that of its argument.
pub(super) fn flat(ty: &Ty, call: CallSyntax<'_>) -> Ty {
    let at = arguments_span(call);
    let fail = |inner: &Ty| Ty::error(codes::NOT_FLAT.at(at, &[ty, inner]));
    match ty.kind() {
        TyKind::Any => Ty::array(),
        TyKind::Tuple(items) if all_tuples_length(items).is_some_and(|count| count < LONGEST_TUPLE) => {
            let all = items.iter().flat_map(|item| match item.get().kind() {
                TyKind::Tuple(inner) => inner.clone(),
                _ => Vec::new(),
            });
            Ty::tuple(all.collect())
        }
        TyKind::Array(_) | TyKind::Tuple(_) => {
            let item = ty.as_list().map_or_else(Ty::any, |(item, _)| item);
            match item.kind() {
                TyKind::Any => Ty::array(),
                TyKind::Error(_) => item,
                TyKind::Union(members) => {
                    let mut parts = Vec::new();
                    for member in members {
                        let member = member.get();
                        match member.kind() {
                            TyKind::Any => return Ty::array(),
                            _ => match member.as_list() {
                                Some((item, _)) => parts.push(item),
                                None => return fail(&member),
                            },
                        }
                    }
                    Ty::array_of(union_of(parts), Range::default())
                }
                TyKind::Tuple(_) => match item.as_list() {
                    Some((inner, _)) => Ty::array_of(inner, Range::default()),
                    None => Ty::array(),
                },
                TyKind::Array(_) => item,
                _ => fail(&item),
            }
        }
        TyKind::Union(members) => {
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
        TyKind::Tuple(inner) => Some(inner.len()),
        _ => None,
    };
    items.iter().try_fold(0usize, |sum, item| Some(sum.saturating_add(length(item)?)))
}
