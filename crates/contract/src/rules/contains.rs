//! `containsText`: the text contains the operand.

use memchr::memmem;

use super::{Example, RuleInfo};
use crate::compare::bytes;
use crate::kind::Kinds;
use crate::view::Node;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "containsText",
    applies_to: Kinds::STRINGS,
    summary: "The text contains the operand.",
    details: "Case matters. Every text contains the empty text.",
    examples: &[Example {
        contract: r#"{"containsText": "ab"}"#,
        holds: &[r#""ab""#, r#""xaby""#],
        breaks: &[r#""aB""#, r#""a""#, r#""""#],
    }],
};

pub(super) fn demand(wanted: &str) -> String {
    format!("must contain {wanted}")
}

pub(super) fn holds(found: Node<'_>, wanted: Node<'_>) -> bool {
    match (bytes(&found), bytes(&wanted)) {
        (Some(found), Some(wanted)) => memmem::find(found, wanted).is_some(),
        _ => false,
    }
}
