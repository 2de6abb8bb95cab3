//! `suffix`: the text ends with the operand.

use super::{Example, RuleInfo};
use crate::compare::bytes;
use crate::kind::Kinds;
use crate::view::Node;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "suffix",
    applies_to: Kinds::STRINGS,
    summary: "The text ends with the operand.",
    details: "Case matters. The empty text is a suffix of every text.",
    examples: &[Example {
        contract: r#"{"suffix": "ab"}"#,
        holds: &[r#""ab""#, r#""cab""#],
        breaks: &[r#""aB""#, r#""b""#, r#""""#],
    }],
};

pub(super) fn demand(wanted: &str) -> String {
    format!("must end with {wanted}")
}

pub(super) fn holds(found: Node<'_>, wanted: Node<'_>) -> bool {
    match (bytes(&found), bytes(&wanted)) {
        (Some(found), Some(wanted)) => found.ends_with(wanted),
        _ => false,
    }
}
