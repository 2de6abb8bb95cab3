//! `eq`: the value equals the operand.

use super::{RuleExample, RuleInfo};
use crate::compare::equal;
use value::Kinds;
use value::Node;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "eq",
    applies_to: Kinds::ALL,
    summary: "The value equals the operand.",
    details: "Numbers are equal by value, whatever their spelling: `1`, `1.0` and `1e0` are the same. NaN equals nothing. \
              To compare with a list or an object, use `const`.",
    examples: &[
        RuleExample { contract: r#"{"eq": 3}"#, holds: &["3", "3.0"], breaks: &["4", r#""3""#, "null"] },
        RuleExample {
            contract: r#"{"properties": {"again": {"eq": {"$field": "password"}}}}"#,
            holds: &[r#"{"password": "a", "again": "a"}"#, r#"{"again": "a"}"#],
            breaks: &[r#"{"password": "a", "again": "b"}"#],
        },
    ],
};

pub(super) fn demand(wanted: &str) -> String {
    format!("must equal {wanted}")
}

pub(super) fn holds(found: Node<'_>, wanted: Node<'_>) -> bool {
    equal(found, wanted)
}

#[cfg(test)]
mod tests {
    use super::super::edges::check_equality;
    use super::*;

    #[test]
    fn edges() {
        check_equality(holds, true);
    }
}
