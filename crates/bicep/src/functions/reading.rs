//! What the types of results are worked out from: the types of arguments.

use crate::types::{Object, PropertyFlags as P, Range, Ty, TyKind, TypeFlags};

/// The most items that are known one by one: lists that grow from use to use are plain arrays from here on.
pub(crate) const LONGEST_TUPLE: usize = 4_096;

/// Lengths or values between two bounds.
pub(crate) const fn range(min: Option<i64>, max: Option<i64>) -> Range {
    Range { min, max }
}

/// The flags of an argument's type.
pub(super) fn flags(ty: Option<&Ty>) -> TypeFlags {
    ty.map_or(TypeFlags::empty(), Ty::flags)
}

/// A text of this length.
pub(super) fn text_of(length: i64) -> Ty {
    Ty::string_within(range(Some(length), Some(length)), None, TypeFlags::empty())
}

/// An array of texts.
pub(crate) fn texts() -> Ty {
    Ty::array_of(Ty::string(), Range::default())
}

/// An object whose properties are texts.
pub(crate) fn object_of_texts(name: &str, properties: &[&'static str]) -> Ty {
    Ty::closed_object(name, properties.iter().map(|name| (*name, Ty::string(), P::empty())))
}

/// The bounds of a count that is given as an argument.
pub(super) fn bounds(ty: Option<&Ty>) -> (i64, i64) {
    match ty.map(Ty::kind) {
        Some(TyKind::IntLit(value)) => (*value, *value),
        Some(TyKind::Int(range)) => (range.min.unwrap_or(i64::MIN), range.max.unwrap_or(i64::MAX)),
        _ => (i64::MIN, i64::MAX),
    }
}

/// The names and the values of an object that can be read.
pub(crate) fn readable(object: &Object) -> (Vec<Ty>, Vec<Ty>) {
    let known = object.properties.iter().filter(|(_, property)| !property.flags.contains(P::WRITE_ONLY));
    let (mut keys, mut values): (Vec<Ty>, Vec<Ty>) =
        known.map(|(name, property)| (Ty::string_literal(name), property.ty.get())).unzip();
    if let Some(additional) = &object.additional {
        keys.push(Ty::string());
        values.push(additional.ty.get());
    }
    (keys, values)
}
