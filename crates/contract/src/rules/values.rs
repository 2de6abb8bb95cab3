//! `values`: every value of the object or map has a shape.

use super::{RuleExample, RuleInfo};
use crate::shape::Shape;
use value::{Kinds, ValueKind};

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "values",
    applies_to: Kinds::of(&[ValueKind::Object]),
    summary: "Every value of the object or map has a shape.",
    details: "Unlike additionalProperties it speaks of all values, also those of known properties.",
    examples: &[RuleExample {
        contract: r#"{"values": {"type": "integer"}}"#,
        holds: &["{}", r#"{"a": 1}"#],
        breaks: &[r#"{"a": 1, "b": "2"}"#],
    }],
};

pub(super) fn demand(_: &Shape, _: &str) -> String {
    "must have values of the stated shape".to_owned()
}
