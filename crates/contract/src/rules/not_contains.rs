//! `notContainsText`: the text does not contain the operand.

use memchr::memmem;

use super::{Example, RuleInfo};
use crate::compare::bytes;
use crate::kind::Kinds;
use crate::view::Node;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "notContainsText",
    applies_to: Kinds::STRINGS,
    summary: "The text does not contain the operand.",
    details: "Case matters. Every text contains the empty text, so that operand can never hold.",
    examples: &[Example {
        contract: r#"{"notContainsText": "ab"}"#,
        holds: &[r#""aB""#, r#""a""#, r#""""#],
        breaks: &[r#""ab""#, r#""xaby""#],
    }],
};

pub(super) fn demand(wanted: &str) -> String {
    format!("must not contain {wanted}")
}

pub(super) fn holds(found: Node<'_>, wanted: Node<'_>) -> bool {
    match (bytes(&found), bytes(&wanted)) {
        (Some(found), Some(wanted)) => memmem::find(found, wanted).is_none(),
        _ => false,
    }
}
