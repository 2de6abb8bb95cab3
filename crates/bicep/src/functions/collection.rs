//! Strings, arrays and objects alike.

use super::reading::{LONGEST_TUPLE, bounds, flags, range};
use super::row::Elements;
use super::{Family, Function};
use crate::types::{
    Object, Overload as O, ParameterRow as P, PropertyFlags, Range, Ty, TyKind, TypeFlags, TypeRef, nullable,
    printed_length, union_of, without_null,
};

pub(super) static FUNCTIONS: &[Function] = &[
    row(
        "concat",
        "Joins arrays to one array, or values to one string.",
        &[
            O::from(&[P::new("arrays", Ty::array).at_least(1)], concatenated).folded(),
            O::always(&[P::new("values", printable).at_least(1)], Ty::string),
        ],
    ),
    row(
        "contains",
        "Tells whether an object has a property, an array an element, or a string a part. Names of properties are \
         compared in any case.",
        &[
            O::always(&[P::new("object", Ty::object), P::new("name", Ty::string)], Ty::bool).folded(),
            O::always(&[P::new("values", Ty::array), P::new("value", Ty::any)], Ty::bool).folded(),
            O::always(&[P::new("text", Ty::string), P::new("part", Ty::string)], Ty::bool).folded(),
        ],
    ),
    row(
        "empty",
        "Tells whether a string, an array or an object is empty, or the value is null.",
        &[O::always(&[P::new("value", can_be_empty)], Ty::bool).folded()],
    ),
    row(
        "first",
        "Returns the first element of an array, or the first character of a string.",
        &[
            O::from(&[P::new("values", Ty::array)], first_item),
            O::from(&[P::new("text", Ty::string)], one_letter).folded(),
        ],
    )
    .elements(Elements::One),
    row(
        "indexOf",
        "Finds the first place of a part or an element, counted from 0, or -1. Strings are compared in any case.",
        &[
            O::always(&[P::new("text", Ty::string), P::new("part", Ty::string)], Ty::int).folded(),
            O::always(&[P::new("values", Ty::array), P::new("value", Ty::any)], Ty::int).folded(),
        ],
    ),
    row(
        "last",
        "Returns the last element of an array, or the last character of a string.",
        &[
            O::from(&[P::new("values", Ty::array)], last_item),
            O::from(&[P::new("text", Ty::string)], one_letter).folded(),
        ],
    )
    .elements(Elements::One),
    row(
        "lastIndexOf",
        "Finds the last place of a part or an element, counted from 0, or -1. Strings are compared in any case.",
        &[
            O::always(&[P::new("text", Ty::string), P::new("part", Ty::string)], Ty::int).folded(),
            O::always(&[P::new("values", Ty::array), P::new("value", Ty::any)], Ty::int).folded(),
        ],
    ),
    row(
        "length",
        "Counts the characters of a string, the properties of an object or the elements of an array.",
        &[
            O::from(&[P::new("value", text_or_object)], measured).folded(),
            O::from(&[P::new("values", Ty::array)], measured),
        ],
    ),
    row(
        "skip",
        "Leaves out the first elements of an array, or the first characters of a string.",
        &[
            O::from(&[P::new("values", Ty::array), P::new("count", Ty::int)], without_items).folded(),
            O::from(&[P::new("text", Ty::string), P::new("count", Ty::int)], without_letters).folded(),
        ],
    )
    .elements(Elements::Several),
    row(
        "take",
        "Returns the first elements of an array, or the first characters of a string.",
        &[
            O::from(&[P::new("values", Ty::array), P::new("count", Ty::int)], some_items).folded(),
            O::from(&[P::new("text", Ty::string), P::new("count", Ty::int)], some_letters).folded(),
        ],
    )
    .elements(Elements::Several),
];

const fn row(name: &'static str, doc: &'static str, overloads: &'static [O]) -> Function {
    Function::sys(Family::Collection, name, doc, overloads)
}

fn printable() -> Ty {
    union_of([Ty::string(), Ty::int(), Ty::bool()])
}

fn can_be_empty() -> Ty {
    union_of([Ty::null(), Ty::object(), Ty::array(), Ty::string()])
}

fn text_or_object() -> Ty {
    union_of([Ty::string(), Ty::object()])
}

fn concatenated(arguments: &[Ty]) -> Ty {
    if !arguments.iter().all(Ty::is_list) {
        return Ty::array();
    }
    let count: usize = arguments
        .iter()
        .map(|argument| match argument.kind() {
            TyKind::Tuple(items) => items.len(),
            _ => LONGEST_TUPLE,
        })
        .fold(0, usize::saturating_add);
    if count < LONGEST_TUPLE {
        let items = arguments.iter().flat_map(|argument| match argument.kind() {
            TyKind::Tuple(items) => items.clone(),
            _ => Vec::new(),
        });
        return Ty::tuple(items.collect());
    }
    let parts: Vec<(Ty, Range)> = arguments.iter().filter_map(Ty::as_list).collect();
    let min: i64 = parts.iter().fold(0i64, |sum, (_, length)| sum.saturating_add(length.min.unwrap_or(0)));
    let max = parts.iter().try_fold(0i64, |sum, (_, length)| Some(sum.saturating_add(length.max?)));
    let item = union_of(parts.into_iter().map(|(item, _)| item));
    Ty::array_of(item, range(Some(min).filter(|min| *min > 0), max))
}

fn first_item(arguments: &[Ty]) -> Ty {
    end_of(true, arguments.first())
}

fn last_item(arguments: &[Ty]) -> Ty {
    end_of(false, arguments.first())
}

fn end_of(start: bool, list: Option<&Ty>) -> Ty {
    let Some(ty) = list else { return Ty::any() };
    match ty.kind() {
        TyKind::Tuple(items) => {
            let item = if start { items.first() } else { items.last() };
            item.map_or_else(Ty::null, TypeRef::get)
        }
        TyKind::Array(array) if array.length.min.is_some_and(|min| min > 0) => array.item.get(),
        TyKind::Array(array) => nullable(&array.item.get()),
        _ => Ty::any(),
    }
}

fn one_letter(arguments: &[Ty]) -> Ty {
    let text = arguments.first();
    let min = match text.map(Ty::kind) {
        Some(TyKind::Str(text)) => text.length.min.map(|min| min.min(1)),
        _ => None,
    };
    Ty::string_within(range(min, Some(1)), None, flags(text))
}

fn measured(arguments: &[Ty]) -> Ty {
    let object = |object: &Object| {
        let needed = object
            .properties
            .values()
            .filter(|it| it.flags.contains(PropertyFlags::REQUIRED) && without_null(&it.ty.get()).is_none());
        let max = object.additional.is_none().then_some(object.properties.len());
        (i64::try_from(needed.count()).unwrap_or(0), max.and_then(|max| i64::try_from(max).ok()))
    };
    let Some(ty) = arguments.first() else { return Ty::int() };
    let within = |min, max| Ty::int_within(range(min, max), TypeFlags::empty());
    match ty.kind() {
        TyKind::Str(text) => within(text.length.min.or(Some(0)), text.length.max),
        TyKind::Object(found) => {
            let (min, max) = object(found);
            within(Some(min), max)
        }
        TyKind::Discriminated(found) => {
            let members = found.members.iter().map(|(_, member)| member.get());
            let all: Vec<(i64, Option<i64>)> =
                members.filter_map(|member| member.as_object().map(object)).collect();
            let min = all.iter().map(|(min, _)| *min).min();
            let max = all.iter().try_fold(0i64, |most, (_, max)| Some(most.max((*max)?)));
            within(min, max)
        }
        TyKind::Tuple(items) => Ty::int_literal(i64::try_from(items.len()).unwrap_or(i64::MAX)),
        TyKind::Array(array) => within(array.length.min.or(Some(0)), array.length.max),
        _ => Ty::int(),
    }
}

fn some_items(arguments: &[Ty]) -> Ty {
    taken(arguments, |_, _| Ty::array())
}

fn some_letters(arguments: &[Ty]) -> Ty {
    taken(arguments, |source, length| Ty::string_within(length, None, source.flags()))
}

/// What `take` leaves; `otherwise` is for what is not a list.
fn taken(arguments: &[Ty], otherwise: fn(&Ty, Range) -> Ty) -> Ty {
    let (least, most) = bounds(arguments.get(1));
    let Some(source) = arguments.first() else { return Ty::any() };
    let left = |length: Range| {
        let min = length.min.filter(|_| least > 0).map(|min| min.min(least));
        let max = length.max.unwrap_or(i64::MAX).min(most).max(0);
        range(min, Some(max).filter(|max| *max < i64::MAX))
    };
    if let TyKind::Tuple(items) = source.kind()
        && least == most
    {
        let wanted = usize::try_from(least).unwrap_or(0);
        return Ty::flagged(TyKind::Tuple(items.iter().take(wanted).cloned().collect()), source.flags());
    }
    match source.as_list() {
        Some((item, length)) => Ty::array_within(item, left(length), source.flags()),
        None => otherwise(source, left(printed_length(source))),
    }
}

fn without_items(arguments: &[Ty]) -> Ty {
    skipped(arguments, |_, _| Ty::array())
}

fn without_letters(arguments: &[Ty]) -> Ty {
    skipped(arguments, |source, length| Ty::string_within(length, None, source.flags()))
}

/// What `skip` leaves; `otherwise` is for what is not a list.
fn skipped(arguments: &[Ty], otherwise: fn(&Ty, Range) -> Ty) -> Ty {
    let (least, most) = bounds(arguments.get(1));
    let Some(source) = arguments.first() else { return Ty::any() };
    if most <= 0 {
        return source.clone();
    }
    let left = |length: Range| {
        let min = length.min.unwrap_or(0).saturating_sub(most);
        let max = length.max.map(|max| max.saturating_sub(least.max(0)).max(0));
        range(Some(min).filter(|min| *min > 0), max)
    };
    if let TyKind::Tuple(items) = source.kind()
        && least == most
    {
        let left_out = usize::try_from(least).unwrap_or(0);
        return Ty::flagged(TyKind::Tuple(items.iter().skip(left_out).cloned().collect()), source.flags());
    }
    match source.as_list() {
        Some((item, length)) => Ty::array_within(item, left(length), source.flags()),
        None => otherwise(source, left(printed_length(source))),
    }
}
