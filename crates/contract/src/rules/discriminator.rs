//! `discriminator`: a property of the object names the shape that the object has.

use super::{RuleExample, RuleInfo};
use value::{Kinds, ValueKind};

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "discriminator",
    applies_to: Kinds::of(&[ValueKind::Object]),
    summary: "A property of the object names the shape that the object has.",
    details: "Only the named shape is looked at, so that its violations are reported as if it stood alone.",
    examples: &[RuleExample {
        contract: r##"{
            "oneOf": [{"$ref": "#/$defs/cat"}, {"$ref": "#/$defs/dog"}],
            "discriminator": {"propertyName": "kind"},
            "$defs": {
                "cat": {"type": "object", "properties": {"kind": {"const": "cat"}, "lives": {"maximum": 9}}},
                "dog": {"type": "object", "properties": {"kind": {"const": "dog"}}}
            }
        }"##,
        holds: &[r#"{"kind": "dog", "lives": 10}"#],
        breaks: &[r#"{"kind": "cow"}"#, "{}"],
    }],
};
