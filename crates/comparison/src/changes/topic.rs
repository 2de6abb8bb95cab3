//! What rules are about, and what a change of them is called.

use contract::Unit;
use contract::rules::{Rule, Test};

use crate::model::SetRelation;

/// What rules are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    Minimum,
    Maximum,
    Multiple,
    Length,
    Items,
    Properties,
    Pattern,
    Format,
    Values,
    Unique,
    Contains,
    Names,
    Condition,
    Validator,
}

impl Topic {
    pub(super) const ALL: [Topic; 14] = [
        Topic::Minimum,
        Topic::Maximum,
        Topic::Multiple,
        Topic::Length,
        Topic::Items,
        Topic::Properties,
        Topic::Pattern,
        Topic::Format,
        Topic::Values,
        Topic::Unique,
        Topic::Contains,
        Topic::Names,
        Topic::Condition,
        Topic::Validator,
    ];

    pub(super) fn of(test: &Test) -> Option<Topic> {
        // What compares with another field is told by the checker.
        if test.operands().iter().any(|operand| !matches!(operand, contract::Operand::Constant(_))) {
            return Some(Topic::Validator);
        }
        Some(match test {
            Test::Minimum(_) | Test::ExclusiveMinimum(_) | Test::Ge(_) | Test::Gt(_) => Topic::Minimum,
            Test::Maximum(_) | Test::ExclusiveMaximum(_) | Test::Le(_) | Test::Lt(_) => Topic::Maximum,
            Test::MultipleOf(_) => Topic::Multiple,
            Test::MinLength(unit, _) | Test::MaxLength(unit, _) => match unit {
                Unit::Items => Topic::Items,
                Unit::Properties => Topic::Properties,
                Unit::Bytes | Unit::Scalars | Unit::Utf16 => Topic::Length,
            },
            Test::Elements(_) => Topic::Items,
            Test::Pattern(_)
            | Test::Prefix(_)
            | Test::Suffix(_)
            | Test::Contains(_)
            | Test::NotContains(_) => Topic::Pattern,
            Test::Format(_) => Topic::Format,
            Test::Eq(_) | Test::Ne(_) | Test::Constant(_) | Test::In(_) | Test::NotIn(_) => Topic::Values,
            Test::Unique(()) => Topic::Unique,
            Test::Containment(_) => Topic::Contains,
            Test::Keys(_) => Topic::Names,
            Test::Presence(_) | Test::Not(_) | Test::If(_) | Test::Dependent(_) | Test::Values(_) => {
                Topic::Condition
            }
            Test::Assert(_) | Test::Custom(_) => Topic::Validator,
        })
    }

    pub(super) fn rule(self, relation: SetRelation, was_empty: bool, is_empty: bool) -> &'static str {
        use SetRelation::{Narrower, Wider};
        let three = |narrowed, widened, changed| match relation {
            Narrower => narrowed,
            Wider => widened,
            _ => changed,
        };
        match self {
            Topic::Minimum => three("minimum-raised", "minimum-lowered", "minimum-raised"),
            Topic::Maximum => three("maximum-lowered", "maximum-raised", "maximum-lowered"),
            Topic::Multiple => "multiple-changed",
            Topic::Length => three("length-narrowed", "length-widened", "length-changed"),
            Topic::Items => three("items-narrowed", "items-widened", "items-changed"),
            Topic::Properties => three("properties-narrowed", "properties-widened", "properties-changed"),
            Topic::Pattern => three("pattern-narrowed", "pattern-widened", "pattern-changed"),
            Topic::Format => three("format-narrowed", "format-widened", "format-changed"),
            Topic::Values => three("value-removed", "value-added", "value-removed"),
            Topic::Unique => three("unique-added", "unique-removed", "unique-added"),
            Topic::Contains => three("contains-narrowed", "contains-widened", "contains-changed"),
            Topic::Names => three("names-narrowed", "names-widened", "names-changed"),
            Topic::Condition => match (was_empty, is_empty) {
                (true, _) => "condition-added",
                (_, true) => "condition-removed",
                _ => three("condition-added", "condition-removed", "condition-changed"),
            },
            Topic::Validator => "validator-changed",
        }
    }

    pub(super) fn message(self, was: &[Rule], is: &[Rule]) -> String {
        if self == Topic::Validator {
            return "a validator is not the same".to_owned();
        }
        let words = |rules: &[Rule]| -> String {
            if rules.is_empty() {
                return "nothing was asked".to_owned();
            }
            let texts = rules.iter().map(|rule| {
                let wanted: Vec<String> = match &rule.test {
                    Test::Pattern(pattern) => vec![pattern.source().to_owned()],
                    Test::Format(format) => vec![format.name().to_owned()],
                    Test::Constant(constant) => vec![constant.to_string()],
                    test => test.operands().iter().map(ToString::to_string).collect(),
                };
                rule.test.demand(&wanted.join(", "))
            });
            texts.collect::<Vec<_>>().join(" and ")
        };
        match is.is_empty() {
            true => format!("{} before, nothing now", words(was)),
            false => format!("{}; before: {}", words(is), words(was)),
        }
    }
}
