//! `propertyNames`: every key of the object or map has a shape.

use super::{Example, RuleInfo};
use crate::shape::Shape;
use value::{Kind, Kinds};

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "propertyNames",
    applies_to: Kinds::of(&[Kind::Object]),
    summary: "Every key of the object or map has a shape.",
    details: "A violation is reported at the key.",
    examples: &[Example {
        contract: r#"{"propertyNames": {"maxLength": 2}}"#,
        holds: &["{}", r#"{"ab": 1}"#],
        breaks: &[r#"{"abc": 1}"#],
    }],
};

pub(super) fn demand(_: &Shape, _: &str) -> String {
    "must have keys of the stated shape".to_owned()
}
