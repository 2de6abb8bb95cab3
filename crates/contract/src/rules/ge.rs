//! `ge`: the number is at least the operand.

use std::cmp::Ordering;

use super::{RuleExample, RuleInfo};
use crate::compare::order;
use value::Kinds;
use value::Node;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "ge",
    applies_to: Kinds::NUMBERS,
    summary: "The number is at least the operand.",
    details: "NaN on either side breaks the rule.",
    examples: &[RuleExample { contract: r#"{"ge": 3}"#, holds: &["3", "3.0", "4"], breaks: &["2", "2.999"] }],
};

pub(super) fn demand(wanted: &str) -> String {
    format!("must be at least {wanted}")
}

pub(super) fn holds(found: Node<'_>, wanted: Node<'_>) -> bool {
    matches!(order(found, wanted), Some(Ordering::Greater | Ordering::Equal))
}

#[cfg(test)]
mod tests {
    use super::super::edges::check_order;
    use super::*;

    #[test]
    fn edges() {
        check_order(holds, &[Ordering::Greater, Ordering::Equal]);
    }
}
