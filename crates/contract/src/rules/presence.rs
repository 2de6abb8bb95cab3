//! `presence`: which properties must, or must not, be there together.

use super::{RuleExample, RuleInfo};
use value::{Kinds, ValueKind};

/// How the presence of some properties depends on others.
#[derive(Clone, Debug, PartialEq)]
pub enum Presence {
    /// If the property is there, all of the others are.
    Requires(Box<str>, Vec<Box<str>>),
    /// If the property is there, none of the others is.
    Excludes(Box<str>, Vec<Box<str>>),
    /// At least one is there.
    AnyOf(Vec<Box<str>>),
    /// Exactly one is there.
    OneOf(Vec<Box<str>>),
}

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "presence",
    applies_to: Kinds::of(&[ValueKind::Object]),
    summary: "Properties are there, or absent, depending on others.",
    details: "`dependentRequired` says what a property brings with it, `dependentExcluded` what it rules out; \
              `anyRequired` and `oneRequired` ask for at least or exactly one of a list.",
    examples: &[
        RuleExample {
            contract: r#"{"dependentRequired": {"card": ["address", "name"]}}"#,
            holds: &["{}", r#"{"name": 1}"#, r#"{"card": 1, "name": 1, "address": 1}"#],
            breaks: &[r#"{"card": 1, "name": 1}"#],
        },
        RuleExample {
            contract: r#"{"dependentExcluded": {"anonymous": ["name"]}}"#,
            holds: &[r#"{"name": 1}"#, r#"{"anonymous": 1}"#],
            breaks: &[r#"{"anonymous": 1, "name": 1}"#],
        },
        RuleExample {
            contract: r#"{"anyRequired": ["a", "b"]}"#,
            holds: &[r#"{"a": 1, "b": 1}"#],
            breaks: &["{}"],
        },
        RuleExample {
            contract: r#"{"oneRequired": ["a", "b"]}"#,
            holds: &[r#"{"b": 1}"#],
            breaks: &["{}", r#"{"a": 1, "b": 1}"#],
        },
    ],
};

pub(super) fn demand(presence: &Presence, _: &str) -> String {
    match presence {
        Presence::Requires(name, others) => {
            format!("must have {} because it has `{name}`", list(others, "and"))
        }
        Presence::Excludes(name, others) => {
            format!("must not have {} because it has `{name}`", list(others, "or"))
        }
        Presence::AnyOf(names) => format!("must have at least one of {}", list(names, "and")),
        Presence::OneOf(names) => format!("must have exactly one of {}", list(names, "and")),
    }
}

impl Presence {
    /// Tells whether the rule holds, given what is there.
    pub(crate) fn holds(&self, has: impl Fn(&str) -> bool) -> bool {
        match self {
            Presence::Requires(name, others) => !has(name) || others.iter().all(|other| has(other)),
            Presence::Excludes(name, others) => !has(name) || !others.iter().any(|other| has(other)),
            Presence::AnyOf(names) => names.iter().any(|name| has(name)),
            Presence::OneOf(names) => names.iter().filter(|name| has(name)).count() == 1,
        }
    }
}

fn list(names: &[Box<str>], last: &str) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((end, [])) => end.clone(),
        Some((end, rest)) => format!("{} {last} {end}", rest.join(", ")),
        None => "nothing".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).into()).collect::<Vec<Box<str>>>();
        let table = [
            (Presence::Requires("a".into(), names(&[])), vec!["a"], true),
            (Presence::Requires("a".into(), names(&["a"])), vec!["a"], true),
            (Presence::Excludes("a".into(), names(&["a"])), vec!["a"], false),
            (Presence::Excludes("a".into(), names(&[])), vec!["a"], true),
            (Presence::AnyOf(names(&[])), vec!["a"], false),
            (Presence::OneOf(names(&["a", "b", "c"])), vec!["a", "c"], false),
            (Presence::OneOf(names(&["a", "b", "c"])), vec!["c", "d"], true),
        ];
        for (presence, there, expected) in table {
            assert_eq!(presence.holds(|name| there.contains(&name)), expected, "{presence:?} {there:?}");
        }
    }

    #[test]
    fn demands_read_as_sentences() {
        let one = Presence::OneOf(vec!["a".into(), "b".into(), "c".into()]);
        assert_eq!(demand(&one, ""), "must have exactly one of `a`, `b` and `c`");
        let none = Presence::Excludes("a".into(), vec!["b".into(), "c".into()]);
        assert_eq!(demand(&none, ""), "must not have `b` or `c` because it has `a`");
    }
}
