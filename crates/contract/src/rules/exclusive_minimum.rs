//! `exclusiveMinimum`: the number is greater than a bound.

use super::{RuleExample, RuleInfo};
use value::Kinds;
use value::Node;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "exclusiveMinimum",
    applies_to: Kinds::NUMBERS,
    summary: "The number is greater than a bound.",
    details: "The comparison is exact: 64-bit integers and decimals never pass through a double. NaN breaks the rule.",
    examples: &[RuleExample {
        contract: r#"{"exclusiveMinimum": 0.1}"#,
        holds: &["0.2"],
        breaks: &["0.1", "0.10", "0"],
    }],
};

pub(super) fn demand(wanted: &str) -> String {
    format!("must be greater than {wanted}")
}

pub(super) fn holds(found: Node<'_>, wanted: Node<'_>) -> bool {
    super::gt::holds(found, wanted)
}
