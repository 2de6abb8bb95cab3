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
    /// For each ASCII character the sets it belongs to.
    sets_of: ByteMap,
    /// The sets, when characters beyond ASCII can be part of a match, and none otherwise.
    wide: Box<[CharSet]>,
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
            let ascii = ByteSet { low: set.ascii_bits(), high: 0 };
            ascii.iter().for_each(|b| sets_of.add(b, 1 << i));
        }
        let wide = if sets.iter().any(|set| !set.wide().is_empty()) { sets } else { Vec::new() };
        Some(Self {
            sets_of,
            wide: wide.into_iter().cloned().collect(),
            head: head.into(),
            middle,
            tail: tail.into(),
            tail_length: total(tail, |step| step.min),
            shortest: total(&steps, |step| step.min),
            longest: total(&steps, |step| step.max),
            to_end: pattern.end,
        })
    }

    /// Whether the pattern matches from the start of the text.
    pub(super) fn is_match(&self, text: &[u8]) -> bool {
        if self.wide.is_empty() || text.is_ascii() {
            return self.fits(text.len())
                && self.run(text.len(), &mut Bytes { text, sets_of: &self.sets_of });
        }
        let length = text::chars(text).count();
        self.fits(length) && self.run(length, &mut text::chars(text).map(|c| self.sets_of_char(c)).peekable())
    }

    /// The sets that a character belongs to.
    fn sets_of_char(&self, c: char) -> u8 {
        if let Ok(b @ 0..0x80) = u8::try_from(c) {
            return self.sets_of.get(b);
        }
        let sets = self.wide.iter().enumerate().filter(|(_, set)| set.contains(u32::from(c)));
        sets.fold(0, |all, (i, _)| all | 1 << i)
    }

    /// Whether a text of `length` characters can match at all.
    fn fits(&self, length: usize) -> bool {
        length >= self.shortest && (!self.to_end || length <= self.longest)
    }

    fn run(&self, length: usize, chars: &mut impl Chars) -> bool {
        let mut left = length;
        for step in &self.head {
            let taken = if step.min == step.max {
                if !chars.take_all(step.min, step.set) {
                    return false;
                }
                step.min
            } else {
                let taken = chars.take_some(step.max.min(left), step.set);
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
            && chars.take_all(run, middle.set)
            && self.tail.iter().all(|step| chars.take_all(step.min, step.set))
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
    let wide = |a: &CharSet, b: &CharSet| a.wide().iter().any(|&(lo, _)| b.contains(lo));
    // Two ranges that overlap have the start of one in the other.
    a.ascii_bits() & b.ascii_bits() != 0 || wide(a, b) || wide(b, a)
}

/// Characters to be taken from the front, each known by the sets it belongs to.
trait Chars {
    /// Takes exactly `count` characters and tells whether all are in `set`.
    fn take_all(&mut self, count: usize, set: u8) -> bool;
    /// Takes up to `most` characters as long as they are in `set` and tells how many they were.
    fn take_some(&mut self, most: usize, set: u8) -> usize;
}

/// Text in which each byte is a character, or belongs to no set.
struct Bytes<'a> {
    text: &'a [u8],
    sets_of: &'a ByteMap,
}

impl Chars for Bytes<'_> {
    #[inline]
    fn take_all(&mut self, count: usize, set: u8) -> bool {
        let Some((front, rest)) = self.text.split_at_checked(count) else { return false };
        self.text = rest;
        front.iter().all(|b| self.sets_of.get(*b) & set != 0)
    }

    #[inline]
    fn take_some(&mut self, most: usize, set: u8) -> usize {
        let Some((front, _)) = self.text.split_at_checked(most) else { return 0 };
        let taken = front.iter().position(|b| self.sets_of.get(*b) & set == 0).unwrap_or(most);
        self.text = self.text.get(taken..).unwrap_or_default();
        taken
    }
}

impl<I: Iterator<Item = u8>> Chars for std::iter::Peekable<I> {
    fn take_all(&mut self, count: usize, set: u8) -> bool {
        (0..count).all(|_| self.next().is_some_and(|sets| sets & set != 0))
    }

    fn take_some(&mut self, most: usize, set: u8) -> usize {
        (0..most).take_while(|_| self.next_if(|sets| sets & set != 0).is_some()).count()
    }
}
