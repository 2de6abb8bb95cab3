//! `limit`: the document is within the limits of depth and work.

use super::RuleInfo;
use value::Kinds;

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "limit",
    applies_to: Kinds::ALL,
    summary: "The document is within the limits of depth and work.",
    details: "Nesting and the number of rule evaluations are bounded, so that a hostile document is answered with this violation and not with a stack overflow or an endless wait.",
    examples: &[],
};
