//! `notContainsText`: the text does not contain the operand.

use memchr::memmem;

use super::{RuleExample, RuleInfo};
use crate::compare::both_texts;
use value::Kinds;
use value::Node;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "notContainsText",
    applies_to: Kinds::STRINGS,
    summary: "The text does not contain the operand.",
    details: "Case matters. Every text contains the empty text, so that operand can never hold.",
    examples: &[RuleExample {
        contract: r#"{"notContainsText": "ab"}"#,
        holds: &[r#""aB""#, r#""a""#, r#""""#],
        breaks: &[r#""ab""#, r#""xaby""#],
    }],
};

pub(super) fn demand(wanted: &str) -> String {
    format!("must not contain {wanted}")
}

pub(super) fn holds(found: Node<'_>, wanted: Node<'_>) -> bool {
    both_texts(&found, &wanted, |found, wanted| memmem::find(found, wanted).is_none())
}

#[cfg(test)]
mod tests {
    use super::super::edges::check;
    use super::*;

    /// What JSON cannot write, and what doubles cannot hold.
    #[test]
    fn edges() {
        let table = [
            (Node::Text("a\0b"), Node::Text("\0"), false),
            (Node::Bytes(b"\xff\xfe"), Node::Bytes(b"\xfe"), false),
            (Node::Text(""), Node::Text(""), false),
            (Node::Text("aab"), Node::Text("abb"), true),
            (Node::Text("1"), Node::Int(1), false),
        ];
        check(holds, &table);
    }
}
