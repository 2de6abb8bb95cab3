//! `maximum`: the number is at most a bound.

use super::{RuleExample, RuleInfo};
use value::Kinds;
use value::Node;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "maximum",
    applies_to: Kinds::NUMBERS,
    summary: "The number is at most a bound.",
    details: "The comparison is exact: 64-bit integers and decimals never pass through a double. NaN breaks the rule.",
    examples: &[RuleExample {
        contract: r#"{"maximum": 0.1}"#,
        holds: &["0.1", "0", "-1e400"],
        breaks: &["0.2", "1e400"],
    }],
};

pub(super) fn demand(wanted: &str) -> String {
    format!("must be at most {wanted}")
}

pub(super) fn holds(found: Node<'_>, wanted: Node<'_>) -> bool {
    super::le::holds(found, wanted)
}
