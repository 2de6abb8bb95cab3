//! A pattern as positions: one for each character set in it, and which positions may follow which.
//!
//! This is Glushkov's construction, with sets of positions held in one machine word pair. Anchors at the start and the end of the
//! text are followed through it as conditions; a pattern with other assertions, or with more than [`MAX`] positions, is left to the
//! general engine.

use super::bytes::ones;
use super::node::{PatternNode, ZeroWidthAssertion};
use super::set::CharSet;

/// The most positions a pattern may have.
const MAX: usize = u128::BITS as usize;
/// Bounds the work that repeated groups without positions could cause.
const MAX_STEPS: usize = 4096;

/// A set of positions.
pub(super) type Set = u128;

/// The positions of a pattern and how they connect.
pub(super) struct Positions<'a> {
    /// Each character set, once, with the positions that take one of its members.
    pub(super) sets: Vec<(&'a CharSet, Set)>,
    /// For each position those that may come right after it.
    pub(super) follow: Vec<Set>,
    pub(super) whole: PositionSets,
}

/// How a part of a pattern can begin, end, and be skipped.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PositionSets {
    /// Positions to begin with, anywhere or only at the start of the text.
    pub(super) first: Set,
    pub(super) first_at_start: Set,
    /// Positions to end with, anywhere or only at the end of the text.
    pub(super) last: Set,
    pub(super) last_at_end: Set,
    pub(super) skip: Skip,
}

/// The conditions under which a part matches without taking anything: one bit for each combination of conditions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Skip(u8);

impl Skip {
    /// A position that is reached without a condition.
    pub(super) const FREE: Self = Self(1);
    /// At the start of the text.
    pub(super) const AT_START: Self = Self(2);
    /// At the end of the text.
    pub(super) const AT_END: Self = Self(4);
    /// In a text that is empty.
    pub(super) const IF_EMPTY: Self = Self(8);

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Skips one part and then another.
    fn and(self, other: Self) -> Self {
        // The index of a bit is a pair of flags, start and end; combining conditions joins the flags.
        let mut both = 0;
        for a in (0..4).filter(|a| self.0 >> a & 1 == 1) {
            for b in (0..4).filter(|b| other.0 >> b & 1 == 1) {
                both |= 1 << (a | b);
            }
        }
        Self(both)
    }
}

impl PositionSets {
    fn empty() -> Self {
        Self { skip: Skip::FREE, ..Self::default() }
    }

    fn optional(self) -> Self {
        Self { skip: self.skip.or(Skip::FREE), ..self }
    }

    fn or(self, other: Self) -> Self {
        Self {
            first: self.first | other.first,
            first_at_start: self.first_at_start | other.first_at_start,
            last: self.last | other.last,
            last_at_end: self.last_at_end | other.last_at_end,
            skip: self.skip.or(other.skip),
        }
    }
}

impl<'a> Positions<'a> {
    /// Numbers the positions of a pattern, or returns `None` if it is not of a kind this can express.
    pub(super) fn new(node: &'a PatternNode) -> Option<Self> {
        let mut positions = Self {
            sets: Vec::with_capacity(8),
            follow: Vec::with_capacity(16),
            whole: PositionSets::empty(),
        };
        let mut steps = MAX_STEPS;
        positions.whole = positions.part(node, &mut steps)?;
        Some(positions)
    }

    fn part(&mut self, node: &'a PatternNode, steps: &mut usize) -> Option<PositionSets> {
        *steps = steps.checked_sub(1)?;
        Some(match node {
            PatternNode::Empty => PositionSets::empty(),
            PatternNode::Set(set) => self.set(set)?,
            PatternNode::Look(ZeroWidthAssertion::TextStart) => {
                PositionSets { skip: Skip::AT_START, ..PositionSets::default() }
            }
            PatternNode::Look(ZeroWidthAssertion::TextEnd) => {
                PositionSets { skip: Skip::AT_END, ..PositionSets::default() }
            }
            PatternNode::Look(_) => return None,
            PatternNode::Concat(parts) => {
                let mut all = PositionSets::empty();
                for part in parts {
                    let part = self.part(part, steps)?;
                    all = self.concat(all, part);
                }
                all
            }
            PatternNode::Alt(branches) => {
                let mut all = PositionSets::default();
                for branch in branches {
                    all = all.or(self.part(branch, steps)?);
                }
                all
            }
            PatternNode::Repeat { node, min, max } => self.repeat(node, *min, *max, steps)?,
        })
    }

    fn repeat(
        &mut self,
        node: &'a PatternNode,
        min: u32,
        max: Option<u32>,
        steps: &mut usize,
    ) -> Option<PositionSets> {
        let mut all = PositionSets::empty();
        let fixed = if max.is_none() { min.saturating_sub(1) } else { min };
        for _ in 0..fixed {
            let copy = self.part(node, steps)?;
            all = self.concat(all, copy);
        }
        let Some(max) = max else {
            let again = self.part(node, steps)?;
            self.connect(again.last, again.first);
            let again = if min == 0 { again.optional() } else { again };
            return Some(self.concat(all, again));
        };
        // Nested as `a(a(a)?)?`, so that each copy is followed by the next one only.
        let copies: Option<Vec<PositionSets>> = (min..max).map(|_| self.part(node, steps)).collect();
        let mut rest = PositionSets::empty();
        for copy in copies?.into_iter().rev() {
            rest = self.concat(copy, rest).optional();
        }
        Some(self.concat(all, rest))
    }

    fn set(&mut self, set: &'a CharSet) -> Option<PositionSets> {
        let index = self.follow.len();
        if index >= MAX {
            return None;
        }
        let only = 1 << index;
        match self.sets.iter_mut().find(|(known, _)| *known == set) {
            Some((_, users)) => *users |= only,
            None => self.sets.push((set, only)),
        }
        self.follow.push(0);
        Some(PositionSets { first: only, last: only, ..PositionSets::default() })
    }

    fn connect(&mut self, from: Set, to: Set) {
        for index in ones(from) {
            if let Some(follow) = self.follow.get_mut(index) {
                *follow |= to;
            }
        }
    }

    fn concat(&mut self, a: PositionSets, b: PositionSets) -> PositionSets {
        // Nothing can follow the end of the text, and after a character it is no longer the start.
        self.connect(a.last, b.first);
        let mut both = PositionSets {
            first: a.first,
            first_at_start: a.first_at_start,
            last: b.last,
            last_at_end: b.last_at_end,
            skip: a.skip.and(b.skip),
        };
        if a.skip.has(Skip::FREE) {
            both.first |= b.first;
            both.first_at_start |= b.first_at_start;
        }
        if a.skip.has(Skip::AT_START) {
            both.first_at_start |= b.first | b.first_at_start;
        }
        if b.skip.has(Skip::FREE) {
            both.last |= a.last;
            both.last_at_end |= a.last_at_end;
        }
        if b.skip.has(Skip::AT_END) {
            both.last_at_end |= a.last | a.last_at_end;
        }
        both
    }
}
