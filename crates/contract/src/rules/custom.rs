//! `custom`: the host decides.

use super::RuleInfo;
use crate::operand::Operand;
use value::Kinds;

/// A rule that the embedding program evaluates.
#[derive(Clone, Debug, PartialEq)]
pub struct Custom {
    /// The rule's name, as the host knows it.
    pub name: Box<str>,
    /// A number by which the host finds it again; 0 if it needs none.
    pub id: u32,
    /// What the host is given besides the value.
    pub arguments: Vec<Operand>,
}

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "custom",
    applies_to: Kinds::ALL,
    summary: "The embedding program accepts the value.",
    details: "The host is given the value and the operands, and answers with a message if it does not accept them.",
    examples: &[],
};

pub(super) fn demand(custom: &Custom, _: &str) -> String {
    format!("must satisfy `{}`", custom.name)
}
