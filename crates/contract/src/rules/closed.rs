//! `additionalProperties`: an object has no properties but the known ones.

use super::{RuleExample, RuleInfo};
use value::{Kinds, ValueKind};

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "additionalProperties",
    applies_to: Kinds::of(&[ValueKind::Object]),
    summary: "An object has no properties but the known ones.",
    details: "A violation is reported at the property, with the known name that is nearest to it.",
    examples: &[RuleExample {
        contract: r#"{"properties": {"a": {}}, "additionalProperties": false}"#,
        holds: &["{}", r#"{"a": 1}"#],
        breaks: &[r#"{"b": 1}"#],
    }],
};
