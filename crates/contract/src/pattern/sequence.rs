//! Patterns that are a row of character sets, each repeated some number of times, from the start of the text on.
//!
//! `^[a-z][a-z0-9-]{1,61}[a-z0-9]$` and `^\d{4}-\d{2}-\d{2}$` are of this kind, and so are most patterns in schemas. They need no
//! automaton: each repetition takes as many characters as it can, which is right as long as whatever may follow cannot start
//! with a character it takes. The last repetition of varying length needs not even that, because what follows it has a known
//! length and the text has an end.

use super::bytes::{ByteMap, ByteSet};
use super::node::Node;
use super::search::Anchored;
use super::set::CharSet;
use super::text;

/// How many different sets one pattern may use: each has a bit in a byte.
const MAX_SETS: usize = 8;
/// How many steps a pattern may have once counted groups are written out.
const MAX_STEPS: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step {
    /// The bit of the set in [`Sequence::sets_of`].
    set: u8,
    min: usize,
    max: usize,
}

/// A compiled row of repeated sets.
#[derive(Debug)]
pub(super) struct Sequence {
    /// For each byte the sets it belongs to; a byte that starts a character beyond ASCII stands for all of those.
    sets_of: ByteMap,
    /// What comes before the last step of varying length, or all steps if there is none.
    head: Box<[Step]>,
    /// The last step of varying length, when what follows has to reach the end of the text.
    middle: Option<Step>,
    tail: Box<[Step]>,
    /// The number of characters `tail` takes, and the fewest and most the whole takes.
    tail_length: usize,
    shortest: usize,
    longest: usize,
    /// Whether the last step has to reach the end of the text.
    to_end: bool,
    /// Whether characters beyond ASCII can be part of a match.
    wide: bool,
}

impl Sequence {
    /// Compiles a pattern of this kind, or returns `None` for any other.
    pub(super) fn new(pattern: &Anchored<'_>) -> Option<Self> {
        if !pattern.start {
            return None;
        }
        let mut rows = Rows { sets: Vec::with_capacity(MAX_SETS), steps: Vec::with_capacity(8) };
        pattern.parts.iter().try_for_each(|part| rows.add(part))?;
        let Rows { sets, steps } = rows;
        if sets.iter().any(|set| !set.wide().is_empty() && !set.has_all_wide()) {
            return None;
        }
        let varying = |step: &Step| step.min != step.max;
        let split = if pattern.end { steps.iter().rposition(varying) } else { None };
        let (head, rest) = steps.split_at_checked(split.unwrap_or(steps.len()))?;
        for (i, step) in head.iter().enumerate().filter(|(_, step)| varying(step)) {
            let followed_by = steps.get(i + 1..)?;
            let mandatory = followed_by.iter().position(|next| next.min > 0);
            let next = followed_by.get(..=mandatory.unwrap_or(followed_by.len().saturating_sub(1)));
            let set = set_at(&sets, step.set)?;
            if next?.iter().any(|next| set_at(&sets, next.set).is_none_or(|other| overlap(set, other))) {
                return None;
            }
        }
        let total =
            |steps: &[Step], of: fn(&Step) -> usize| steps.iter().map(of).fold(0, usize::saturating_add);
        let (middle, tail) = match rest.split_first() {
            Some((middle, tail)) => (Some(*middle), tail),
            None => (None, rest),
        };
        let mut sets_of = ByteMap::new();
        for (i, set) in sets.iter().enumerate() {
            mark(&mut sets_of, set, 1 << i);
        }
        Some(Self {
            sets_of,
            head: head.into(),
            middle,
            tail: tail.into(),
            tail_length: total(tail, |step| step.min),
            shortest: total(&steps, |step| step.min),
            longest: total(&steps, |step| step.max),
            to_end: pattern.end,
            wide: sets.iter().any(|set| !set.wide().is_empty()),
        })
    }

    /// Whether the pattern matches from the start of the text.
    pub(super) fn is_match(&self, text: &[u8]) -> bool {
        if self.wide && !text.is_ascii() {
            let length = text::collapsed(text).count();
            return self.fits(length) && self.run(length, &mut text::collapsed(text).peekable());
        }
        self.fits(text.len()) && self.run(text.len(), &mut Bytes(text))
    }

    /// Whether a text of `length` characters can match at all.
    fn fits(&self, length: usize) -> bool {
        length >= self.shortest && (!self.to_end || length <= self.longest)
    }

    fn run(&self, length: usize, chars: &mut impl Chars) -> bool {
        let mut left = length;
        for step in &self.head {
            let taken = if step.min == step.max {
                if !self.takes(step, step.min, chars) {
                    return false;
                }
                step.min
            } else {
                let taken = chars.take_some(step.max.min(left), |b| self.is_in(b, step.set));
                if taken < step.min {
                    return false;
                }
                taken
            };
            // Shorter texts were refused before, but a greedy step may have left less than the next ones need.
            match left.checked_sub(taken) {
                Some(rest) => left = rest,
                None => return false,
            }
        }
        let Some(middle) = &self.middle else { return !self.to_end || left == 0 };
        let Some(run) = left.checked_sub(self.tail_length) else { return false };
        (middle.min..=middle.max).contains(&run)
            && self.takes(middle, run, chars)
            && self.tail.iter().all(|step| self.takes(step, step.min, chars))
    }

    fn takes(&self, step: &Step, count: usize, chars: &mut impl Chars) -> bool {
        chars.take_all(count, |b| self.is_in(b, step.set))
    }

    #[inline]
    fn is_in(&self, b: u8, set: u8) -> bool {
        self.sets_of.get(b) & set != 0
    }
}

/// A row of steps under construction.
struct Rows<'a> {
    sets: Vec<&'a CharSet>,
    steps: Vec<Step>,
}

impl<'a> Rows<'a> {
    fn add(&mut self, node: &'a Node) -> Option<()> {
        match node {
            Node::Set(set) => self.push(set, 1, 1),
            Node::Empty => Some(()),
            Node::Repeat { node, min, max } => match (&**node, max) {
                (Node::Set(set), max) => {
                    self.push(set, *min as usize, max.map_or(usize::MAX, |max| max as usize))
                }
                (inner, Some(max)) if min == max => {
                    for _ in 0..*min {
                        let before = self.steps.len();
                        self.add(inner)?;
                        if self.steps.len() == before {
                            // Everything merged into the step before; copies would make it only longer, one by one.
                            return None;
                        }
                    }
                    Some(())
                }
                _ => None,
            },
            Node::Concat(parts) => parts.iter().try_for_each(|part| self.add(part)),
            Node::Look(_) | Node::Alt(_) => None,
        }
    }

    fn push(&mut self, set: &'a CharSet, min: usize, max: usize) -> Option<()> {
        let known = self.sets.iter().position(|known| *known == set);
        let index = known.unwrap_or(self.sets.len());
        if known.is_none() {
            if index == MAX_SETS {
                return None;
            }
            self.sets.push(set);
        }
        let set = 1 << index;
        match self.steps.last_mut() {
            Some(last) if last.set == set => {
                last.min = last.min.saturating_add(min);
                last.max = last.max.saturating_add(max);
            }
            _ => self.steps.push(Step { set, min, max }),
        }
        (self.steps.len() <= MAX_STEPS).then_some(())
    }
}

fn set_at<'a>(sets: &[&'a CharSet], bit: u8) -> Option<&'a CharSet> {
    sets.get(bit.trailing_zeros() as usize).copied()
}

fn overlap(a: &CharSet, b: &CharSet) -> bool {
    a.ascii_bits() & b.ascii_bits() != 0 || (!a.wide().is_empty() && !b.wide().is_empty())
}

fn mark(sets_of: &mut ByteMap, set: &CharSet, bit: u8) {
    let ascii = ByteSet { low: set.ascii_bits(), high: 0 };
    ascii.iter().for_each(|b| sets_of.add(b, bit));
    if !set.wide().is_empty() {
        sets_of.add(text::WIDE, bit);
    }
}

/// Characters to be taken from the front, one byte each.
trait Chars {
    /// Takes exactly `count` characters and tells whether all are `wanted`.
    fn take_all(&mut self, count: usize, wanted: impl Fn(u8) -> bool) -> bool;
    /// Takes up to `most` characters as long as they are `wanted` and tells how many they were.
    fn take_some(&mut self, most: usize, wanted: impl Fn(u8) -> bool) -> usize;
}

/// Text in which each byte is a character.
struct Bytes<'a>(&'a [u8]);

impl Chars for Bytes<'_> {
    #[inline]
    fn take_all(&mut self, count: usize, wanted: impl Fn(u8) -> bool) -> bool {
        let Some((front, rest)) = self.0.split_at_checked(count) else { return false };
        self.0 = rest;
        front.iter().all(|b| wanted(*b))
    }

    #[inline]
    fn take_some(&mut self, most: usize, wanted: impl Fn(u8) -> bool) -> usize {
        let Some((front, _)) = self.0.split_at_checked(most) else { return 0 };
        let taken = front.iter().position(|b| !wanted(*b)).unwrap_or(most);
        self.0 = self.0.get(taken..).unwrap_or_default();
        taken
    }
}

impl<I: Iterator<Item = u8>> Chars for std::iter::Peekable<I> {
    fn take_all(&mut self, count: usize, wanted: impl Fn(u8) -> bool) -> bool {
        (0..count).all(|_| self.next().is_some_and(&wanted))
    }

    fn take_some(&mut self, most: usize, wanted: impl Fn(u8) -> bool) -> usize {
        (0..most).take_while(|_| self.next_if(|b| wanted(*b)).is_some()).count()
    }
}
