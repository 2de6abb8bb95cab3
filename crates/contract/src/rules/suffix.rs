//! `suffix`: the text ends with the operand.

use super::{RuleExample, RuleInfo};
use crate::compare::both_texts;
use value::Kinds;
use value::Node;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "suffix",
    applies_to: Kinds::STRINGS,
    summary: "The text ends with the operand.",
    details: "Case matters. The empty text is a suffix of every text.",
    examples: &[RuleExample {
        contract: r#"{"suffix": "ab"}"#,
        holds: &[r#""ab""#, r#""cab""#],
        breaks: &[r#""aB""#, r#""b""#, r#""""#],
    }],
};

pub(super) fn demand(wanted: &str) -> String {
    format!("must end with {wanted}")
}

pub(super) fn holds(found: Node<'_>, wanted: Node<'_>) -> bool {
    both_texts(&found, &wanted, |found, wanted| found.ends_with(wanted))
}

#[cfg(test)]
mod tests {
    use super::super::edges::check;
    use super::*;

    /// What JSON cannot write, and what doubles cannot hold.
    #[test]
    fn edges() {
        let table = [
            (Node::Text("é"), Node::Bytes(b"\xa9"), true),
            (Node::Bytes(b"\xff\xfe"), Node::Bytes(b"\xfe"), true),
            (Node::Text(""), Node::Text(""), true),
            (Node::Text("ab"), Node::Text("aab"), false),
            (Node::Text("1"), Node::Int(1), false),
        ];
        check(holds, &table);
    }
}
