//! `required`: a property that must be there is there.

use super::{RuleExample, RuleInfo};
use value::{Kinds, ValueKind};

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "required",
    applies_to: Kinds::of(&[ValueKind::Object]),
    summary: "A property that must be there is there.",
    details: "A property whose value is null is there.",
    examples: &[RuleExample {
        contract: r#"{"required": ["a"]}"#,
        holds: &[r#"{"a": null}"#, "[]"],
        breaks: &["{}"],
    }],
};
