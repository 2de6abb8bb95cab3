//! The validators: what each is called, which types it is for, and what it takes.

use crate::model::Type;

/// Types, as far as validators tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// `bool`
    Bool,
    /// `i8`, `i16`, `i32`, `i64`
    Int,
    /// `double`
    Double,
    /// `string`
    String,
    /// `binary`
    Binary,
    /// `uuid`
    Uuid,
    /// An enum.
    Enum,
    /// A list or set.
    List,
    /// A map.
    Map,
    /// A struct, union or exception.
    Struct,
}

impl Class {
    /// The class of a type that is no typedef; `None` for a type that was reported.
    pub fn of(ty: Type) -> Option<Class> {
        Some(match ty {
            Type::Bool => Class::Bool,
            Type::I8 | Type::I16 | Type::I32 | Type::I64 => Class::Int,
            Type::Double => Class::Double,
            Type::String => Class::String,
            Type::Binary => Class::Binary,
            Type::Uuid => Class::Uuid,
            Type::List(_) | Type::Set(_) => Class::List,
            Type::Map(..) => Class::Map,
            Type::Enum(_) => Class::Enum,
            Type::Struct(_) => Class::Struct,
            Type::Typedef(_) | Type::Error => return None,
        })
    }
}

/// What stands behind a validator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// A value of the field's own type.
    Own,
    /// A list of such values.
    Owns,
    /// A length.
    Size,
    /// Text.
    Text,
    /// A regular expression, in the configured dialect.
    Pattern,
    /// A POSIX basic expression.
    BrePattern,
    /// `true` or `false`; nothing means `true`.
    Flag,
    /// A boolean expression over the struct's fields.
    Expression,
    /// Words for people.
    Words,
}

/// One validator.
#[derive(Debug)]
pub struct Validator {
    /// Its name behind the prefix and the chain.
    pub name: &'static str,
    /// The types it is for.
    pub on: &'static [Class],
    /// What it takes.
    pub takes: Takes,
    /// Whether `_escape` can stand behind it, to take the value literally.
    pub escapes: bool,
    /// Whether it is our own and not the proposal's.
    pub extension: bool,
    /// What it means.
    pub meaning: &'static str,
}

use Class::{Binary, Bool, Double, Enum, Int, List, Map, String, Struct, Uuid};

const ANY: &[Class] = &[Bool, Int, Double, String, Binary, Uuid, Enum, List, Map, Struct];
const SCALARS: &[Class] = &[Bool, Int, Double, String, Binary, Uuid, Enum];
const NUMBERS: &[Class] = &[Int, Double];
const TEXTS: &[Class] = &[String, Binary];
const SIZED: &[Class] = &[String, Binary, List, Map];

const fn row(
    name: &'static str,
    on: &'static [Class],
    takes: Takes,
    escapes: bool,
    meaning: &'static str,
) -> Validator {
    Validator { name, on, takes, escapes, extension: false, meaning }
}

const fn extension(
    name: &'static str,
    on: &'static [Class],
    takes: Takes,
    meaning: &'static str,
) -> Validator {
    Validator { name, on, takes, escapes: false, extension: true, meaning }
}

/// Every validator, in the order of the proposal's table, extensions last. `elem`, `key` and `value` are
/// no validators here: they lead to the parts that a validator is for.
pub static VALIDATORS: &[Validator] = &[
    row("const", SCALARS, Takes::Own, true, "equals the value"),
    row("defined_only", &[Enum], Takes::Flag, false, "is a declared member of the enum"),
    row("not_nil", ANY, Takes::Flag, false, "is set"),
    row("skip", ANY, Takes::Flag, false, "is not validated at all"),
    row("eq", SCALARS, Takes::Own, true, "equals the value"),
    row("ne", SCALARS, Takes::Own, true, "differs from the value"),
    row("lt", NUMBERS, Takes::Own, false, "is less than the value"),
    row("le", NUMBERS, Takes::Own, false, "is at most the value"),
    row("gt", NUMBERS, Takes::Own, false, "is greater than the value"),
    row("ge", NUMBERS, Takes::Own, false, "is at least the value"),
    row("in", SCALARS, Takes::Owns, true, "is one of the values"),
    row("not_in", SCALARS, Takes::Owns, true, "is none of the values"),
    row("min_size", SIZED, Takes::Size, false, "has at least so many bytes, elements or entries"),
    row("max_size", SIZED, Takes::Size, false, "has at most so many bytes, elements or entries"),
    row("prefix", TEXTS, Takes::Text, true, "starts with the value"),
    row("suffix", TEXTS, Takes::Text, true, "ends with the value"),
    row("contains", TEXTS, Takes::Text, true, "contains the value"),
    row("not_contains", TEXTS, Takes::Text, true, "does not contain the value"),
    row("pattern", TEXTS, Takes::Pattern, true, "matches the regular expression somewhere"),
    extension("pattern_bre", TEXTS, Takes::BrePattern, "matches the POSIX basic expression somewhere"),
    extension("min_rune_size", &[String], Takes::Size, "has at least so many characters"),
    extension("max_rune_size", &[String], Takes::Size, "has at most so many characters"),
    extension("no_sparse", &[Map], Takes::Flag, "has no entry without a value"),
    extension("assert", &[Struct], Takes::Expression, "makes the expression over its fields true"),
    extension("message", ANY, Takes::Words, "is reported in these words"),
    extension("redact", ANY, Takes::Flag, "is never printed"),
];

/// Finds a validator by its name.
pub(super) fn find(name: &str) -> Option<&'static Validator> {
    VALIDATORS.iter().find(|validator| validator.name == name)
}
