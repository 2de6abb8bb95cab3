//! `ne`: the value differs from the operand.

use super::{Example, RuleInfo};
use crate::compare::equal;
use crate::kind::Kinds;
use crate::view::Node;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "ne",
    applies_to: Kinds::ALL,
    summary: "The value differs from the operand.",
    details: "The opposite of `eq`. NaN differs from everything, itself included.",
    examples: &[Example { contract: r#"{"ne": 3}"#, holds: &["4", r#""3""#], breaks: &["3", "3.0"] }],
};

pub(super) fn demand(wanted: &str) -> String {
    format!("must not equal {wanted}")
}

pub(super) fn holds(found: Node<'_>, wanted: Node<'_>) -> bool {
    !equal(found, wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What JSON cannot write, and what doubles cannot hold.
    #[test]
    fn edges() {
        let table = [
            (Node::Int(1), Node::Float(1.0), false),
            (Node::UInt(u64::MAX), Node::Decimal("18446744073709551615.0"), false),
            (Node::Int(i64::MAX), Node::Float(i64::MAX as f64), true),
            (Node::Float(-0.0), Node::Float(0.0), false),
            (Node::Float(f64::NAN), Node::Float(f64::NAN), true),
            (Node::Float(f64::INFINITY), Node::Float(f64::INFINITY), false),
            (Node::Text("a"), Node::Bytes(b"a"), false),
            (Node::Text("a"), Node::Text("A"), true),
            (Node::Text("\u{e9}"), Node::Text("e\u{301}"), true),
            (Node::Null, Node::Bool(false), true),
            (Node::Text("1"), Node::Int(1), true),
            (Node::List(0), Node::List(0), true),
        ];
        for (found, wanted, expected) in table {
            assert_eq!(holds(found, wanted), expected, "{found:?} {wanted:?}");
        }
    }
}
