//! Types as they are written, also those that contain themselves.

use crate::Choices;
use crate::names::Names;

/// A type, as far as values of it can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    Str,
    Int,
    Bool,
    Object,
    Array,
    /// One of several texts.
    Texts(Vec<&'static str>),
    List(Box<Ty>),
    Tuple(Vec<Ty>),
    /// Properties.
    Record(Vec<(&'static str, Ty)>),
    /// Any names with values of one type.
    Map(Box<Ty>),
    Nullable(Box<Ty>),
    /// A declared type.
    Named(String),
    /// A part of a declared type.
    Part(String),
    /// Objects that are told apart by `kind`.
    Kinds(Vec<(&'static str, Vec<(&'static str, Ty)>)>),
}

const TEXTS: [&str; 4] = ["'a'", "'b'", "'long one'", "'it\\'s'"];
pub(crate) const KEYS: [&str; 6] = ["x", "y", "name", "id", "'odd key'", "kind"];

impl Ty {
    /// The type as it is written.
    pub(crate) fn text(&self) -> String {
        let fields = |fields: &[(&'static str, Ty)]| {
            fields.iter().map(|(name, ty)| format!("{name}: {}", ty.text())).collect::<Vec<_>>().join(", ")
        };
        match self {
            Ty::Str => "string".into(),
            Ty::Int => "int".into(),
            Ty::Bool => "bool".into(),
            Ty::Object => "object".into(),
            Ty::Array => "array".into(),
            Ty::Texts(texts) => texts.join(" | "),
            Ty::List(item) => match **item {
                Ty::Texts(_) | Ty::Nullable(_) | Ty::Kinds(_) => format!("({})[]", item.text()),
                _ => format!("{}[]", item.text()),
            },
            Ty::Tuple(items) => {
                format!("[{}]", items.iter().map(Ty::text).collect::<Vec<_>>().join(", "))
            }
            Ty::Record(members) => format!("{{ {} }}", fields(members)),
            Ty::Map(value) => format!("{{ *: {} }}", value.text()),
            Ty::Nullable(base) => match **base {
                Ty::Texts(_) => format!("({})?", base.text()),
                Ty::Nullable(_) => base.text(),
                _ => format!("{}?", base.text()),
            },
            Ty::Named(name) | Ty::Part(name) => name.clone(),
            Ty::Kinds(kinds) => {
                let kind = |(kind, members): &(&'static str, Vec<(&'static str, Ty)>)| {
                    format!("{{ kind: {kind}, {} }}", fields(members))
                };
                kinds.iter().map(kind).collect::<Vec<_>>().join(" | ")
            }
        }
    }
}

/// Makes a type. `open` are the names of types that are being declared: they are mentioned where that may be valid,
/// and sometimes where it is not.
pub(crate) fn ty(choices: &mut Choices<'_>, names: &Names, open: &[String], depth: usize) -> Ty {
    let simple = |choices: &mut Choices<'_>| match choices.below(6) {
        0 | 1 => Ty::Str,
        2 => Ty::Int,
        3 => Ty::Bool,
        4 => Ty::Object,
        _ => Ty::Array,
    };
    if depth == 0 {
        return match choices.one(open) {
            Some(name) if choices.one_in(3) => Ty::Nullable(Box::new(Ty::Named(name.clone()))),
            _ => simple(choices),
        };
    }
    let inner = |choices: &mut Choices<'_>| ty(choices, names, open, depth - 1);
    match choices.below(16) {
        0..4 => simple(choices),
        4 => Ty::Texts(TEXTS.iter().copied().take(2 + choices.below(3)).collect()),
        5 | 6 => Ty::List(Box::new(inner(choices))),
        7 => {
            let count = choices.below(4);
            Ty::Tuple((0..count).map(|_| inner(choices)).collect())
        }
        8 | 9 => {
            let count = choices.below(4);
            Ty::Record(KEYS.iter().take(count).map(|key| (*key, inner(choices))).collect())
        }
        10 => Ty::Map(Box::new(inner(choices))),
        11 => Ty::Nullable(Box::new(inner(choices))),
        12 | 13 => match choices.one(open) {
            // A type that needs itself has no values: that is wrong, and must be said.
            Some(name) if choices.one_in(4) => Ty::Named(name.clone()),
            Some(name) => Ty::Nullable(Box::new(Ty::Named(name.clone()))),
            None => simple(choices),
        },
        _ => match choices.one(&names.types) {
            Some((name, _)) if choices.one_in(5) => Ty::Part(format!(
                "{name}{}",
                choices.pick(&[".x", "[0]", "[*]", ".*", "['odd key']", ".y.x"])
            )),
            Some((name, _)) => Ty::Named(name.clone()),
            None => simple(choices),
        },
    }
}

/// The members of a discriminated union.
pub(crate) fn kinds(choices: &mut Choices<'_>, names: &Names, open: &[String]) -> Ty {
    let count = 2 + choices.below(2);
    let kinds = ["'a'", "'b'", "'c'"].iter().take(count).map(|kind| {
        let members = KEYS.iter().take(choices.below(3)).map(|key| (*key, ty(choices, names, open, 1)));
        (*kind, members.collect())
    });
    Ty::Kinds(kinds.collect())
}
