//! The types that operators give, worked out as far as the types of their operands allow.

use std::borrow::Cow;

use syntax::{Span, TokenKind};

use super::fold;
use crate::codes;
use crate::finding::Finding;
use crate::types::{
    Range, Ty, TyKind, TypeFlags, assignable, collapse, collapsed_union, printed, union_of, without_null,
};

/// The longest text that is put together: one that doubles from use to use stops being known here.
const LONGEST: usize = 131_072;

/// The one text that an interpolation gives, if there is only one.
pub(super) fn interpolated(segments: &[Cow<'_, str>], parts: &[Ty]) -> Option<String> {
    let mut text = String::new();
    let mut holes = parts.iter();
    for segment in segments {
        text.push_str(segment);
        if let Some(part) = holes.next() {
            match printed(part) {
                Some(known) => text.push_str(&known),
                None => {
                    let made = fold::fold("format", &[&Ty::string_literal("{0}"), part]).ok()??;
                    text.push_str(made.as_string_literal()?);
                }
            }
        }
        if text.len() > LONGEST {
            return None;
        }
    }
    Some(text)
}

/// The type of `-x` or `!x`; nothing where the operator does not apply.
pub(super) fn unary(minus: bool, operand: &Ty) -> Option<Ty> {
    let wanted = if minus { Ty::int() } else { Ty::bool() };
    assignable(operand, &wanted).then(|| if minus { negated(operand) } else { inverted(operand) })
}

fn inverted(ty: &Ty) -> Ty {
    match ty.kind() {
        TyKind::Union(members) => union_of(members.iter().map(|member| inverted(&member.get()))),
        TyKind::BoolLit(value) => Ty::flagged(TyKind::BoolLit(!value), ty.flags()),
        TyKind::Bool => ty.clone(),
        _ => Ty::bool(),
    }
}

fn negated(ty: &Ty) -> Ty {
    let minus = |value: Option<i64>| value.and_then(i64::checked_neg);
    match ty.kind() {
        TyKind::Union(members) => collapsed_union(members.iter().map(|member| negated(&member.get()))),
        TyKind::IntLit(value) => {
            value.checked_neg().map_or_else(Ty::int, |value| Ty::flagged(TyKind::IntLit(value), ty.flags()))
        }
        TyKind::Int(range) => {
            Ty::int_within(Range { min: minus(range.max), max: minus(range.min) }, ty.flags())
        }
        _ => Ty::int(),
    }
}

/// The type of a binary operation; nothing where the operator does not apply.
pub(super) fn binary(
    operator: TokenKind,
    left: &Ty,
    right: &Ty,
    span: Span,
    found: &mut Vec<Finding>,
) -> Option<Ty> {
    use TokenKind as T;
    let both = |ty: &Ty| assignable(left, ty) && assignable(right, ty);
    let ints = both(&Ty::int());
    let texts = both(&Ty::string());
    match operator {
        T::LogicalOr | T::LogicalAnd => {
            both(&Ty::bool()).then(|| logical(operator == T::LogicalOr, left, right))
        }
        T::Equals | T::NotEquals => both(&Ty::any()).then(|| equality(left, right, operator == T::NotEquals)),
        T::EqualsInsensitive | T::NotEqualsInsensitive => texts.then(|| match (left.kind(), right.kind()) {
            (TyKind::StrLit(a), TyKind::StrLit(b)) => {
                let equal = a.to_lowercase() == b.to_lowercase();
                Ty::bool_literal(equal != (operator == T::NotEqualsInsensitive))
            }
            _ => Ty::bool(),
        }),
        T::LeftChevron | T::LessThanOrEqual | T::RightChevron | T::GreaterThanOrEqual => (ints || texts)
            .then(|| {
                if ints {
                    return comparison(operator, left, right);
                }
                let name = match operator {
                    T::LeftChevron => "less",
                    T::LessThanOrEqual => "lessOrEquals",
                    T::RightChevron => "greater",
                    _ => "greaterOrEquals",
                };
                folded(name, left, right, span, found).unwrap_or_else(Ty::bool)
            }),
        T::Plus => ints.then(|| {
            let known = folded("add", left, right, span, found);
            known.unwrap_or_else(|| arithmetic(left, right, &sum))
        }),
        T::Minus => ints.then(|| {
            let known = folded("sub", left, right, span, found);
            known.unwrap_or_else(|| arithmetic(left, right, &|a, b| sum(a, &negated(b))))
        }),
        T::Asterisk => ints.then(|| folded("mul", left, right, span, found).unwrap_or_else(Ty::int)),
        T::Slash => ints.then(|| folded("div", left, right, span, found).unwrap_or_else(Ty::int)),
        T::Modulo => ints.then(|| {
            let known = folded("mod", left, right, span, found);
            known.unwrap_or_else(|| arithmetic(left, right, &|a, b| remainder(a, b, span)))
        }),
        T::DoubleQuestion => both(&Ty::any()).then(|| coalesced(left, right)),
        _ => None,
    }
}

fn logical(or: bool, left: &Ty, right: &Ty) -> Ty {
    match (left.kind(), right.kind()) {
        (TyKind::BoolLit(value), _) | (_, TyKind::BoolLit(value)) if *value == or => Ty::bool_literal(or),
        (TyKind::BoolLit(_), TyKind::BoolLit(_)) => Ty::bool_literal(!or),
        _ => Ty::bool(),
    }
}

fn equality(left: &Ty, right: &Ty, negate: bool) -> Ty {
    match fold::fold("equals", &[left, right]) {
        Ok(Some(equal)) if negate => inverted(&equal),
        Ok(Some(equal)) => equal,
        _ => Ty::bool(),
    }
}

/// The least and greatest value of a type.
fn bounds(ty: &Ty) -> Range {
    match ty.kind() {
        TyKind::IntLit(value) => Range { min: Some(*value), max: Some(*value) },
        TyKind::Int(range) => *range,
        TyKind::Union(members) => {
            let all: Vec<Range> = members.iter().map(|member| bounds(&member.get())).collect();
            // Members without a bound do not count, as in the reference compiler.
            Range {
                min: all.iter().filter_map(|it| it.min).min(),
                max: all.iter().filter_map(|it| it.max).max(),
            }
        }
        _ => Range::default(),
    }
}

fn comparison(operator: TokenKind, left: &Ty, right: &Ty) -> Ty {
    let (a, b) = (bounds(left), bounds(right));
    let below = |low: Option<i64>, high: Option<i64>| low.zip(high).is_some_and(|(low, high)| low < high);
    let not_above =
        |low: Option<i64>, high: Option<i64>| low.zip(high).is_some_and(|(low, high)| low <= high);
    let (yes, no) = match operator {
        TokenKind::LeftChevron => (below(a.max, b.min), not_above(b.max, a.min)),
        TokenKind::LessThanOrEqual => (not_above(a.max, b.min), below(b.max, a.min)),
        TokenKind::RightChevron => (below(b.max, a.min), not_above(a.max, b.min)),
        _ => (not_above(b.max, a.min), below(a.max, b.min)),
    };
    match (yes, no) {
        (true, _) => Ty::bool_literal(true),
        (false, true) => Ty::bool_literal(false),
        _ => Ty::bool(),
    }
}

/// The type of an operation on known values, with a finding where it fails.
fn folded(name: &str, left: &Ty, right: &Ty, span: Span, found: &mut Vec<Finding>) -> Option<Ty> {
    match fold::fold(name, &[left, right]) {
        Ok(known) => known,
        Err(reason) => {
            found.push(fold::failure(span, name, &[left, right], &reason));
            None
        }
    }
}

/// Applies an operation to all members of unions.
fn arithmetic(left: &Ty, right: &Ty, operation: &dyn Fn(&Ty, &Ty) -> Ty) -> Ty {
    let all = |members: &[crate::types::TypeRef], work: &dyn Fn(&Ty) -> Ty| {
        let made = union_of(members.iter().map(|member| work(&member.get())));
        collapse(&made).unwrap_or(made)
    };
    match (left.kind(), right.kind()) {
        (TyKind::Union(members), _) => all(members, &|left| arithmetic(left, right, operation)),
        (_, TyKind::Union(members)) => all(members, &|right| arithmetic(left, right, operation)),
        _ => operation(left, right),
    }
}

fn sum(left: &Ty, right: &Ty) -> Ty {
    let number = |ty: &Ty| matches!(ty.kind(), TyKind::Int(_) | TyKind::IntLit(_));
    if !number(left) || !number(right) {
        return Ty::int();
    }
    let (a, b) = (bounds(left), bounds(right));
    let add = |a: Option<i64>, b: Option<i64>| a.zip(b).and_then(|(a, b)| a.checked_add(b));
    Ty::int_within(Range { min: add(a.min, b.min), max: add(a.max, b.max) }, TypeFlags::empty())
}

fn remainder(left: &Ty, right: &Ty, span: Span) -> Ty {
    let largest = match right.kind() {
        TyKind::IntLit(0) => return Ty::error(codes::DIVISION_BY_ZERO.at(span, &[])),
        TyKind::IntLit(value) => value.checked_abs(),
        TyKind::Int(Range { min: Some(min), max: Some(max) }) => {
            min.checked_abs().zip(max.checked_abs()).map(|(min, max)| min.max(max))
        }
        _ => None,
    };
    if let (TyKind::IntLit(a), TyKind::IntLit(b)) = (left.kind(), right.kind()) {
        return a.checked_rem(*b).map_or_else(Ty::int, Ty::int_literal);
    }
    let Some(largest) = largest else { return Ty::int() };
    let range = bounds(left);
    let min = if range.min.is_some_and(|min| min >= 0) { 0 } else { 1 - largest };
    let max = if range.max.is_some_and(|max| max <= 0) { 0 } else { largest - 1 };
    Ty::int_within(Range { min: Some(min), max: Some(max) }, TypeFlags::empty())
}

fn coalesced(left: &Ty, right: &Ty) -> Ty {
    if left.is_null() {
        return right.clone();
    }
    match without_null(left) {
        Some(rest) => union_of([rest, right.clone()]),
        None => left.clone(),
    }
}
