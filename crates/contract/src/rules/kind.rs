//! `type`: the value is of the kind that the shape asks for.

use super::{RuleExample, RuleInfo};
use value::Kinds;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "type",
    applies_to: Kinds::ALL,
    summary: "The value is of the kind that the shape asks for.",
    details: "A number such as 1.0 is a whole number and passes as an integer. Integers must fit the width of the shape.",
    examples: &[
        RuleExample {
            contract: r#"{"type": "integer"}"#,
            holds: &["1", "1.0", "-9223372036854775808"],
            breaks: &["1.5", r#""1""#, "null"],
        },
        RuleExample {
            contract: r#"{"type": ["string", "null"]}"#,
            holds: &["null", r#""a""#],
            breaks: &["1"],
        },
    ],
};
