//! `dependentSchemas`: an object that has a property has a shape besides.

use super::{RuleExample, RuleInfo};
use crate::shape::Shape;
use value::{Kinds, ValueKind};

/// A property, and what an object that has it must be as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Dependent {
    /// The name of the property, whatever its value is.
    pub property: Box<str>,
    /// What the object must be if it has the property.
    pub shape: Shape,
}

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "dependentSchemas",
    applies_to: Kinds::of(&[ValueKind::Object]),
    summary: "An object that has a property has a shape besides.",
    details: "The shape is one of the whole object, and violations have the names of its rules. `dependencies` says the same for \
              shapes, and what `dependentRequired` says for lists of names.",
    examples: &[RuleExample {
        contract: r#"{"dependentSchemas": {"card": {"required": ["name"]}}}"#,
        holds: &["{}", r#"{"name": 1}"#, r#"{"card": 1, "name": 1}"#, "[]"],
        breaks: &[r#"{"card": 1}"#],
    }],
};

pub(super) fn demand(dependent: &Dependent, _: &str) -> String {
    format!("must have another shape because it has `{}`", dependent.property)
}
