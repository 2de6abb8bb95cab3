//! `contains`: so many elements of the list have a shape.

use super::{RuleExample, RuleInfo, count};
use crate::shape::Shape;
use value::{Kinds, ValueKind};

/// How many elements of a list have a shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Containment {
    /// What the elements that count look like.
    pub shape: Shape,
    /// The fewest there may be.
    pub least: usize,
    /// The most there may be; `None` is no bound.
    pub most: Option<usize>,
    /// Whether the elements that count are evaluated, so that `unevaluatedItems` does not speak of them.
    pub evaluates: bool,
}

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "contains",
    applies_to: Kinds::of(&[ValueKind::List]),
    summary: "Some elements of the list have a shape.",
    details: "Without `minContains` and `maxContains`, which bound how many there are, it is at least one. `minContains: 0` asks for nothing, \
              but leaves `maxContains` to bound them.",
    examples: &[
        RuleExample {
            contract: r#"{"contains": {"type": "string"}}"#,
            holds: &[r#"["a"]"#, r#"[1, "a", "b"]"#, "1"],
            breaks: &["[]", "[1]"],
        },
        RuleExample {
            contract: r#"{"contains": {"minimum": 5}, "minContains": 2, "maxContains": 3}"#,
            holds: &["[5, 6]", "[5, 1, 6, 7]"],
            breaks: &["[5]", "[5, 6, 7, 8]"],
        },
        RuleExample {
            contract: r#"{"contains": {"const": 0}, "minContains": 0, "maxContains": 1}"#,
            holds: &["[]", "[0, 1]"],
            breaks: &["[0, 0]"],
        },
    ],
};

pub(super) fn demand(containment: &Containment, _: &str) -> String {
    let elements = match (containment.least, containment.most) {
        (1, None) | (_, Some(1)) => "element",
        _ => "elements",
    };
    format!("must contain {} {elements} of the stated shape", count(containment.least, containment.most))
}
