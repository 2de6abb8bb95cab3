//! `maxLength`: the value is at most so long, in one of five units.

use super::length::{Unit, size};
use super::{RuleExample, RuleInfo};
use value::Node;
use value::{Kinds, ValueKind};

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "maxLength",
    applies_to: Kinds::of(&[ValueKind::Text, ValueKind::Bytes, ValueKind::List, ValueKind::Object]),
    summary: "The value has at most so many characters, bytes, elements or properties.",
    details: "The unit is part of the keyword: `maxLength` counts Unicode scalar values, `maxBytes` bytes of \
              UTF-8, `maxUtf16` UTF-16 code units, `maxItems` elements, `maxProperties` members.",
    examples: &[
        RuleExample {
            contract: r#"{"maxLength": 1}"#,
            holds: &[r#""a""#, r#""😀""#, r#""""#],
            breaks: &[r#""ab""#],
        },
        RuleExample { contract: r#"{"maxItems": 1}"#, holds: &["[]", "[0]"], breaks: &["[0, 1]"] },
        RuleExample { contract: r#"{"maxProperties": 0}"#, holds: &["{}"], breaks: &[r#"{"a": 1}"#] },
        RuleExample { contract: r#"{"maxUtf16": 1}"#, holds: &[r#""a""#], breaks: &[r#""😀""#] },
    ],
};

pub(super) fn demand(unit: Unit, wanted: &str) -> String {
    format!("must have at most {wanted} {}", unit.noun(wanted))
}

pub(super) fn holds(length: usize, wanted: Node<'_>) -> bool {
    size(wanted).is_some_and(|wanted| length as i128 <= wanted)
}
