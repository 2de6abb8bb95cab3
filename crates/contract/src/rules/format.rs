//! `format`: the value is written in a well-known format.

use super::{RuleExample, RuleInfo};
use crate::format::Format;
use value::Kinds;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "format",
    applies_to: Kinds::of(&[
        crate::ValueKind::Int,
        crate::ValueKind::Float,
        crate::ValueKind::Text,
        crate::ValueKind::Bytes,
    ]),
    summary: "The value is written in a well-known format.",
    details: "Formats of text say nothing about numbers, formats of numbers nothing about text.",
    examples: &[
        RuleExample {
            contract: r#"{"format": "date"}"#,
            holds: &[r#""2024-02-29""#, "1"],
            breaks: &[r#""2023-02-29""#, r#""2024-2-9""#],
        },
        RuleExample {
            contract: r#"{"format": "int32"}"#,
            holds: &["-2147483648", "1.0"],
            breaks: &["2147483648", "0.5"],
        },
        RuleExample {
            contract: r#"{"format": "ipv4"}"#,
            holds: &[r#""10.0.0.1""#],
            breaks: &[r#""10.0.0.01""#],
        },
    ],
};

pub(super) fn demand(_: &Format, wanted: &str) -> String {
    format!("must be a valid {wanted}")
}
