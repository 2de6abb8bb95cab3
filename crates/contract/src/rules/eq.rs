//! `eq`: the value equals the operand.

use super::{Example, RuleInfo};
use crate::compare::equal;
use crate::kind::Kinds;
use crate::view::Node;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "eq",
    applies_to: Kinds::ALL,
    summary: "The value equals the operand.",
    details: "Numbers are equal by value, whatever their spelling: `1`, `1.0` and `1e0` are the same. NaN equals nothing. \
              To compare with a list or an object, use `const`.",
    examples: &[
        Example { contract: r#"{"eq": 3}"#, holds: &["3", "3.0"], breaks: &["4", r#""3""#, "null"] },
        Example {
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
    use super::*;

    /// What JSON cannot write, and what doubles cannot hold.
    #[test]
    fn edges() {
        let table = [
            (Node::Int(1), Node::Float(1.0), true),
            (Node::UInt(u64::MAX), Node::Decimal("18446744073709551615.0"), true),
            (Node::Int(i64::MAX), Node::Float(i64::MAX as f64), false),
            (Node::Float(-0.0), Node::Float(0.0), true),
            (Node::Float(f64::NAN), Node::Float(f64::NAN), false),
            (Node::Float(f64::INFINITY), Node::Float(f64::INFINITY), true),
            (Node::Text("a"), Node::Bytes(b"a"), true),
            (Node::Text("a"), Node::Text("A"), false),
            (Node::Text("\u{e9}"), Node::Text("e\u{301}"), false),
            (Node::Null, Node::Bool(false), false),
            (Node::Text("1"), Node::Int(1), false),
            (Node::List(0), Node::List(0), false),
        ];
        for (found, wanted, expected) in table {
            assert_eq!(holds(found, wanted), expected, "{found:?} {wanted:?}");
        }
    }
}
