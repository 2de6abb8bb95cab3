//! Strings.

use super::reading::{flags, range, text_of};
use super::{Family, Function, Purity};
use crate::types::{
    ArgumentRule, FunctionFlags, Overload as O, ParameterRow as P, Range, Ty, TyKind, TypeFlags,
    printed_length, text_length, union_of,
};

pub(super) static FUNCTIONS: &[Function] = &[
    row(
        "endsWith",
        "Tells whether a string ends with another, in any case.",
        &[O::always(&[TEXT, P::new("end", Ty::string)], Ty::bool).folded()],
    ),
    row(
        "format",
        "Puts values into the places `{0}`, `{1}` of a format string.",
        &[O::always(&[P::new("format", Ty::string), P::new("values", Ty::any).at_least(0)], Ty::string)
            .folded()],
    ),
    row(
        "guid",
        "Makes a UUID of strings, the same one for the same strings.",
        &[O::always(&[P::new("texts", Ty::string).at_least(1)], uuid).folded()],
    ),
    row(
        "join",
        "Joins the elements of an array to one string, with a delimiter between them.",
        &[O::from(&[P::new("values", joinable), P::new("delimiter", Ty::string)], joined).folded()],
    ),
    row(
        "like",
        "Tells whether a string matches a pattern in which `*` stands for anything, in any case.",
        &[O::always(&[TEXT, P::new("pattern", Ty::string)], Ty::bool).folded()],
    ),
    row("newGuid", "Makes a random UUID.", &[O::always(&[], uuid)])
        .flags(FunctionFlags::PARAM_DEFAULTS_ONLY)
        .purity(Purity::Impure),
    row(
        "padLeft",
        "Adds characters in front until a string is long enough.",
        &[O::from(
            &[
                P::new("value", text_or_int),
                P::new("length", Ty::int),
                P::new("character", Ty::string).optional(),
            ],
            padded,
        )
        .folded()],
    ),
    row(
        "replace",
        "Replaces every occurrence of a string in another.",
        &[O::always(&[TEXT, P::new("old", Ty::string), P::new("new", Ty::string)], Ty::string).folded()],
    ),
    row(
        "split",
        "Splits a string at a delimiter, or at any of an array of them.",
        &[O::always(&[TEXT, P::new("delimiter", text_or_array)], parts).folded()],
    ),
    row(
        "startsWith",
        "Tells whether a string starts with another, in any case.",
        &[O::always(&[TEXT, P::new("start", Ty::string)], Ty::bool).folded()],
    ),
    row(
        "string",
        "Turns any value into a string; arrays and objects become JSON.",
        &[O::always(&[P::new("value", Ty::any)], Ty::string)],
    ),
    row(
        "substring",
        "Cuts out a part of a string, to its end if no length is given.",
        &[O::from(
            &[
                TEXT,
                P::new("start", natural).depends(ArgumentRule::TextPosition),
                P::new("length", natural).optional().depends(ArgumentRule::TextPosition),
            ],
            part,
        )
        .folded()],
    ),
    row("toLower", "Turns capitals into small letters.", &[O::from(&[TEXT], same).folded()]),
    row("toUpper", "Turns small letters into capitals.", &[O::from(&[TEXT], same).folded()]),
    row("trim", "Removes white space at both ends.", &[O::from(&[TEXT], trimmed).folded()]),
    row(
        "uniqueString",
        "Makes thirteen characters of strings, the same ones for the same strings.",
        &[O::always(&[P::new("texts", Ty::string).at_least(1)], hash).folded()],
    ),
];

const TEXT: P = P::new("text", Ty::string);

const fn row(name: &'static str, doc: &'static str, overloads: &'static [O]) -> Function {
    Function::sys(Family::Text, name, doc, overloads)
}

fn joinable() -> Ty {
    Ty::array_of(union_of([Ty::string(), Ty::int(), Ty::bool()]), Range::default())
}

fn text_or_int() -> Ty {
    union_of([Ty::string(), Ty::int()])
}

fn text_or_array() -> Ty {
    union_of([Ty::string(), Ty::array()])
}

fn natural() -> Ty {
    Ty::int_within(range(Some(0), None), TypeFlags::empty())
}

fn uuid() -> Ty {
    text_of(36)
}

fn hash() -> Ty {
    text_of(13)
}

fn parts() -> Ty {
    Ty::array_of(Ty::string(), range(Some(1), None))
}

fn same(arguments: &[Ty]) -> Ty {
    match arguments.first() {
        Some(ty) if matches!(ty.kind(), TyKind::Str(_)) => ty.clone(),
        _ => Ty::string(),
    }
}

fn trimmed(arguments: &[Ty]) -> Ty {
    let text = arguments.first();
    match text.map(Ty::kind) {
        Some(TyKind::Str(known)) => Ty::string_within(range(None, known.length.max), None, flags(text)),
        _ => Ty::string(),
    }
}

fn padded(arguments: &[Ty]) -> Ty {
    let text = arguments.first();
    let own = text.map(printed_length).unwrap_or_default();
    let length = match arguments.get(1).map(Ty::kind) {
        Some(TyKind::IntLit(total)) => {
            range(own.min.map(|min| min.max(*total)), own.max.map(|max| max.max(*total)))
        }
        _ => range(own.min, None),
    };
    Ty::string_within(length, None, flags(text))
}

fn part(arguments: &[Ty]) -> Ty {
    let Some(source) = arguments.first() else { return Ty::string() };
    match arguments.get(2).map(Ty::kind) {
        Some(TyKind::IntLit(value)) => {
            return Ty::string_within(range(Some(*value), Some(*value)), None, source.flags());
        }
        Some(TyKind::Int(length)) => return Ty::string_within(*length, None, source.flags()),
        _ => {}
    }
    let length = match source.kind() {
        TyKind::StrLit(value) => {
            let own = Some(text_length(value));
            range(own, own)
        }
        TyKind::Str(text) => text.length,
        _ => Range::default(),
    };
    let length = match arguments.get(1).map(Ty::kind) {
        Some(TyKind::IntLit(start)) => range(
            length.min.filter(|min| min >= start).map(|min| min - start),
            length.max.map(|max| if max >= *start { max - start } else { max }),
        ),
        Some(TyKind::Int(start)) => range(
            length.min.zip(start.max).map(|(min, start)| min.saturating_sub(start).max(0)),
            length.max.map(|max| start.min.map_or(max, |start| max.saturating_sub(start).max(0))),
        ),
        _ => range(None, length.max),
    };
    Ty::string_within(length, None, source.flags())
}

fn joined(arguments: &[Ty]) -> Ty {
    let delimiter = arguments.get(1).map(printed_length).unwrap_or_default();
    let (shortest, longest) = (delimiter.min.unwrap_or(0), delimiter.max);
    let length = match arguments.first().map(Ty::kind) {
        Some(TyKind::Tuple(items)) => {
            let gaps = i64::try_from(items.len().saturating_sub(1)).unwrap_or(0);
            let lengths: Vec<Range> = items.iter().map(|item| printed_length(&item.get())).collect();
            let min: i64 = lengths.iter().fold(0, |sum, it| sum.saturating_add(it.min.unwrap_or(0)));
            let max = lengths.iter().try_fold(0i64, |sum, it| Some(sum.saturating_add(it.max?)));
            range(
                Some(min.saturating_add(gaps.saturating_mul(shortest))),
                max.zip(longest).map(|(max, longest)| max.saturating_add(gaps.saturating_mul(longest))),
            )
        }
        Some(TyKind::Array(array)) => {
            let item = printed_length(&array.item.get());
            let least = array.length.min.unwrap_or(0);
            let min = least
                .saturating_mul(item.min.unwrap_or(0))
                .saturating_add((least - 1).max(0).saturating_mul(shortest));
            let max = item.max.zip(longest).zip(array.length.max).map(|((item, longest), most)| {
                item.saturating_mul(most).saturating_add((most - 1).max(0).saturating_mul(longest))
            });
            range(Some(min), max)
        }
        _ => Range::default(),
    };
    Ty::string_within(range(length.min.filter(|min| *min > 0), length.max), None, TypeFlags::empty())
}
