//! `exclusiveMaximum`: the number is less than a bound.

use super::{RuleExample, RuleInfo};
use value::Kinds;
use value::Node;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "exclusiveMaximum",
    applies_to: Kinds::NUMBERS,
    summary: "The number is less than a bound.",
    details: "The comparison is exact: 64-bit integers and decimals never pass through a double. NaN breaks the rule.",
    examples: &[RuleExample {
        contract: r#"{"exclusiveMaximum": 0.1}"#,
        holds: &["0"],
        breaks: &["0.1", "1"],
    }],
};

pub(super) fn demand(wanted: &str) -> String {
    format!("must be less than {wanted}")
}

pub(super) fn holds(found: Node<'_>, wanted: Node<'_>) -> bool {
    super::lt::holds(found, wanted)
}
