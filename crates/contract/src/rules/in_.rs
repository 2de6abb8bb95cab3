//! `enum`: the value equals one of several operands.

use super::{RuleExample, RuleInfo};
use crate::operand::Operand;
use value::Kinds;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "enum",
    applies_to: Kinds::ALL,
    summary: "The value equals one of several operands.",
    details: "`in` is another spelling of the keyword. Operands may be fields of the same object; one that is \
              not there equals nothing.",
    examples: &[
        RuleExample {
            contract: r#"{"enum": [1, "a", null]}"#,
            holds: &["1.0", r#""a""#, "null"],
            breaks: &["2", "{}"],
        },
        RuleExample {
            contract: r#"{"enum": [[1], {"a": 1}]}"#,
            holds: &["[1]", r#"{"a": 1}"#],
            breaks: &["[2]"],
        },
    ],
};

pub(super) fn demand(_: &[Operand], wanted: &str) -> String {
    format!("must be one of {wanted}")
}
