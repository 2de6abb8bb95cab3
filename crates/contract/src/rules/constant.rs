//! `const`: the value equals a constant.

use super::{RuleExample, RuleInfo};
use value::Constant;
use value::Kinds;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "const",
    applies_to: Kinds::ALL,
    summary: "The value equals a constant, which may be a list or an object.",
    details: "Objects are equal when they have equal members in any order.",
    examples: &[
        RuleExample { contract: r#"{"const": "x"}"#, holds: &[r#""x""#], breaks: &[r#""X""#, "null"] },
        RuleExample {
            contract: r#"{"const": {"a": [1, 2], "b": null}}"#,
            holds: &[r#"{"b": null, "a": [1.0, 2]}"#],
            breaks: &[r#"{"a": [1, 2]}"#, r#"{"a": [2, 1], "b": null}"#],
        },
    ],
};

pub(super) fn demand(_: &Constant, wanted: &str) -> String {
    format!("must equal {wanted}")
}
