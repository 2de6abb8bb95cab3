//! Numbers and lengths against the range that is asked of them.

use syntax::Span;

use crate::codes::{self, DiagnosticCode};
use crate::finding::Finding;
use crate::types::{LengthBounds, Range, Ty, TyKind, text_length};

use super::comparison::Comparison;

/// What is reported about ranges, for numbers or for lengths.
struct BoundCodes {
    too_large: DiagnosticCode,
    too_small: DiagnosticCode,
    maybe_large: DiagnosticCode,
    maybe_small: DiagnosticCode,
}

const NUMBERS: BoundCodes = BoundCodes {
    too_large: codes::INT_TOO_LARGE,
    too_small: codes::INT_TOO_SMALL,
    maybe_large: codes::INT_MAYBE_LARGE,
    maybe_small: codes::INT_MAYBE_SMALL,
};

const LENGTHS: BoundCodes = BoundCodes {
    too_large: codes::TOO_LONG,
    too_small: codes::TOO_SHORT,
    maybe_large: codes::MAYBE_LONG,
    maybe_small: codes::MAYBE_SHORT,
};

/// Compares ranges for one value.
pub(super) struct Bounds {
    codes: &'static BoundCodes,
    at: Span,
    warn: bool,
}

impl Bounds {
    fn numbers(it: Comparison<'_, '_>) -> Bounds {
        Bounds { codes: &NUMBERS, at: it.source.span(), warn: it.only_warns() }
    }

    /// For the length of the value.
    pub(super) fn lengths(it: Comparison<'_, '_>) -> Bounds {
        Bounds { codes: &LENGTHS, at: it.source.span(), warn: it.only_warns() }
    }

    /// Reports ranges that have nothing in common.
    pub(super) fn disjoint(&self, own: Range, wanted: Range, out: &mut Vec<Finding>) -> bool {
        if let (Some(least), Some(most)) = (own.min, wanted.max)
            && least > most
        {
            out.push(self.codes.too_large.or_warning(self.warn).at(self.at, &[&least, &most]));
            return true;
        }
        if let (Some(most), Some(least)) = (own.max, wanted.min)
            && most < least
        {
            out.push(self.codes.too_small.or_warning(self.warn).at(self.at, &[&most, &least]));
            return true;
        }
        false
    }

    /// Reports ranges that reach beyond what is wanted.
    pub(super) fn overlap(&self, own: Range, wanted: Range, out: &mut Vec<Finding>) {
        if let (Some(own), Some(wanted)) = (own.min, wanted.min)
            && own < wanted
        {
            out.push(self.codes.maybe_small.at(self.at, &[&own, &wanted]));
        }
        if let (Some(own), Some(wanted)) = (own.max, wanted.max)
            && own > wanted
        {
            out.push(self.codes.maybe_large.at(self.at, &[&own, &wanted]));
        }
    }
}

/// What two ranges have in common; `least` is where a lower bound says nothing.
pub(super) fn tighter(a: Range, b: Range, least: i64) -> Range {
    let min = a.min.unwrap_or(least).max(b.min.unwrap_or(least));
    let max = a.max.unwrap_or(i64::MAX).min(b.max.unwrap_or(i64::MAX));
    Range { min: Some(min).filter(|min| *min > least), max: Some(max).filter(|max| *max < i64::MAX) }
}

/// A value against the integers of a range.
pub(super) fn integer(it: Comparison<'_, '_>, wanted: Range, out: &mut Vec<Finding>) -> Ty {
    let bounds = Bounds::numbers(it);
    match it.ty.kind() {
        TyKind::Int(own) => {
            if bounds.disjoint(*own, wanted, out) {
                return it.ty.clone();
            }
            bounds.overlap(*own, wanted, out);
            Ty::int_within(tighter(*own, wanted, i64::MIN), it.target.flags())
        }
        TyKind::IntLit(value) => {
            bounds.disjoint(exactly(*value), wanted, out);
            it.ty.clone()
        }
        _ => it.ty.clone(),
    }
}

/// A value against one integer.
pub(super) fn integer_literal(it: Comparison<'_, '_>, wanted: i64, out: &mut Vec<Finding>) -> Ty {
    let is_other = match it.ty.kind() {
        TyKind::Int(own) => Bounds::numbers(it).disjoint(*own, exactly(wanted), out),
        _ => false,
    };
    if is_other { it.ty.clone() } else { it.target.clone() }
}

/// A value against strings of some lengths that match a pattern.
pub(super) fn string(it: Comparison<'_, '_>, wanted: &LengthBounds, out: &mut Vec<Finding>) -> Ty {
    let bounds = Bounds::lengths(it);
    match it.ty.kind() {
        TyKind::Str(own) => {
            if bounds.disjoint(own.length, wanted.length, out) {
                return it.ty.clone();
            }
            bounds.overlap(own.length, wanted.length, out);
            Ty::string_within(tighter(own.length, wanted.length, 0), None, it.target.flags())
        }
        TyKind::StrLit(value) => {
            bounds.disjoint(exactly(text_length(value)), wanted.length, out);
            if let Some(pattern) = &wanted.pattern
                && !matches(pattern, value)
            {
                out.push(codes::PATTERN.or_warning(bounds.warn).at(bounds.at, &[pattern]));
            }
            it.ty.clone()
        }
        _ => it.ty.clone(),
    }
}

/// A value against one string.
pub(super) fn string_literal(it: Comparison<'_, '_>, wanted: &str, out: &mut Vec<Finding>) -> Ty {
    let is_other = match it.ty.kind() {
        TyKind::Str(own) => Bounds::lengths(it).disjoint(own.length, exactly(text_length(wanted)), out),
        _ => false,
    };
    if is_other { it.ty.clone() } else { it.target.clone() }
}

fn exactly(value: i64) -> Range {
    Range { min: Some(value), max: Some(value) }
}

/// Tells whether a text matches a pattern; a pattern that cannot be read matches everything.
fn matches(pattern: &str, value: &str) -> bool {
    contract::pattern::Pattern::new(contract::pattern::PatternSyntax::Ecma, pattern)
        .map_or(true, |pattern| pattern.is_match(value.as_bytes()))
}
