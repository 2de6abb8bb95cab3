//! Rewrites that keep the answer to "is there a match somewhere" and make the pattern simpler to run.

use super::node::{PatternNode, ZeroWidthAssertion};

/// Drops what a search does not need: `a*b+` finds something exactly when `b` does.
///
/// If `X` repeated `k` times and then `R` matches, then so do the last `min` copies of `X` and `R`, from a later start. The same
/// holds at the other end.
pub(super) fn simplify(node: PatternNode) -> PatternNode {
    match node {
        PatternNode::Alt(branches) => PatternNode::alt(branches.into_iter().map(simplify).collect()),
        PatternNode::Concat(mut parts) => {
            let optional = |part: &&PatternNode| matches!(part, PatternNode::Repeat { min: 0, .. });
            let leading = parts.iter().take_while(optional).count();
            parts.drain(..leading);
            let trailing = parts.iter().rev().take_while(optional).count();
            parts.truncate(parts.len() - trailing);
            parts.first_mut().into_iter().for_each(lower_to_minimum);
            parts.last_mut().into_iter().for_each(lower_to_minimum);
            PatternNode::concat(parts)
        }
        PatternNode::Repeat { min: 0, .. } => PatternNode::Empty,
        mut other => {
            lower_to_minimum(&mut other);
            other
        }
    }
}

fn lower_to_minimum(part: &mut PatternNode) {
    if let PatternNode::Repeat { node, min, max } = part {
        if *min == 1 {
            *part = std::mem::replace(&mut **node, PatternNode::Empty);
        } else {
            *max = Some(*min);
        }
    }
}

/// Whether the pattern is tied to the start or the end of the text, and what is left without those anchors.
pub(super) struct Anchored<'a> {
    pub(super) start: bool,
    pub(super) end: bool,
    pub(super) parts: &'a [PatternNode],
}

impl<'a> Anchored<'a> {
    /// Takes the anchors off both ends of a row of parts.
    pub(super) fn new(node: &'a PatternNode) -> Self {
        let mut parts = match node {
            PatternNode::Concat(parts) => parts.as_slice(),
            PatternNode::Empty => &[],
            other => std::slice::from_ref(other),
        };
        let (mut start, mut end) = (false, false);
        while let [PatternNode::Look(ZeroWidthAssertion::TextStart), rest @ ..] = parts {
            (start, parts) = (true, rest);
        }
        while let [rest @ .., PatternNode::Look(ZeroWidthAssertion::TextEnd)] = parts {
            (end, parts) = (true, rest);
        }
        Self { start, end, parts }
    }
}
