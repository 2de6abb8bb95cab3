//! `lt`: the number is less than the operand.

use std::cmp::Ordering;

use super::{RuleExample, RuleInfo};
use crate::compare::order;
use value::Kinds;
use value::Node;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "lt",
    applies_to: Kinds::NUMBERS,
    summary: "The number is less than the operand.",
    details: "NaN on either side breaks the rule.",
    examples: &[RuleExample {
        contract: r#"{"lt": 3}"#,
        holds: &["2", "2.999", r#""text passes""#],
        breaks: &["3", "4"],
    }],
};

pub(super) fn demand(wanted: &str) -> String {
    format!("must be less than {wanted}")
}

pub(super) fn holds(found: Node<'_>, wanted: Node<'_>) -> bool {
    order(found, wanted) == Some(Ordering::Less)
}

#[cfg(test)]
mod tests {
    use super::super::edges::check_order;
    use super::*;

    #[test]
    fn edges() {
        check_order(holds, &[Ordering::Less]);
    }
}
