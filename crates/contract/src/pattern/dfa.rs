//! A deterministic automaton over bytes, built whole when the pattern is compiled and small enough to stay in cache.
//!
//! Up to [`PACKED_STATES`] states the whole transition of a byte class is one word: the next state is what is left after shifting
//! it by the current one. That makes a step one shift long, where a table walk waits for memory at each byte.

use super::bytes::{ByteMap, ByteSet, ones};
use super::positions::{Part, Positions, Set, Skip, Wide};
use super::text;

/// The most states an automaton may have; patterns that need more go to the general engine.
const MAX_STATES: usize = 256;
/// The most states whose transitions fit one word: each takes six bits, the width of a shift.
const PACKED_STATES: usize = 10;
const PACKED_BITS: u32 = 6;
/// The most byte classes a packed automaton may have.
const PACKED_CLASSES: usize = 32;

/// How many bytes a packed automaton takes between looks at its state.
const PIECE: usize = 64;

/// A state from which nothing matches any more.
const DEAD: usize = 0;
/// A state in which a match has been found.
const FOUND: usize = 1;
const START: usize = 2;
const PACKED_START: u64 = START as u64 * PACKED_BITS as u64;
const WORD: u64 = u64::BITS as u64;

/// A compiled automaton.
#[derive(Debug)]
pub(super) struct Dfa {
    /// The class of each byte: bytes of one class lead to the same states everywhere.
    class_of: ByteMap,
    table: Table,
    /// Whether text has to be valid UTF-8, or be made so, before the automaton may see it.
    needs_utf8: bool,
    wide: Wide,
}

#[derive(Debug)]
enum Table {
    Packed {
        /// For each class, at bit `6 * state`, six times the next state.
        rows: Box<[u64; PACKED_CLASSES]>,
        /// The states in which the end of the text completes a match, as bits.
        accepts: u64,
    },
    Full {
        /// Next states, row by row; a state is the index of its row's first entry.
        next: Box<[u16]>,
        /// For each row whether the end of the text completes a match.
        accepts: Box<[bool]>,
        /// How far to shift a row's first index to get the row's number.
        shift: u32,
    },
}

impl Dfa {
    /// Builds the automaton, or returns `None` when it would be too large.
    pub(super) fn new(positions: &Positions) -> Option<Self> {
        let classes = Classes::new(positions)?;
        let states = States::explore(positions, &classes)?;
        let table = if states.rows.len() <= PACKED_STATES && classes.count <= PACKED_CLASSES {
            states.packed()
        } else {
            states.full(classes.count)
        };
        Some(Self {
            class_of: classes.of,
            table,
            needs_utf8: positions.takes_replacement,
            wide: positions.wide,
        })
    }

    /// Whether the pattern matches somewhere in the text.
    pub(super) fn is_match(&self, text: &[u8]) -> bool {
        if self.needs_utf8 && std::str::from_utf8(text).is_err() {
            return match self.wide {
                Wide::Collapsed => self.run(text::collapsed(text)),
                Wide::Exact | Wide::Absent => self.run(text::repaired(text)),
            };
        }
        // A packed automaton does not look at its state at each byte, so a long text is taken in pieces.
        if let Table::Packed { rows, accepts } = &self.table {
            let mut state = PACKED_START;
            for piece in text.chunks(PIECE) {
                state = piece.iter().fold(state, |state, b| self.packed_step(rows, state, *b));
                if state % WORD <= FOUND as u64 * u64::from(PACKED_BITS) {
                    break;
                }
            }
            return accepts >> (state % WORD) & 1 == 1;
        }
        self.run(text.iter().copied())
    }

    fn run(&self, bytes: impl Iterator<Item = u8>) -> bool {
        match &self.table {
            Table::Packed { rows, accepts } => {
                let end = bytes.fold(PACKED_START, |state, b| self.packed_step(rows, state, b));
                accepts >> (end % WORD) & 1 == 1
            }
            Table::Full { next, accepts, shift } => {
                let stride = 1 << shift;
                let mut state = START * stride;
                for b in bytes {
                    let class = usize::from(self.class_of.get(b));
                    state = next.get(state + class).map_or(DEAD, |next| usize::from(*next));
                    // The two states that are never left come first.
                    if state <= FOUND * stride {
                        break;
                    }
                }
                accepts.get(state >> shift).copied().unwrap_or(false)
            }
        }
    }

    #[inline]
    #[expect(clippy::indexing_slicing, reason = "a class is taken modulo the number of rows")]
    fn packed_step(&self, rows: &[u64; PACKED_CLASSES], state: u64, b: u8) -> u64 {
        let class = usize::from(self.class_of.get(b)) % PACKED_CLASSES;
        // Only the lowest six bits are the state; the rest is cut off by the next shift.
        rows[class] >> (state % WORD)
    }
}

/// Bytes that no position tells apart, as one class.
struct Classes {
    of: ByteMap,
    count: usize,
    /// For each class the positions that take its bytes.
    taken_by: Vec<Set>,
    /// The class of bytes inside a character, if they are skipped.
    skipped: Option<usize>,
}

impl Classes {
    fn new(positions: &Positions) -> Option<Self> {
        // Many positions share a set; telling bytes apart needs each set once.
        let mut sets: Vec<(ByteSet, Set)> = Vec::with_capacity(8);
        for (index, bytes) in positions.bytes.iter().enumerate() {
            match sets.iter_mut().find(|(known, _)| known == bytes) {
                Some((_, users)) => *users |= 1 << index,
                None => sets.push((*bytes, 1 << index)),
            }
        }
        // Splits one class of all bytes by each set in turn.
        let mut classes: Vec<(ByteSet, Set)> = vec![(ByteSet { low: u128::MAX, high: u128::MAX }, 0)];
        for (bytes, users) in sets {
            for index in 0..classes.len() {
                let Some((members, taken_by)) = classes.get_mut(index) else { continue };
                let inside = ByteSet { low: members.low & bytes.low, high: members.high & bytes.high };
                if inside == ByteSet::default() {
                    continue;
                }
                let outside = ByteSet { low: members.low & !bytes.low, high: members.high & !bytes.high };
                let outside_users = *taken_by;
                (*members, *taken_by) = (inside, outside_users | users);
                if outside != ByteSet::default() {
                    classes.push((outside, outside_users));
                }
            }
        }
        let mut skipped = None;
        if positions.wide == Wide::Collapsed {
            let inner = u128::MAX >> 64;
            classes.iter_mut().for_each(|(members, _)| members.high &= !inner);
            skipped = Some(classes.len());
            classes.push((ByteSet { low: 0, high: inner }, 0));
        }
        let mut of = ByteMap::new();
        for (class, (bytes, _)) in classes.iter().enumerate() {
            let class = u8::try_from(class).ok()?;
            bytes.iter().for_each(|b| of.add(b, class));
        }
        let taken_by: Vec<Set> = classes.into_iter().map(|(_, taken_by)| taken_by).collect();
        Some(Self { of, count: taken_by.len(), taken_by, skipped })
    }
}

/// The reachable states: a row of next states for each.
struct States {
    rows: Vec<Vec<u8>>,
    accepts: Vec<bool>,
}

impl States {
    fn explore(positions: &Positions, classes: &Classes) -> Option<Self> {
        let Part { first, first_at_start, last, last_at_end, skip } = positions.whole;
        let mut known = Known::new();
        // A state is what may come next, and whether the text may end here.
        let mut pending: Vec<(Set, bool)> = Vec::with_capacity(16);
        known.find_or_add(&mut pending, (0, false))?;
        // Never looked up: any state with a match behind it is this one.
        pending.push((0, true));
        let start = known.find_or_add(&mut pending, (first | first_at_start, skip.has(Skip::IF_EMPTY)))?;
        if start != START {
            return None;
        }
        let stay = |state: usize| vec![state as u8; classes.count];
        let mut rows = vec![stay(DEAD), stay(FOUND)];
        while let Some(&(next, _)) = pending.get(rows.len()) {
            let mut row = Vec::with_capacity(classes.count);
            for (class, taken_by) in classes.taken_by.iter().enumerate() {
                if classes.skipped == Some(class) {
                    row.push(u8::try_from(rows.len()).ok()?);
                    continue;
                }
                let taken = next & taken_by;
                let state = if taken & last != 0 {
                    FOUND
                } else {
                    let after = ones(taken).filter_map(|p| positions.follow.get(p));
                    let next = after.fold(first, |all, follow| all | follow);
                    known.find_or_add(&mut pending, (next, taken & last_at_end != 0))?
                };
                row.push(u8::try_from(state).ok()?);
            }
            rows.push(row);
        }
        Some(Self { rows, accepts: pending.into_iter().map(|(_, accepts)| accepts).collect() })
    }

    fn packed(&self) -> Table {
        let mut rows = Box::new([0; PACKED_CLASSES]);
        for (state, row) in self.rows.iter().enumerate() {
            for (packed, next) in rows.iter_mut().zip(row) {
                *packed |= (u64::from(*next) * u64::from(PACKED_BITS)) << (state as u32 * PACKED_BITS);
            }
        }
        let accepts = self.accepts.iter().enumerate().filter(|(_, accepts)| **accepts);
        Table::Packed {
            rows,
            accepts: accepts.fold(0, |all, (state, _)| all | 1 << (state as u32 * PACKED_BITS)),
        }
    }

    fn full(&self, classes: usize) -> Table {
        let stride = classes.next_power_of_two();
        let mut next = vec![0; self.rows.len() * stride];
        for (to, from) in next.chunks_exact_mut(stride).zip(&self.rows) {
            for (to, from) in to.iter_mut().zip(from) {
                *to = u16::from(*from) * stride as u16;
            }
        }
        Table::Full {
            next: next.into(),
            accepts: self.accepts.as_slice().into(),
            shift: stride.trailing_zeros(),
        }
    }
}

/// Finds states that exist already: a small table with linear probing.
struct Known {
    /// State numbers plus one; zero is a free place.
    slots: [u16; SLOTS],
}

/// Twice the number of states, so that there is always a free place.
const SLOTS: usize = MAX_STATES * 2;

impl Known {
    fn new() -> Self {
        Self { slots: [0; SLOTS] }
    }

    /// The number of the state `key`, which is added to the list if it is new; `None` if the list is full.
    fn find_or_add(&mut self, states: &mut Vec<(Set, bool)>, key: (Set, bool)) -> Option<usize> {
        let folded = (key.0 as u64 ^ (key.0 >> 64) as u64).wrapping_add(u64::from(key.1));
        let mut slot = (folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 55) as usize;
        loop {
            let place = self.slots.get_mut(slot % SLOTS)?;
            let Some(state) = place.checked_sub(1) else {
                let state = states.len();
                if state == MAX_STATES {
                    return None;
                }
                states.push(key);
                *place = state as u16 + 1;
                return Some(state);
            };
            if states.get(usize::from(state)) == Some(&key) {
                return Some(usize::from(state));
            }
            slot += 1;
        }
    }
}
