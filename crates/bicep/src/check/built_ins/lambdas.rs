//! The types of lambdas, from what they are given.

use crate::check::Checker;
use crate::functions::{range, readable};
use crate::symbols::CallSyntax;
use crate::types::{Range, Ty, TyKind, TypeFlags, primitive, union_of};

/// The type of an argument.
fn argument<'m>(checker: &mut Checker<'m>, call: CallSyntax<'m>, place: usize) -> Option<Ty> {
    call.argument(place).map(|argument| checker.ty(argument))
}

/// The type of the elements of the first argument.
fn item<'m>(checker: &mut Checker<'m>, call: CallSyntax<'m>) -> Option<Ty> {
    argument(checker, call, 0)?.as_list().map(|(item, _)| item)
}

pub(super) fn predicate_of<'m>(checker: &mut Checker<'m>, call: CallSyntax<'m>) -> Option<Ty> {
    Some(Ty::lambda(vec![item(checker, call)?], vec![Ty::int()], Ty::bool()))
}

pub(super) fn mapping_of<'m>(checker: &mut Checker<'m>, call: CallSyntax<'m>) -> Option<Ty> {
    Some(Ty::lambda(vec![item(checker, call)?], vec![Ty::int()], Ty::any()))
}

pub(super) fn selection_of<'m>(checker: &mut Checker<'m>, call: CallSyntax<'m>) -> Option<Ty> {
    Some(Ty::lambda(vec![item(checker, call)?], Vec::new(), Ty::any()))
}

pub(super) fn key_of<'m>(checker: &mut Checker<'m>, call: CallSyntax<'m>) -> Option<Ty> {
    Some(Ty::lambda(vec![item(checker, call)?], Vec::new(), Ty::string()))
}

pub(super) fn order_of<'m>(checker: &mut Checker<'m>, call: CallSyntax<'m>) -> Option<Ty> {
    let item = item(checker, call)?;
    Some(Ty::lambda(vec![item.clone(), item], Vec::new(), Ty::bool()))
}

pub(super) fn values_of<'m>(checker: &mut Checker<'m>, call: CallSyntax<'m>) -> Option<Ty> {
    let source = argument(checker, call, 0)?;
    let (_, values) = readable(source.as_object()?);
    Some(Ty::lambda(vec![union_of(values)], Vec::new(), Ty::any()))
}

pub(super) fn accumulation_of<'m>(checker: &mut Checker<'m>, call: CallSyntax<'m>) -> Option<Ty> {
    let (source, seed) = (argument(checker, call, 0)?, argument(checker, call, 1)?);
    let (item, length) = match source.kind() {
        TyKind::Any => (Ty::any(), Range::default()),
        _ => source.as_list()?,
    };
    if item.is_error() || seed.is_error() {
        return None;
    }
    let sum = primitive(&seed).unwrap_or_else(Ty::any);
    let first = if length.max.is_some_and(|max| max <= 1) { seed } else { sum.clone() };
    let index = Ty::int_within(range(Some(0), length.max), TypeFlags::empty());
    Some(Ty::lambda(vec![first, item], vec![index], sum))
}

/// The lambda gets what is decorated.
pub(super) fn decorated_predicate<'m>(checker: &mut Checker<'m>, call: CallSyntax<'m>) -> Option<Ty> {
    let attached = checker.attached(call.node()).unwrap_or_else(Ty::failed);
    Some(Ty::lambda(vec![attached], Vec::new(), Ty::bool()))
}
