//! `oneOf`: the value has one of several shapes.

use super::{RuleExample, RuleInfo};
use value::Kinds;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "oneOf",
    applies_to: Kinds::ALL,
    summary: "The value has one of several shapes.",
    details: "`anyOf` accepts a value that has several of them, `oneOf` does not. Where only one alternative is for the value's kind, its own violations are reported.",
    examples: &[
        RuleExample {
            contract: r#"{"oneOf": [{"type": "integer"}, {"minimum": 2}]}"#,
            holds: &["1", "2.5"],
            breaks: &["3"],
        },
        RuleExample {
            contract: r#"{"anyOf": [{"maximum": 1}, {"minimum": 2}]}"#,
            holds: &["1", "3"],
            breaks: &["1.5"],
        },
    ],
};
