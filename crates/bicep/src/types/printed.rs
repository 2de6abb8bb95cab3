//! Values of types as text.

use std::borrow::Cow;

use super::model::{Range, Ty, TyKind};
use super::text_length;

/// How long a value of a type is as text.
pub(crate) fn printed_length(ty: &Ty) -> Range {
    if let Some(text) = printed(ty) {
        let length = Some(text_length(&text));
        return Range { min: length, max: length };
    }
    match ty.kind() {
        TyKind::Union(members) if members.is_empty() => Range { min: Some(0), max: Some(0) },
        TyKind::Union(members) => {
            let mut lengths = members.iter().map(|member| printed_length(&member.get()));
            let first = lengths.next().unwrap_or_default();
            lengths.fold(first, |all, next| Range {
                min: all.min.zip(next.min).map(|(a, b)| a.min(b)),
                max: all.max.zip(next.max).map(|(a, b)| a.max(b)),
            })
        }
        TyKind::Str(text) => Range { min: text.length.min.or(Some(0)), max: text.length.max },
        TyKind::Int(range) => {
            let (min, max) = (range.min.unwrap_or(i64::MIN), range.max.unwrap_or(i64::MAX));
            let (low, high) = (text_length(&min.to_string()), text_length(&max.to_string()));
            let least = if min < 0 && max >= 0 { 1 } else { low.min(high) };
            Range { min: Some(least), max: Some(low.max(high)) }
        }
        TyKind::Bool => Range { min: Some(4), max: Some(5) },
        TyKind::Array(_) | TyKind::Tuple(_) | TyKind::Object(_) | TyKind::Discriminated(_) => {
            Range { min: Some(2), max: None }
        }
        _ => Range { min: Some(0), max: None },
    }
}

/// The text of the one value of a type, for simple values.
pub(crate) fn printed(ty: &Ty) -> Option<Cow<'_, str>> {
    match ty.kind() {
        TyKind::StrLit(value) => Some(value.as_str().into()),
        TyKind::IntLit(value) => Some(value.to_string().into()),
        TyKind::BoolLit(true) => Some("True".into()),
        TyKind::BoolLit(false) => Some("False".into()),
        _ => None,
    }
}
