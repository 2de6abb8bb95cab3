//! `notIn`: the value equals none of several operands.

use super::{RuleExample, RuleInfo};
use crate::operand::Operand;
use value::Kinds;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "notIn",
    applies_to: Kinds::ALL,
    summary: "The value equals none of several operands.",
    details: "The opposite of `enum`.",
    examples: &[RuleExample {
        contract: r#"{"notIn": ["admin", "root"]}"#,
        holds: &[r#""ann""#, "1"],
        breaks: &[r#""root""#],
    }],
};

pub(super) fn demand(_: &[Operand], wanted: &str) -> String {
    format!("must be none of {wanted}")
}
