//! `ne`: the value differs from the operand.

use super::{RuleExample, RuleInfo};
use crate::compare::equal;
use value::Kinds;
use value::Node;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "ne",
    applies_to: Kinds::ALL,
    summary: "The value differs from the operand.",
    details: "The opposite of `eq`. NaN differs from everything, itself included.",
    examples: &[RuleExample { contract: r#"{"ne": 3}"#, holds: &["4", r#""3""#], breaks: &["3", "3.0"] }],
};

pub(super) fn demand(wanted: &str) -> String {
    format!("must not equal {wanted}")
}

pub(super) fn holds(found: Node<'_>, wanted: Node<'_>) -> bool {
    !equal(found, wanted)
}

#[cfg(test)]
mod tests {
    use super::super::edges::check_equality;
    use super::*;

    #[test]
    fn edges() {
        check_equality(holds, false);
    }
}
