//! Patterns that are a row of plain texts and of repeated character sets, from the start of the text on, or a few such rows.
//!
//! `^[a-z][a-z0-9-]{1,61}[a-z0-9]$` and `^\d{4}-\d{2}-\d{2}(-preview)?$` are of this kind, and so are most patterns in schemas. They
//! need no automaton: each repetition takes as many characters as it can, which is right as long as whatever may follow cannot
//! start with a character it takes. The last repetition of varying length needs not even that, because what follows it has a
//! known length and the text has an end.

use super::bytes::{ByteMap, ByteSet};
use super::node::PatternNode;
use super::search::Anchored;
use super::set::CharSet;
use super::text;

/// How many different sets one pattern may use: each has a bit in a byte.
const MAX_SETS: usize = 8;
/// How many steps a row may have once counted groups are written out.
const MAX_STEPS: usize = 64;
/// How long one text may be before it is split in two steps.
const MAX_TEXT: usize = 64;
/// How many rows a pattern may have once its choices are written out; each may cost a walk over the text.
const MAX_ROWS: usize = 4;
/// Up to this length a loop over bytes beats a call.
const SHORT_TEXT: usize = 4;

/// A set, as its bit in [`Sequence::sets_of`], and how many members it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SetRun {
    set: u8,
    min: usize,
    max: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum SequenceStep {
    /// ASCII text, compared byte by byte.
    Text(Vec<u8>),
    /// For each character the bit of the one set it has to be in.
    Fixed(Vec<u8>),
    Run(SetRun),
}

impl SequenceStep {
    /// How much memory the step takes, roughly.
    fn size(&self) -> usize {
        match self {
            Self::Text(each) | Self::Fixed(each) => each.len(),
            Self::Run(_) => 1,
        }
    }

    fn min(&self) -> usize {
        match self {
            Self::Text(each) | Self::Fixed(each) => each.len(),
            Self::Run(run) => run.min,
        }
    }

    fn max(&self) -> usize {
        match self {
            Self::Text(each) | Self::Fixed(each) => each.len(),
            Self::Run(run) => run.max,
        }
    }
}

/// A pattern compiled to rows of steps.
#[derive(Debug)]
pub(super) struct Sequence {
    /// For each ASCII character the sets it belongs to.
    sets_of: ByteMap,
    /// The sets, when characters beyond ASCII can be part of a match, and none otherwise.
    wide: Box<[CharSet]>,
    /// Steps of fixed length that all rows start with, and the number of characters they take.
    shared: Vec<SequenceStep>,
    shared_length: usize,
    /// What follows the shared steps.
    rows: Vec<StepRow>,
}

impl Sequence {
    /// Compiles a pattern of this kind, or returns `None` for any other.
    pub(super) fn new(pattern: &Anchored<'_>) -> Option<Self> {
        if !pattern.start {
            return None;
        }
        let mut sets = Vec::with_capacity(MAX_SETS);
        let mut rows = vec![Vec::with_capacity(8)];
        pattern.parts.iter().try_for_each(|part| append(&mut rows, &mut sets, part))?;
        let mut shared = split_shared(&mut rows);
        let shared_length = shared.iter().map(SequenceStep::min).fold(0, usize::saturating_add);
        let rows: Option<Vec<StepRow>> =
            rows.into_iter().map(|steps| StepRow::new(steps, &sets, pattern.end)).collect();
        let mut rows = rows?;
        let mut bits = Bits { used: sets.len(), bytes: Vec::new() };
        bits.join_fixed(&mut shared);
        for row in &mut rows {
            bits.join_fixed(&mut row.head);
            bits.join_fixed(&mut row.tail);
        }
        let mut sets_of = ByteMap::new();
        bits.bytes.iter().for_each(|(b, bit)| sets_of.add(*b, *bit));
        for (i, set) in sets.iter().enumerate() {
            let ascii = ByteSet { low: set.ascii_bits(), high: 0 };
            ascii.iter().for_each(|b| sets_of.add(b, 1 << i));
        }
        let wide = if sets.iter().any(|set| !set.wide().is_empty()) { sets } else { Vec::new() };
        let wide = wide.into_iter().cloned().collect();
        Some(Self { sets_of, wide, shared, shared_length, rows })
    }

    /// Whether an automaton of up to `states` states is out of reach or would not be faster.
    ///
    /// It is not if no row has more than one step of varying length, because running one is then little more than a loop. It is
    /// out of reach if a match takes many characters: each takes a state of its own, besides the start and the two ends.
    pub(super) fn beats_automaton(&self, states: usize) -> bool {
        self.rows.iter().all(|row| {
            let simple = row.head.iter().all(|step| step.min() == step.max());
            simple || !row.to_end || self.shared_length + row.shortest + 3 > states
        })
    }

    /// Whether the pattern matches from the start of the text.
    pub(super) fn is_match(&self, text: &[u8]) -> bool {
        if self.wide.is_empty() || text.is_ascii() {
            return self.run(text.len(), Bytes { text, sets_of: &self.sets_of });
        }
        self.is_match_decoded(text)
    }

    /// Kept apart from the usual case, which is small enough to stay in registers without it.
    #[inline(never)]
    fn is_match_decoded(&self, text: &[u8]) -> bool {
        if let Ok(text) = std::str::from_utf8(text) {
            return self
                .run(text.chars().count(), Decoded { chars: text.chars().peekable(), sequence: self });
        }
        let chars = text::chars(text);
        self.run(chars.clone().count(), Decoded { chars: chars.peekable(), sequence: self })
    }

    #[inline]
    fn run(&self, length: usize, mut chars: impl Chars + Clone) -> bool {
        if let [row] = self.rows.as_slice() {
            return row.fits(length) && row.run(length, chars);
        }
        let Some(left) = length.checked_sub(self.shared_length) else { return false };
        let mut rows = self.rows.iter().filter(|row| row.fits(left));
        let Some(first) = rows.next() else { return false };
        self.shared.iter().all(|step| take_fixed(step, &mut chars))
            && (first.run(left, chars.clone()) || rows.any(|row| row.run(left, chars.clone())))
    }

    /// The sets that a character belongs to.
    fn sets_of_char(&self, c: char) -> u8 {
        if let Ok(b @ 0..0x80) = u8::try_from(c) {
            return self.sets_of.get(b);
        }
        let sets = self.wide.iter().enumerate().filter(|(_, set)| set.contains(u32::from(c)));
        sets.fold(0, |all, (i, _)| all | 1 << i)
    }
}

/// Extends each row by what the node stands for; a choice makes more rows.
fn append<'a>(
    rows: &mut Vec<Vec<SequenceStep>>,
    sets: &mut Vec<&'a CharSet>,
    node: &'a PatternNode,
) -> Option<()> {
    match node {
        PatternNode::Empty => Some(()),
        PatternNode::Set(set) => push(rows, sets, set, 1, 1),
        PatternNode::Concat(parts) => parts.iter().try_for_each(|part| append(rows, sets, part)),
        PatternNode::Alt(branches) => choose(rows, sets, branches.iter().map(Some)),
        PatternNode::Repeat { node, min, max } => match (&**node, min, max) {
            (PatternNode::Set(set), _, _) => {
                push(rows, sets, set, *min as usize, max.map_or(usize::MAX, |max| max as usize))
            }
            (inner, 0, Some(1)) => choose(rows, sets, [None, Some(inner)].into_iter()),
            (inner, _, Some(max)) if min == max => {
                // Each copy adds to the rows until a limit is met, or there is nothing to gain.
                let size =
                    |rows: &[Vec<SequenceStep>]| rows.iter().flatten().map(SequenceStep::size).sum::<usize>();
                for _ in 0..*min {
                    let before = size(rows);
                    append(rows, sets, inner)?;
                    if size(rows) == before {
                        return None;
                    }
                }
                Some(())
            }
            _ => None,
        },
        PatternNode::Look(_) => None,
    }
}

/// Continues each row with each branch; `None` is a branch without anything in it.
fn choose<'a>(
    rows: &mut Vec<Vec<SequenceStep>>,
    sets: &mut Vec<&'a CharSet>,
    branches: impl ExactSizeIterator<Item = Option<&'a PatternNode>>,
) -> Option<()> {
    if rows.len() * branches.len() > MAX_ROWS {
        return None;
    }
    let starts = std::mem::take(rows);
    for branch in branches {
        let mut continued = starts.clone();
        if let Some(node) = branch {
            append(&mut continued, sets, node)?;
        }
        rows.append(&mut continued);
    }
    (rows.len() <= MAX_ROWS).then_some(())
}

fn push<'a>(
    rows: &mut [Vec<SequenceStep>],
    sets: &mut Vec<&'a CharSet>,
    set: &'a CharSet,
    min: usize,
    max: usize,
) -> Option<()> {
    let plain =
        set.only().and_then(|c| u8::try_from(c).ok()).filter(|b| b.is_ascii() && (min, max) == (1, 1));
    let set = match plain {
        Some(_) => 0,
        None => 1 << index_of(sets, set)?,
    };
    for row in rows {
        match (row.last_mut(), plain) {
            (Some(SequenceStep::Text(text)), Some(b)) if text.len() < MAX_TEXT => text.push(b),
            (_, Some(b)) => row.push(SequenceStep::Text(vec![b])),
            (Some(SequenceStep::Run(last)), None) if last.set == set => {
                last.min = last.min.saturating_add(min);
                last.max = last.max.saturating_add(max);
            }
            (_, None) => row.push(SequenceStep::Run(SetRun { set, min, max })),
        }
        if row.len() > MAX_STEPS {
            return None;
        }
    }
    Some(())
}

fn index_of<'a>(sets: &mut Vec<&'a CharSet>, set: &'a CharSet) -> Option<usize> {
    let known = sets.iter().position(|known| *known == set);
    if known.is_none() {
        sets.push(set);
    }
    known.or(Some(sets.len() - 1)).filter(|index| *index < MAX_SETS)
}

/// Takes the steps of fixed length that all rows begin with off their fronts.
fn split_shared(rows: &mut [Vec<SequenceStep>]) -> Vec<SequenceStep> {
    // A single row shares nothing.
    let Some((first, others @ [_, ..])) = rows.split_first_mut() else { return Vec::new() };
    let is_shared = |(i, step): &(usize, &SequenceStep)| {
        step.min() == step.max() && others.iter().all(|row| row.get(*i) == Some(*step))
    };
    let count = first.iter().enumerate().take_while(is_shared).count();
    others.iter_mut().for_each(|row| drop(row.drain(..count)));
    first.drain(..count).collect()
}

/// One row of steps.
#[derive(Debug)]
struct StepRow {
    /// What comes before the last step of varying length, or all steps if there is none.
    head: Vec<SequenceStep>,
    /// The last step of varying length, when what follows has to reach the end of the text.
    middle: Option<SetRun>,
    tail: Vec<SequenceStep>,
    /// The number of characters `tail` takes, and the fewest and most the whole takes.
    tail_length: usize,
    shortest: usize,
    longest: usize,
    /// Whether the last step has to reach the end of the text.
    to_end: bool,
}

impl StepRow {
    fn new(mut steps: Vec<SequenceStep>, sets: &[&CharSet], to_end: bool) -> Option<Self> {
        let varying = |step: &SequenceStep| step.min() != step.max();
        let split = if to_end { steps.iter().rposition(varying) } else { None };
        let head = split.unwrap_or(steps.len());
        for (i, step) in steps.iter().enumerate().take(head) {
            let SequenceStep::Run(run) = step else { continue };
            if run.min == run.max {
                continue;
            }
            let set = set_at(sets, run.set)?;
            let followed_by = steps.get(i + 1..)?;
            let mandatory = followed_by.iter().position(|next| next.min() > 0);
            let next = followed_by.get(..=mandatory.unwrap_or(followed_by.len().checked_sub(1)?))?;
            if next.iter().any(|next| may_take_first_of(set, next, sets)) {
                return None;
            }
        }
        let total = |steps: &[SequenceStep], of: fn(&SequenceStep) -> usize| {
            steps.iter().map(of).fold(0, usize::saturating_add)
        };
        let (shortest, longest) = (total(&steps, SequenceStep::min), total(&steps, SequenceStep::max));
        let mut rest = steps.split_off(head);
        let middle = match rest.first() {
            Some(SequenceStep::Run(run)) => Some(*run),
            _ => None,
        };
        let tail = if middle.is_some() { rest.split_off(1) } else { rest };
        Some(Self {
            tail_length: total(&tail, SequenceStep::min),
            head: steps,
            middle,
            tail,
            shortest,
            longest,
            to_end,
        })
    }

    /// Whether a text of `length` characters can match at all.
    #[inline]
    fn fits(&self, length: usize) -> bool {
        length >= self.shortest && (!self.to_end || length <= self.longest)
    }

    #[inline]
    fn run(&self, length: usize, mut chars: impl Chars) -> bool {
        let mut left = length;
        for step in &self.head {
            let taken = match step {
                SequenceStep::Run(run) if run.min != run.max => {
                    let taken = chars.take_some(run.max.min(left), run.set);
                    if taken < run.min {
                        return false;
                    }
                    taken
                }
                fixed => {
                    if !take_fixed(fixed, &mut chars) {
                        return false;
                    }
                    fixed.min()
                }
            };
            // No step takes what is not there.
            left = left.saturating_sub(taken);
        }
        let Some(middle) = &self.middle else { return !self.to_end || left == 0 };
        let Some(run) = left.checked_sub(self.tail_length) else { return false };
        (middle.min..=middle.max).contains(&run)
            && chars.take_all(run, middle.set)
            && self.tail.iter().all(|step| take_fixed(step, &mut chars))
    }
}

#[inline]
fn take_fixed(step: &SequenceStep, chars: &mut impl Chars) -> bool {
    match step {
        SequenceStep::Text(text) => chars.take_text(text),
        SequenceStep::Fixed(sets) => chars.take_each(sets),
        SequenceStep::Run(run) => chars.take_all(run.min, run.set),
    }
}

fn set_at<'a>(sets: &[&'a CharSet], bit: u8) -> Option<&'a CharSet> {
    sets.get(bit.trailing_zeros() as usize).copied()
}

/// Whether a run of `set` could take the first character of what should be left to `next`.
fn may_take_first_of(set: &CharSet, next: &SequenceStep, sets: &[&CharSet]) -> bool {
    let other = match next {
        SequenceStep::Text(text) => return text.first().is_none_or(|b| set.contains(u32::from(*b))),
        SequenceStep::Fixed(each) => each.first().and_then(|bit| set_at(sets, *bit)),
        SequenceStep::Run(run) => set_at(sets, run.set),
    };
    other.is_none_or(|other| {
        // Two ranges that overlap have the start of one in the other.
        let wide = |a: &CharSet, b: &CharSet| a.wide().iter().any(|&(lo, _)| b.contains(lo));
        set.ascii_bits() & other.ascii_bits() != 0 || wide(set, other) || wide(other, set)
    })
}

/// Gives the bits that sets leave over to single characters.
struct Bits {
    used: usize,
    bytes: Vec<(u8, u8)>,
}

impl Bits {
    /// Joins neighbours of fixed length into one step: the fewer steps, the less is decided while running.
    fn join_fixed(&mut self, steps: &mut Vec<SequenceStep>) {
        if steps.len() < 2 {
            return;
        }
        let mut joined: Vec<SequenceStep> = Vec::with_capacity(steps.len());
        for step in steps.drain(..) {
            let sets = match &step {
                SequenceStep::Run(run) if run.min == run.max && run.min <= MAX_TEXT => {
                    Some(vec![run.set; run.min])
                }
                SequenceStep::Text(text) if text.len() <= SHORT_TEXT => {
                    text.iter().map(|b| self.bit_of(*b)).collect::<Option<Vec<u8>>>()
                }
                SequenceStep::Run(_) | SequenceStep::Text(_) | SequenceStep::Fixed(_) => None,
            };
            match (joined.last_mut(), sets) {
                (Some(SequenceStep::Fixed(before)), Some(mut sets)) => before.append(&mut sets),
                (_, Some(sets)) => joined.push(SequenceStep::Fixed(sets)),
                (_, None) => joined.push(step),
            }
        }
        *steps = joined;
    }

    fn bit_of(&mut self, b: u8) -> Option<u8> {
        if let Some((_, bit)) = self.bytes.iter().find(|(known, _)| *known == b) {
            return Some(*bit);
        }
        let bit = (self.used < MAX_SETS).then(|| 1 << self.used)?;
        self.used += 1;
        self.bytes.push((b, bit));
        Some(bit)
    }
}

/// Characters to be taken from the front.
trait Chars {
    /// Takes as many characters as `text` has and tells whether they are the same.
    fn take_text(&mut self, text: &[u8]) -> bool;
    /// Takes as many characters as there are sets and tells whether each is in its own.
    fn take_each(&mut self, sets: &[u8]) -> bool;
    /// Takes exactly `count` characters and tells whether all are in `set`.
    fn take_all(&mut self, count: usize, set: u8) -> bool;
    /// Takes up to `most` characters as long as they are in `set` and tells how many they were.
    fn take_some(&mut self, most: usize, set: u8) -> usize;
}

/// Text in which each byte is a character, or belongs to no set.
#[derive(Clone)]
struct Bytes<'a> {
    text: &'a [u8],
    sets_of: &'a ByteMap,
}

impl Chars for Bytes<'_> {
    #[inline]
    fn take_text(&mut self, text: &[u8]) -> bool {
        let Some((front, rest)) = self.text.split_at_checked(text.len()) else { return false };
        self.text = rest;
        if text.len() > SHORT_TEXT { front == text } else { front.iter().zip(text).all(|(a, b)| a == b) }
    }

    #[inline]
    fn take_each(&mut self, sets: &[u8]) -> bool {
        let Some((front, rest)) = self.text.split_at_checked(sets.len()) else { return false };
        self.text = rest;
        front.iter().zip(sets).all(|(b, set)| self.sets_of.get(*b) & set != 0)
    }

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

/// Text with characters of more than one byte, or bytes that are none.
#[derive(Clone)]
struct Decoded<'a, I: Iterator<Item = char>> {
    chars: std::iter::Peekable<I>,
    sequence: &'a Sequence,
}

impl<I: Iterator<Item = char>> Chars for Decoded<'_, I> {
    fn take_text(&mut self, text: &[u8]) -> bool {
        text.iter().all(|b| self.chars.next() == Some(char::from(*b)))
    }

    fn take_each(&mut self, sets: &[u8]) -> bool {
        sets.iter().all(|set| self.take_all(1, *set))
    }

    fn take_all(&mut self, count: usize, set: u8) -> bool {
        (0..count).all(|_| self.chars.next().is_some_and(|c| self.sequence.sets_of_char(c) & set != 0))
    }

    fn take_some(&mut self, most: usize, set: u8) -> usize {
        let mut next = || self.chars.next_if(|c| self.sequence.sets_of_char(*c) & set != 0);
        (0..most).take_while(|_| next().is_some()).count()
    }
}
