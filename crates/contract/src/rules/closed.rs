//! `additionalProperties`: an object has no properties but the known ones.

use super::{Example, RuleInfo};
use value::{Kind, Kinds};

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "additionalProperties",
    applies_to: Kinds::of(&[Kind::Object]),
    summary: "An object has no properties but the known ones.",
    details: "A violation is reported at the property, with the known name that is nearest to it.",
    examples: &[Example {
        contract: r#"{"properties": {"a": {}}, "additionalProperties": false}"#,
        holds: &["{}", r#"{"a": 1}"#],
        breaks: &[r#"{"b": 1}"#],
    }],
};
