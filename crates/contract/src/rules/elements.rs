//! `items`: every element of the list has a shape.

use super::{RuleExample, RuleInfo};
use crate::shape::Shape;
use value::{Kinds, ValueKind};

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "items",
    applies_to: Kinds::of(&[ValueKind::List]),
    summary: "Every element of the list has a shape.",
    details: "Element rules nest to any depth. A violation is reported at the element.",
    examples: &[RuleExample {
        contract: r#"{"items": {"items": {"gt": 0}}}"#,
        holds: &["[]", "[[1], [2, 3]]", "7"],
        breaks: &["[[1], [2, 0]]"],
    }],
};

pub(super) fn demand(_: &Shape, _: &str) -> String {
    "must have elements of the stated shape".to_owned()
}
