//! A deterministic automaton over classes of characters, built whole when the pattern is compiled and small enough to stay in
//! cache.
//!
//! Up to [`PACKED_STATES`] states the whole transition of a class is one word: the next state is what is left after shifting it by
//! the current one. That makes a step one shift long, where a table walk waits for memory at each character.

use super::alphabet::Alphabet;
use super::bytes::ones;
use super::positions::{PositionSets, Positions, Set, Skip};
use super::text;

/// The most states an automaton may have; patterns that need more go to the general engine.
pub(super) const MAX_STATES: usize = 256;
/// The most states whose transitions fit one word: each takes six bits, the width of a shift.
pub(super) const PACKED_STATES: usize = 10;
const PACKED_BITS: u32 = 6;
/// The most classes a packed automaton may have.
const PACKED_CLASSES: usize = 32;

/// How many characters a packed automaton takes between looks at its state.
const PIECE: usize = 64;

/// A state from which nothing matches any more.
const DEAD: usize = 0;
/// A state in which a match has been found.
const FOUND: usize = 1;
const START: usize = 2;
const PACKED_START: u64 = START as u64 * PACKED_BITS as u64;
const WORD: u64 = u64::BITS as u64;

/// A pattern as a table of states: one step for each byte, whatever the pattern.
#[derive(Debug)]
pub(super) struct Dfa {
    alphabet: Alphabet,
    table: TransitionTable,
}

#[derive(Debug)]
enum TransitionTable {
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
    /// Builds the automaton, or returns `None` when it would have more than `most` states.
    pub(super) fn new(positions: &Positions<'_>, most: usize) -> Option<Self> {
        let (alphabet, taken_by) = Alphabet::new(positions)?;
        let states = States::explore(positions, &taken_by, most)?;
        let table = if states.accepts.len() <= PACKED_STATES && taken_by.len() <= PACKED_CLASSES {
            states.packed()
        } else {
            states.full()
        };
        Some(Self { alphabet, table })
    }

    /// Whether the pattern matches somewhere in the text.
    pub(super) fn is_match(&self, text: &[u8]) -> bool {
        if self.alphabet.has_wide() && !text.is_ascii() {
            return match std::str::from_utf8(text) {
                Ok(text) => self.run(text.chars().map(|c| self.alphabet.of_char(c))),
                Err(_) => self.run(text::chars(text).map(|c| self.alphabet.of_char(c))),
            };
        }
        // A packed automaton does not look at its state at each byte, so a long text is taken in pieces.
        if let TransitionTable::Packed { rows, accepts } = &self.table {
            let mut state = PACKED_START;
            for piece in text.chunks(PIECE) {
                let classes = piece.iter().map(|b| self.alphabet.of_byte(*b));
                state = classes.fold(state, |state, class| packed_step(rows, state, class));
                if state % WORD <= FOUND as u64 * u64::from(PACKED_BITS) {
                    break;
                }
            }
            return accepts >> (state % WORD) & 1 == 1;
        }
        self.run(text.iter().map(|b| self.alphabet.of_byte(*b)))
    }

    fn run(&self, classes: impl Iterator<Item = u8>) -> bool {
        match &self.table {
            TransitionTable::Packed { rows, accepts } => {
                let end = classes.fold(PACKED_START, |state, class| packed_step(rows, state, class));
                accepts >> (end % WORD) & 1 == 1
            }
            TransitionTable::Full { next, accepts, shift } => {
                let stride = 1 << shift;
                let mut state = START * stride;
                for class in classes {
                    state = next.get(state + usize::from(class)).map_or(DEAD, |next| usize::from(*next));
                    // The two states that are never left come first.
                    if state <= FOUND * stride {
                        break;
                    }
                }
                accepts.get(state >> shift).copied().unwrap_or(false)
            }
        }
    }
}

#[inline]
#[expect(clippy::indexing_slicing, reason = "a class is taken modulo the number of rows")]
fn packed_step(rows: &[u64; PACKED_CLASSES], state: u64, class: u8) -> u64 {
    // Only the lowest six bits are the state; the rest is cut off by the next shift.
    rows[usize::from(class) % PACKED_CLASSES] >> (state % WORD)
}

/// The states that some text reaches, numbered as they are found.
struct States {
    /// Next states, a row of all classes for each state.
    next: Vec<u8>,
    classes: usize,
    accepts: Vec<bool>,
}

impl States {
    fn explore(positions: &Positions<'_>, taken_by: &[Set], most: usize) -> Option<Self> {
        let PositionSets { first, first_at_start, last, last_at_end, skip } = positions.whole;
        let classes = taken_by.len();
        let mut known = StateTable::new();
        // A state is what may come next, and whether the text may end here.
        let mut states: Vec<(Set, bool)> = Vec::with_capacity(16);
        known.find_or_add(&mut states, (0, false))?;
        // Never looked up: any state with a match behind it is this one.
        states.push((0, true));
        let start = known.find_or_add(&mut states, (first | first_at_start, skip.has(Skip::IF_EMPTY)))?;
        if start != START {
            return None;
        }
        let mut next = vec![DEAD as u8; classes];
        next.resize(2 * classes, FOUND as u8);
        // The state after a character that nothing was waiting for.
        let mut idle = (first == 0).then_some(DEAD);
        let mut done = START;
        while let Some(&(waiting, _)) = states.get(done) {
            if states.len() > most {
                return None;
            }
            for taken_by in taken_by {
                let taken = waiting & taken_by;
                let state = if taken & last != 0 {
                    FOUND
                } else if let (0, Some(idle)) = (taken, idle) {
                    idle
                } else {
                    let after = ones(taken).filter_map(|p| positions.follow.get(p));
                    let waiting = after.fold(first, |all, follow| all | follow);
                    let state = known.find_or_add(&mut states, (waiting, taken & last_at_end != 0))?;
                    if taken == 0 {
                        idle = Some(state);
                    }
                    state
                };
                next.push(u8::try_from(state).ok()?);
            }
            done += 1;
        }
        Some(Self { next, classes, accepts: states.into_iter().map(|(_, accepts)| accepts).collect() })
    }

    fn packed(&self) -> TransitionTable {
        let mut rows = Box::new([0; PACKED_CLASSES]);
        for (state, row) in self.next.chunks(self.classes).enumerate() {
            for (packed, next) in rows.iter_mut().zip(row) {
                *packed |= (u64::from(*next) * u64::from(PACKED_BITS)) << (state as u32 * PACKED_BITS);
            }
        }
        let accepts = self.accepts.iter().enumerate().filter(|(_, accepts)| **accepts);
        TransitionTable::Packed {
            rows,
            accepts: accepts.fold(0, |all, (state, _)| all | 1 << (state as u32 * PACKED_BITS)),
        }
    }

    fn full(&self) -> TransitionTable {
        let stride = self.classes.next_power_of_two();
        let mut next = vec![0; self.accepts.len() * stride];
        for (to, from) in next.chunks_exact_mut(stride).zip(self.next.chunks(self.classes)) {
            for (to, from) in to.iter_mut().zip(from) {
                *to = u16::from(*from) * stride as u16;
            }
        }
        TransitionTable::Full {
            next: next.into(),
            accepts: self.accepts.as_slice().into(),
            shift: stride.trailing_zeros(),
        }
    }
}

/// Finds states that exist already: a small table with linear probing.
struct StateTable {
    /// State numbers plus one; zero is a free place.
    slots: [u16; SLOTS],
}

/// Twice the number of states, so that there is always a free place.
const SLOTS: usize = MAX_STATES * 2;

impl StateTable {
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
