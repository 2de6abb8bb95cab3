//! `multipleOf`: the number is a whole multiple of the operand.

use super::{RuleExample, RuleInfo};
use value::Kinds;
use value::Node;
use value::number::Number;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "multipleOf",
    applies_to: Kinds::NUMBERS,
    summary: "The number is a whole multiple of the operand.",
    details: "The division is exact and decimal: `0.3` is a multiple of `0.1`. Zero is a multiple of every number but zero. \
              NaN and the infinities are multiples of nothing.",
    examples: &[
        RuleExample {
            contract: r#"{"multipleOf": 0.1}"#,
            holds: &["0.3", "-7", "0", "1e300"],
            breaks: &["0.35"],
        },
        RuleExample {
            contract: r#"{"multipleOf": 3}"#,
            holds: &["9", "9.0"],
            breaks: &["10", "9007199254740994"],
        },
    ],
};

pub(super) fn demand(wanted: &str) -> String {
    format!("must be a multiple of {wanted}")
}

pub(super) fn holds(found: Node<'_>, wanted: Node<'_>) -> bool {
    match (Number::from_node(&found), Number::from_node(&wanted)) {
        (Some(found), Some(wanted)) => Number::is_multiple_of(&found, &wanted),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::edges::check;
    use super::*;

    /// What JSON cannot write, and what doubles cannot hold.
    #[test]
    fn edges() {
        let table = [
            (Node::Decimal("0.3"), Node::Float(0.1), true),
            (Node::Int(i64::MIN), Node::Int(-1), true),
            (Node::Decimal("1e400"), Node::Int(7), false),
            (Node::Decimal("1e400"), Node::Int(5), true),
            (Node::UInt(u64::MAX), Node::Int(5), true),
            (Node::Int(0), Node::Float(1e-300), true),
            (Node::Int(1), Node::Int(0), false),
            (Node::Float(f64::NAN), Node::Int(1), false),
            (Node::Float(f64::INFINITY), Node::Int(1), false),
            (Node::Int(1), Node::Float(f64::INFINITY), false),
            (Node::Int(1), Node::Text("1"), false),
        ];
        check(holds, &table);
    }
}
