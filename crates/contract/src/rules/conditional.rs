//! `if`: a shape decides which of two others the value has besides.

use super::{RuleExample, RuleInfo};
use crate::shape::Shape;
use value::Kinds;

/// A shape that decides, and the two that it decides between.
#[derive(Clone, Debug, PartialEq)]
pub struct Conditional {
    /// What the value is compared with first; that it does not have this shape breaks nothing.
    pub test: Shape,
    /// What the value must be if it has the shape; `None` asks for nothing.
    pub then: Option<Shape>,
    /// What the value must be if it does not; `None` asks for nothing.
    pub otherwise: Option<Shape>,
}

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "if",
    applies_to: Kinds::ALL,
    summary: "A value that has one shape has another besides.",
    details: "`then` is for values that have the shape of `if`, `else` for all others. A violation is one of the shape that was \
              chosen, under its own name. A message for `if` takes the place of all of them.",
    examples: &[
        RuleExample {
            contract: r#"{"if": {"required": ["card"]}, "then": {"required": ["name"]}}"#,
            holds: &["{}", r#"{"name": 1}"#, r#"{"card": 1, "name": 1}"#],
            breaks: &[r#"{"card": 1}"#],
        },
        RuleExample {
            contract: r#"{"type": "integer", "if": {"minimum": 0}, "then": {"maximum": 9}, "else": {"minimum": -9}}"#,
            holds: &["9", "-9"],
            breaks: &["10", "-10"],
        },
        RuleExample {
            contract: r#"{"if": {"type": "string"}, "then": {"minLength": 2}, "messages": {"if": "names are longer"}}"#,
            holds: &["1", r#""ab""#],
            breaks: &[r#""a""#],
        },
    ],
};

pub(super) fn demand(_: &Conditional, _: &str) -> String {
    "must have the shape that its condition leads to".to_owned()
}
