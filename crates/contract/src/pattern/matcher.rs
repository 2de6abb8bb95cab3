//! Chooses the cheapest way to run a pattern.

use super::dfa::{Dfa, MAX_STATES, PACKED_STATES};
use super::error::PatternError;
use super::general::General;
use super::literal::LiteralPattern;
use super::node::PatternNode;
use super::positions::{Positions, Skip};
use super::search::{Anchored, simplify};
use super::sequence::Sequence;

/// A pattern that is ready to run.
#[derive(Debug)]
pub(super) enum Matcher {
    /// The pattern says nothing, so there is nothing to run.
    Always,
    Literal(LiteralPattern),
    Sequence(Sequence),
    Dfa(Dfa),
    General(General),
}

impl Matcher {
    /// Compiles a pattern, trying the special cases from the cheapest on.
    pub(super) fn new(node: PatternNode) -> Result<Self, PatternError> {
        let node = simplify(node);
        let anchored = Anchored::new(&node);
        if anchored.parts.is_empty() && !(anchored.start && anchored.end) {
            return Ok(Self::Always);
        }
        if let Some(literal) = LiteralPattern::new(&anchored) {
            return Ok(Self::Literal(literal));
        }
        let mut sequence = Sequence::new(&anchored);
        if let Some(sequence) = sequence.take_if(|sequence| sequence.beats_automaton(PACKED_STATES)) {
            return Ok(Self::Sequence(sequence));
        }
        if let Some(positions) = Positions::new(&node) {
            let skip = positions.whole.skip;
            // Each text has a start and an end, so a match of nothing is found there.
            if [Skip::FREE, Skip::AT_START, Skip::AT_END].into_iter().any(|condition| skip.has(condition)) {
                return Ok(Self::Always);
            }
            // Only the smallest automata beat a row with several steps of varying length.
            let most = if sequence.is_some() { PACKED_STATES } else { MAX_STATES };
            if let Some(dfa) = Dfa::new(&positions, most) {
                return Ok(Self::Dfa(dfa));
            }
        }
        if let Some(sequence) = sequence {
            return Ok(Self::Sequence(sequence));
        }
        General::new(&node).map(Self::General)
    }

    /// Whether the pattern matches somewhere in the text.
    #[inline]
    pub(super) fn is_match(&self, text: &[u8]) -> bool {
        match self {
            Self::Always => true,
            Self::Literal(literal) => literal.is_match(text),
            Self::Sequence(sequence) => sequence.is_match(text),
            Self::Dfa(dfa) => dfa.is_match(text),
            Self::General(general) => general.is_match(text),
        }
    }
}
