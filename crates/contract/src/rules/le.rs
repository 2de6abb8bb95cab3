//! `le`: the number is at most the operand.

use std::cmp::Ordering;

use super::{RuleExample, RuleInfo};
use crate::compare::order;
use value::Kinds;
use value::Node;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "le",
    applies_to: Kinds::NUMBERS,
    summary: "The number is at most the operand.",
    details: "NaN on either side breaks the rule.",
    examples: &[RuleExample { contract: r#"{"le": 3}"#, holds: &["3", "3.0", "2"], breaks: &["4", "3.001"] }],
};

pub(super) fn demand(wanted: &str) -> String {
    format!("must be at most {wanted}")
}

pub(super) fn holds(found: Node<'_>, wanted: Node<'_>) -> bool {
    matches!(order(found, wanted), Some(Ordering::Less | Ordering::Equal))
}

#[cfg(test)]
mod tests {
    use super::super::edges::check_order;
    use super::*;

    #[test]
    fn edges() {
        check_order(holds, &[Ordering::Less, Ordering::Equal]);
    }
}
