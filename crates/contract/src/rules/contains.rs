//! `containsText`: the text contains the operand.

use memchr::memmem;

use super::{RuleExample, RuleInfo};
use crate::compare::both_texts;
use value::Kinds;
use value::Node;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "containsText",
    applies_to: Kinds::STRINGS,
    summary: "The text contains the operand.",
    details: "Case matters. Every text contains the empty text.",
    examples: &[RuleExample {
        contract: r#"{"containsText": "ab"}"#,
        holds: &[r#""ab""#, r#""xaby""#],
        breaks: &[r#""aB""#, r#""a""#, r#""""#],
    }],
};

pub(super) fn demand(wanted: &str) -> String {
    format!("must contain {wanted}")
}

pub(super) fn holds(found: Node<'_>, wanted: Node<'_>) -> bool {
    both_texts(&found, &wanted, |found, wanted| memmem::find(found, wanted).is_some())
}

#[cfg(test)]
mod tests {
    use super::super::edges::check;
    use super::*;

    /// What JSON cannot write, and what doubles cannot hold.
    #[test]
    fn edges() {
        let table = [
            (Node::Text("a\0b"), Node::Text("\0"), true),
            (Node::Bytes(b"\xff\xfe"), Node::Bytes(b"\xfe"), true),
            (Node::Text(""), Node::Text(""), true),
            (Node::Text("aab"), Node::Text("ab"), true),
            (Node::Text("1"), Node::Int(1), false),
        ];
        check(holds, &table);
    }
}
