//! `gt`: the number is greater than the operand.

use std::cmp::Ordering;

use super::{RuleExample, RuleInfo};
use crate::compare::order;
use value::Kinds;
use value::Node;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "gt",
    applies_to: Kinds::NUMBERS,
    summary: "The number is greater than the operand.",
    details: "NaN on either side breaks the rule.",
    examples: &[RuleExample {
        contract: r#"{"gt": 3}"#,
        holds: &["4", "3.001", r#""text passes""#],
        breaks: &["3", "2"],
    }],
};

pub(super) fn demand(wanted: &str) -> String {
    format!("must be greater than {wanted}")
}

pub(super) fn holds(found: Node<'_>, wanted: Node<'_>) -> bool {
    order(found, wanted) == Some(Ordering::Greater)
}

#[cfg(test)]
mod tests {
    use super::super::edges::check_order;
    use super::*;

    #[test]
    fn edges() {
        check_order(holds, &[Ordering::Greater]);
    }
}
