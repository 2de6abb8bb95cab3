//! `minLength`: the value is at least so long, in one of five units.

use super::length::{Unit, size};
use super::{RuleExample, RuleInfo};
use value::Node;
use value::{Kinds, ValueKind};

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "minLength",
    applies_to: Kinds::of(&[ValueKind::Text, ValueKind::Bytes, ValueKind::List, ValueKind::Object]),
    summary: "The value has at least so many characters, bytes, elements or properties.",
    details: "The unit is part of the keyword: `minLength` counts Unicode scalar values, `minBytes` bytes of \
              UTF-8, `minUtf16` UTF-16 code units, `minItems` elements, `minProperties` members.",
    examples: &[
        RuleExample {
            contract: r#"{"minLength": 2}"#,
            holds: &[r#""ab""#, r#""😀😀""#, "7"],
            breaks: &[r#""a""#, r#""😀""#],
        },
        RuleExample { contract: r#"{"minItems": 1}"#, holds: &["[0]", "[[]]"], breaks: &["[]"] },
        RuleExample { contract: r#"{"minProperties": 1}"#, holds: &[r#"{"a": 1}"#], breaks: &["{}"] },
        RuleExample { contract: r#"{"minBytes": 3}"#, holds: &[r#""é!""#], breaks: &[r#""é""#] },
    ],
};

pub(super) fn demand(unit: Unit, wanted: &str) -> String {
    format!("must have at least {wanted} {}", unit.noun(wanted))
}

pub(super) fn holds(length: usize, wanted: Node<'_>) -> bool {
    size(wanted).is_some_and(|wanted| length as i128 >= wanted)
}
