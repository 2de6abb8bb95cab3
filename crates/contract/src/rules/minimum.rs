//! `minimum`: the number is at least a bound.

use super::{RuleExample, RuleInfo};
use value::Kinds;
use value::Node;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "minimum",
    applies_to: Kinds::NUMBERS,
    summary: "The number is at least a bound.",
    details: "The comparison is exact: 64-bit integers and decimals never pass through a double. NaN breaks the rule.",
    examples: &[RuleExample {
        contract: r#"{"minimum": 0.1}"#,
        holds: &["0.1", "1", "18446744073709551615"],
        breaks: &["0", "0.09999999999999999"],
    }],
};

pub(super) fn demand(wanted: &str) -> String {
    format!("must be at least {wanted}")
}

pub(super) fn holds(found: Node<'_>, wanted: Node<'_>) -> bool {
    super::ge::holds(found, wanted)
}
