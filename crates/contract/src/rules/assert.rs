//! `assert`: an expression over the object's own fields is true.

use super::{RuleExample, RuleInfo};
use crate::operand::Operand;
use value::{Kinds, ValueKind};

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "assert",
    applies_to: Kinds::of(&[ValueKind::Object]),
    summary: "An expression over the object's own fields is true.",
    details: "References name the fields of the object itself, not of the one around it. An expression over a field \
              that is not there is skipped.",
    examples: &[RuleExample {
        contract: r#"{"type": "object", "properties": {"on": {}}, "assert": {"$field": "on"}}"#,
        holds: &[r#"{"on": true}"#, "{}"],
        breaks: &[r#"{"on": false}"#, r#"{"on": 1}"#],
    }],
};

pub(super) fn demand(operand: &Operand, _: &str) -> String {
    format!("{operand} must be true")
}
