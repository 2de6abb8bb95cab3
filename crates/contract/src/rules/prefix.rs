//! `prefix`: the text starts with the operand.

use super::{RuleExample, RuleInfo};
use crate::compare::both_texts;
use value::Kinds;
use value::Node;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "prefix",
    applies_to: Kinds::STRINGS,
    summary: "The text starts with the operand.",
    details: "Case matters. The empty text is a prefix of every text.",
    examples: &[RuleExample {
        contract: r#"{"prefix": "ab"}"#,
        holds: &[r#""ab""#, r#""abc""#],
        breaks: &[r#""Abc""#, r#""a""#, r#""""#],
    }],
};

pub(super) fn demand(wanted: &str) -> String {
    format!("must start with {wanted}")
}

pub(super) fn holds(found: Node<'_>, wanted: Node<'_>) -> bool {
    both_texts(&found, &wanted, |found, wanted| found.starts_with(wanted))
}

#[cfg(test)]
mod tests {
    use super::super::edges::check;
    use super::*;

    /// What JSON cannot write, and what doubles cannot hold.
    #[test]
    fn edges() {
        let table = [
            (Node::Text("é"), Node::Bytes(b"\xc3"), true),
            (Node::Bytes(b"\xff\xfe"), Node::Bytes(b"\xff"), true),
            (Node::Text(""), Node::Text(""), true),
            (Node::Text("ab"), Node::Text("abc"), false),
            (Node::Text("1"), Node::Int(1), false),
        ];
        check(holds, &table);
    }
}
