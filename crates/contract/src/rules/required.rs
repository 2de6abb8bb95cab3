//! `required`: a property that must be there is there.

use super::{Example, RuleInfo};
use value::{Kind, Kinds};

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "required",
    applies_to: Kinds::of(&[Kind::Object]),
    summary: "A property that must be there is there.",
    details: "A property whose value is null is there.",
    examples: &[Example {
        contract: r#"{"required": ["a"]}"#,
        holds: &[r#"{"a": null}"#, "[]"],
        breaks: &["{}"],
    }],
};
