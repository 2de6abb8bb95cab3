//! `ge`: the number is at least the operand.

use std::cmp::Ordering;

use super::{Example, RuleInfo};
use crate::compare::order;
use crate::kind::Kinds;
use crate::view::Node;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "ge",
    applies_to: Kinds::NUMBERS,
    summary: "The number is at least the operand.",
    details: "NaN on either side breaks the rule.",
    examples: &[Example { contract: r#"{"ge": 3}"#, holds: &["3", "3.0", "4"], breaks: &["2", "2.999"] }],
};

pub(super) fn demand(wanted: &str) -> String {
    format!("must be at least {wanted}")
}

pub(super) fn holds(found: Node<'_>, wanted: Node<'_>) -> bool {
    matches!(order(found, wanted), Some(Ordering::Greater | Ordering::Equal))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What JSON cannot write, and what doubles cannot hold.
    #[test]
    fn edges() {
        let table = [
            (Node::Int(i64::MIN), Node::Int(i64::MAX), false),
            (Node::UInt(u64::MAX), Node::Int(-1), true),
            (Node::Int(9_007_199_254_740_993), Node::Float(9_007_199_254_740_992.0), true),
            (Node::Decimal("1e400"), Node::Decimal("10e399"), true),
            (Node::Decimal("-1e400"), Node::Float(f64::MIN), false),
            (Node::Float(0.1), Node::Decimal("0.10000000000000000001"), false),
            (Node::Float(-0.0), Node::Int(0), true),
            (Node::Float(f64::INFINITY), Node::Decimal("1e400"), true),
            (Node::Float(f64::NEG_INFINITY), Node::Float(f64::INFINITY), false),
            (Node::Float(f64::NAN), Node::Int(0), false),
            (Node::Int(0), Node::Float(f64::NAN), false),
            (Node::Float(f64::NAN), Node::Float(f64::NAN), false),
            (Node::Int(1), Node::Text("0"), false),
        ];
        for (found, wanted, expected) in table {
            assert_eq!(holds(found, wanted), expected, "{found:?} {wanted:?}");
        }
    }
}
