//! `propertyNames`: every key of the object or map has a shape.

use super::{RuleExample, RuleInfo};
use crate::shape::Shape;
use value::{Kinds, ValueKind};

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "propertyNames",
    applies_to: Kinds::of(&[ValueKind::Object]),
    summary: "Every key of the object or map has a shape.",
    details: "A violation is reported at the key.",
    examples: &[RuleExample {
        contract: r#"{"propertyNames": {"maxLength": 2}}"#,
        holds: &["{}", r#"{"ab": 1}"#],
        breaks: &[r#"{"abc": 1}"#],
    }],
};

pub(super) fn demand(_: &Shape, _: &str) -> String {
    "must have keys of the stated shape".to_owned()
}
