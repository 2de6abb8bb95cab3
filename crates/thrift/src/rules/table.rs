//! The validators: what each is called, which types it is for, what it takes, and the rule it becomes.

use contract::{Operand, Test, Unit};

use crate::model::Type;

/// Types, as far as validators tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Bool,
    /// `i8`, `i16`, `i32`, `i64`
    Int,
    Double,
    String,
    Binary,
    Uuid,
    Enum,
    /// A list or set.
    List,
    Map,
    /// A struct, union or exception.
    Struct,
}

impl Class {
    /// The class of a type that is not a typedef; `None` for a type that was reported.
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

/// What stands behind a validator, and the rule that it becomes with that.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    /// A value of the field's own type.
    Own(fn(Operand) -> Test),
    /// A list of such values.
    Owns(fn(Vec<Operand>) -> Test),
    /// A length, in the unit that the type has.
    Size(Count, fn(Unit, Operand) -> Test),
    Text(fn(Operand) -> Test),
    /// A regular expression, in the configured dialect.
    Pattern,
    /// A POSIX basic expression.
    BrePattern,
    /// The name of a well-known format.
    Format,
    /// `true` or `false`; nothing means `true`.
    Flag(Flag),
    /// A boolean expression over the struct's fields.
    Expression,
    /// Words for people, which no check reads.
    Words,
}

/// What a length counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Bytes, elements or entries, as the type has them.
    Parts,
    /// Unicode scalars, whatever the type.
    Characters,
}

impl Count {
    /// The unit in which a value of a class is measured.
    pub(super) fn unit(self, class: Class) -> Unit {
        match (self, class) {
            (Count::Characters, _) => Unit::Scalars,
            (Count::Parts, Class::List) => Unit::Items,
            (Count::Parts, Class::Map) => Unit::Properties,
            (Count::Parts, String | Binary | Uuid | Bool | Int | Double | Enum | Struct) => Unit::Bytes,
        }
    }
}

/// What can be switched on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// Only declared members of an enum.
    DefinedOnly,
    /// The field is set.
    NotNil,
    /// The field, and all that is inside of it, is not validated.
    Skip,
    /// No two elements are equal.
    Unique,
    /// No entry is without a value.
    NoSparse,
    /// The value is never printed.
    Redact,
}

/// A row of the table of validators.
#[derive(Debug)]
pub struct Validator {
    /// Its name behind the prefix and the chain.
    pub name: &'static str,
    /// The types it is for.
    pub on: &'static [Class],
    /// What its value is, and the rule that it becomes.
    pub takes: Takes,
    /// Whether `_escape` can stand behind it, to take the value literally.
    pub escapes: bool,
    /// Whether it is our own and not the proposal's.
    pub extension: bool,
    /// Its meaning in one sentence, as the page has it.
    pub meaning: &'static str,
    /// A field, or a struct, that shows it.
    pub example: &'static str,
}

/// What a rule means where an operand leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbsentOperand {
    /// There is nothing to compare with: the rule is not run.
    NotRun,
    /// The value is one of the rest, so that it is refused if there is no rest.
    OneOfRest,
    /// The value is none of the rest, so that it passes if there is no rest.
    NoneOfRest,
    /// The expression has no value: the rule is not run, unless `@has` asks what is there.
    NoExpression,
    /// There are no operands that could be absent.
    Impossible,
}

impl Validator {
    /// What it means where an operand leads nowhere.
    pub fn absent_operand(&self) -> AbsentOperand {
        match self.takes {
            Takes::Own(_) | Takes::Size(..) | Takes::Text(_) => AbsentOperand::NotRun,
            Takes::Owns(becomes) => match becomes(Vec::new()) {
                Test::NotIn(_) => AbsentOperand::NoneOfRest,
                _ => AbsentOperand::OneOfRest,
            },
            Takes::Expression => AbsentOperand::NoExpression,
            Takes::Pattern | Takes::BrePattern | Takes::Format | Takes::Flag(_) | Takes::Words => {
                AbsentOperand::Impossible
            }
        }
    }

    /// Whether it is the one that switches something on.
    pub(super) fn is_flag(&self, flag: Flag) -> bool {
        matches!(self.takes, Takes::Flag(own) if own == flag)
    }
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
    example: &'static str,
) -> Validator {
    Validator { name, on, takes, escapes, extension: false, meaning, example }
}

const fn extension(
    name: &'static str,
    on: &'static [Class],
    takes: Takes,
    meaning: &'static str,
    example: &'static str,
) -> Validator {
    Validator { name, on, takes, escapes: false, extension: true, meaning, example }
}

/// Every validator, in the order of the proposal's table, extensions last. `elem`, `key` and `value` are
/// no validators here: they lead to the parts that a validator is for.
pub static VALIDATORS: &[Validator] = &[
    row(
        "const",
        SCALARS,
        Takes::Own(Test::Eq),
        true,
        "equals the operand",
        "1: string kind (vt.const = \"order\")",
    ),
    row(
        "defined_only",
        &[Enum],
        Takes::Flag(Flag::DefinedOnly),
        false,
        "is a declared member of the enum",
        "1: Color color (vt.defined_only = \"true\")",
    ),
    row(
        "not_nil",
        ANY,
        Takes::Flag(Flag::NotNil),
        false,
        "is set",
        "1: optional Point at (vt.not_nil = \"true\")",
    ),
    row(
        "skip",
        ANY,
        Takes::Flag(Flag::Skip),
        false,
        "is not validated at all",
        "1: Point at (vt.skip = \"true\")",
    ),
    row(
        "eq",
        SCALARS,
        Takes::Own(Test::Eq),
        true,
        "equals the operand",
        "1: string again (vt.eq = \"$first\") 2: string first",
    ),
    row("ne", SCALARS, Takes::Own(Test::Ne), true, "differs from the operand", "1: i32 id (vt.ne = \"0\")"),
    row(
        "lt",
        NUMBERS,
        Takes::Own(Test::Lt),
        false,
        "is less than the operand",
        "1: i32 low (vt.lt = \"$high\") 2: i32 high",
    ),
    row(
        "le",
        NUMBERS,
        Takes::Own(Test::Le),
        false,
        "is at most the operand",
        "1: double ratio (vt.le = \"1.0\")",
    ),
    row(
        "gt",
        NUMBERS,
        Takes::Own(Test::Gt),
        false,
        "is greater than the operand",
        "1: list<i32> ids (vt.elem.gt = \"0\")",
    ),
    row("ge", NUMBERS, Takes::Own(Test::Ge), false, "is at least the operand", "1: i32 age (vt.ge = \"0\")"),
    row(
        "in",
        SCALARS,
        Takes::Owns(Test::In),
        true,
        "is one of the operands",
        "1: string currency (vt.in = \"[EUR, CHF]\")",
    ),
    row(
        "not_in",
        SCALARS,
        Takes::Owns(Test::NotIn),
        true,
        "is none of the operands",
        "1: i32 port (vt.not_in = \"[22, 23]\")",
    ),
    row(
        "min_size",
        SIZED,
        Takes::Size(Count::Parts, Test::MinLength),
        false,
        "has at least so many bytes, elements or entries",
        "1: map<string, i32> stock (vt.min_size = \"1\", vt.key.min_size = \"1\")",
    ),
    row(
        "max_size",
        SIZED,
        Takes::Size(Count::Parts, Test::MaxLength),
        false,
        "has at most so many bytes, elements or entries",
        "1: string name (vt.max_size = \"@mul(2, 32)\")",
    ),
    row(
        "prefix",
        TEXTS,
        Takes::Text(Test::Prefix),
        true,
        "starts with the operand",
        "1: string path (vt.prefix = \"/\")",
    ),
    row(
        "suffix",
        TEXTS,
        Takes::Text(Test::Suffix),
        true,
        "ends with the operand",
        "1: string file (vt.suffix = \".thrift\")",
    ),
    row(
        "contains",
        TEXTS,
        Takes::Text(Test::Contains),
        true,
        "contains the operand",
        "1: binary magic (vt.contains = \"\\xca\\xfe\")",
    ),
    row(
        "not_contains",
        TEXTS,
        Takes::Text(Test::NotContains),
        true,
        "does not contain the operand",
        "1: string name (vt.not_contains = \" \")",
    ),
    row(
        "pattern",
        TEXTS,
        Takes::Pattern,
        true,
        "matches the regular expression somewhere",
        "1: string code (vt.pattern = \"^[A-Z]{3}$\")",
    ),
    extension(
        "pattern_bre",
        TEXTS,
        Takes::BrePattern,
        "matches the POSIX basic expression somewhere",
        "1: string code (vt.pattern_bre = \"^[A-Z]*$\")",
    ),
    extension(
        "min_rune_size",
        &[String],
        Takes::Size(Count::Characters, Test::MinLength),
        "has at least so many characters",
        "1: string title (vt.min_rune_size = \"1\")",
    ),
    extension(
        "max_rune_size",
        &[String],
        Takes::Size(Count::Characters, Test::MaxLength),
        "has at most so many characters",
        "1: string title (vt.max_rune_size = \"80\")",
    ),
    extension(
        "format",
        &[String],
        Takes::Format,
        "is written in the well-known format of that name",
        "1: string email (vt.format = \"email\")",
    ),
    extension(
        "unique",
        &[List],
        Takes::Flag(Flag::Unique),
        "has no two equal elements, which must be scalars",
        "1: list<string> tags (vt.unique = \"true\")",
    ),
    extension(
        "no_sparse",
        &[Map],
        Takes::Flag(Flag::NoSparse),
        "has no entry without a value",
        "1: map<string, Point> marks (vt.no_sparse = \"true\")",
    ),
    extension(
        "assert",
        &[Struct],
        Takes::Expression,
        "makes the expression over its fields true",
        "struct Range {1: i32 low 2: i32 high} (vt.assert = \"@le($low, $high)\")",
    ),
    extension(
        "message",
        ANY,
        Takes::Words,
        "is reported in these words",
        "1: i32 age (vt.ge = \"18\", vt.message = \"must be of age\")",
    ),
    extension(
        "redact",
        ANY,
        Takes::Flag(Flag::Redact),
        "is never printed",
        "1: string token (vt.min_size = \"20\", vt.redact = \"true\")",
    ),
];

/// Finds a validator by its name.
pub(super) fn find(name: &str) -> Option<&'static Validator> {
    VALIDATORS.iter().find(|validator| validator.name == name)
}
