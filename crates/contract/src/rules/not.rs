//! `not`: the value does not have a shape.

use super::{RuleExample, RuleInfo};
use crate::shape::Shape;
use value::Kinds;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "not",
    applies_to: Kinds::ALL,
    summary: "The value does not have a shape.",
    details: "",
    examples: &[RuleExample {
        contract: r#"{"not": {"type": "string"}}"#,
        holds: &["1"],
        breaks: &[r#""a""#],
    }],
};

pub(super) fn demand(_: &Shape, _: &str) -> String {
    "must not have the excluded shape".to_owned()
}
