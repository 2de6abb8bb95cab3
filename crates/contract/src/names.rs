//! Names to positions, as fast as it gets: the lookup behind every property of every object.
//!
//! A name is read once, into a [`Print`] of four words that tells names of up to 24 bytes apart. The
//! print is hashed for the table and compared in its place; only longer names are compared byte by byte.

use std::hash::{BuildHasher, RandomState};

/// A fixed set of names, each with its position.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameTable {
    /// All names, one behind the other.
    text: Box<str>,
    entries: Box<[NameSlot]>,
    /// Open addressing; a slot holds a position plus one, zero is empty. The length is a power of two, or zero
    /// if there are so few names that looking at each is as quick.
    slots: Box<[u32]>,
    seed: u64,
    /// A hash of whole names, for names that are too much alike for the quick one.
    keyed: Option<Box<RandomState>>,
    /// Whether a name comes twice.
    repeated: bool,
}

#[derive(Clone, Copy, Debug)]
struct NameSlot {
    print: Print,
    /// Where the name begins in the text.
    start: u32,
}

/// Up to so many names need no table.
const LISTED: usize = 6;

/// Up to so many names, a table has room to spare.
const SMALL: usize = 256;

/// Up to so many names, it pays to look for a table without collisions ...
const FEW: usize = 24;

/// ... with so many seeds.
const TRIES: u64 = 8;

impl NameTable {
    /// Indexes names by their position. The later of two equal names is not found.
    pub(crate) fn new<'n>(names: impl Iterator<Item = &'n str> + Clone) -> NameTable {
        let (count, length) =
            names.clone().fold((0, 0), |(count, length), name| (count + 1, length + name.len()));
        if count == 0 {
            return NameTable::default();
        }
        let (mut text, mut entries) = (String::with_capacity(length), Vec::with_capacity(count));
        for name in names {
            let start = u32::try_from(text.len()).unwrap_or(u32::MAX);
            entries.push(NameSlot { print: Print::of(name.as_bytes()), start });
            text.push_str(name);
        }
        let mut table = NameTable { text: text.into(), entries: entries.into(), ..NameTable::default() };
        if count <= LISTED {
            table.repeated = (1..count).any(|at| table.listed(table.name(at).as_bytes()) != Some(at));
            return table;
        }
        let few = count <= FEW;
        // At most half full, so that a miss ends at an empty slot soon; small tables can afford more room.
        let size = (count * if count <= SMALL { 4 } else { 2 }).next_power_of_two();
        let mut slots = vec![0; size];
        let mut taken = None;
        for attempt in 0..if few { TRIES } else { 1 } {
            table.seed = attempt.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d;
            taken = table.fill(&mut slots);
            if taken == Some(0) {
                break;
            }
        }
        if taken.is_none() {
            table.keyed = Some(Box::default());
            table.fill(&mut slots);
        }
        table.slots = slots.into();
        table
    }

    /// The position of a name.
    #[inline]
    pub(crate) fn get(&self, name: &[u8]) -> Option<usize> {
        if self.slots.is_empty() {
            return self.listed(name);
        }
        let print = Print::of(name);
        let mask = self.slots.len().wrapping_sub(1);
        let mut slot = match &self.keyed {
            None => print.hash(self.seed) as usize & mask,
            Some(keyed) => keyed.hash_one(name) as usize & mask,
        };
        loop {
            // An empty slot is not a position.
            let at = (*self.slots.get(slot)? as usize).wrapping_sub(1);
            let entry = self.entries.get(at)?;
            if entry.print == print && (name.len() <= Print::EXACT || self.bytes_of(entry) == name) {
                return Some(at);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// The position of a name among a few, by looking at each.
    #[inline]
    fn listed(&self, name: &[u8]) -> Option<usize> {
        let print = Print::of(name);
        self.entries.iter().position(|entry| {
            entry.print == print && (name.len() <= Print::EXACT || self.bytes_of(entry) == name)
        })
    }

    /// The position of a name that is likely to be at a certain one: documents repeat the order of names.
    // The hottest lookup of all: one per member of every object.
    #[inline(always)]
    pub(crate) fn get_near(&self, name: &[u8], guess: usize) -> Option<usize> {
        match self.is_at(name, guess) {
            true => Some(guess),
            false => self.get_after(name, guess),
        }
    }

    // What may be left out often is: the next name is as likely.
    #[inline(never)]
    fn get_after(&self, name: &[u8], guess: usize) -> Option<usize> {
        let next = guess + 1;
        if self.is_at(name, next) { Some(next) } else { self.get(name) }
    }

    #[inline(always)]
    fn is_at(&self, name: &[u8], position: usize) -> bool {
        let entry = self.entries.get(position);
        entry.is_some_and(|entry| entry.print.length as usize == name.len() && self.is(entry, name))
    }

    /// The name at a position.
    pub(crate) fn name(&self, at: usize) -> &str {
        self.entries.get(at).map(|entry| self.text_of(entry)).unwrap_or_default()
    }

    /// Tells whether a name comes twice.
    pub(crate) fn has_repeated(&self) -> bool {
        self.repeated
    }

    /// Tells whether there are no names at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The names in their positions.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| self.text_of(entry))
    }

    /// Whether a name of the right length is that of an entry.
    #[inline(always)]
    fn is(&self, entry: &NameSlot, name: &[u8]) -> bool {
        let print = &entry.print;
        match (name.first_chunk::<8>(), name.last_chunk::<8>()) {
            (Some(first), Some(last)) => {
                u64::from_le_bytes(*first) == print.first
                    && u64::from_le_bytes(*last) == print.last
                    && (name.len() <= 16
                        || (middle(name) == print.middle
                            && (name.len() <= Print::EXACT || self.bytes_of(entry) == name)))
            }
            _ => Print::of_short(name) == (print.first, print.last),
        }
    }

    #[cold]
    fn bytes_of(&self, entry: &NameSlot) -> &[u8] {
        self.text_of(entry).as_bytes()
    }

    fn text_of(&self, entry: &NameSlot) -> &str {
        let start = entry.start as usize;
        self.text.get(start..start + entry.print.length as usize).unwrap_or_default()
    }

    /// Puts every position into the first free slot for its name and counts the slots that were taken before;
    /// `None` if names are too much alike.
    fn fill(&mut self, slots: &mut [u32]) -> Option<usize> {
        slots.fill(0);
        let mask = slots.len().wrapping_sub(1);
        let mut taken = 0;
        for (entry, number) in self.entries.iter().zip(1u32..) {
            let mut slot = match &self.keyed {
                None => entry.print.hash(self.seed) as usize & mask,
                Some(keyed) => keyed.hash_one(self.bytes_of(entry)) as usize & mask,
            };
            // At most half full: there is a free slot.
            loop {
                let place = slots.get_mut(slot)?;
                let Some(other) = self.entries.get((*place as usize).wrapping_sub(1)) else {
                    *place = number;
                    break;
                };
                if other.print == entry.print && self.bytes_of(other) == self.bytes_of(entry) {
                    self.repeated = true;
                    break;
                }
                slot = (slot + 1) & mask;
                taken += 1;
                if self.keyed.is_none() && taken > self.entries.len() + FEW {
                    return None;
                }
            }
        }
        Some(taken)
    }
}

/// The length of a name with its first, middle and last bytes. Equal names have equal prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Print {
    first: u64,
    /// Zero for names that the other two tell apart.
    middle: u64,
    last: u64,
    length: u32,
}

impl Print {
    /// Names up to this length are equal if their prints are.
    const EXACT: usize = 24;

    #[inline]
    fn of(name: &[u8]) -> Print {
        let (first, last) = match (name.first_chunk::<8>(), name.last_chunk::<8>()) {
            (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
            _ => Print::of_short(name),
        };
        let middle = if name.len() <= 16 { 0 } else { middle(name) };
        Print { first, middle, last, length: name.len() as u32 }
    }

    /// The first and the last bytes of a name of less than eight.
    #[inline]
    fn of_short(name: &[u8]) -> (u64, u64) {
        match (name.first_chunk::<4>(), name.last_chunk::<4>()) {
            (Some(first), Some(last)) => {
                (u32::from_le_bytes(*first).into(), u32::from_le_bytes(*last).into())
            }
            _ => match (name.first(), name.get(name.len() / 2), name.last()) {
                // In up to three bytes, these are all there are.
                (Some(first), Some(middle), Some(last)) => {
                    (u64::from(*first) | u64::from(*middle) << 8 | u64::from(*last) << 16, 0)
                }
                _ => (0, 0),
            },
        }
    }

    /// Names come from contracts, not from documents, so that nobody who sends a document can choose what is in the table.
    #[inline]
    fn hash(self, seed: u64) -> u64 {
        let head = self.first ^ seed;
        let tail = self.last ^ self.middle.rotate_left(29) ^ 0xff51_afd7_ed55_8ccd ^ u64::from(self.length);
        let product = u128::from(head) * u128::from(tail);
        (product >> 64) as u64 ^ product as u64
    }
}

/// The eight bytes in the middle of a name that has as many.
#[inline]
fn middle(name: &[u8]) -> u64 {
    let word = name.get((name.len() / 2).wrapping_sub(4)..).and_then(<[u8]>::first_chunk);
    word.map_or(0, |word| u64::from_le_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_at_its_position_and_no_other_is() {
        let names: Vec<Box<str>> =
            (0..2000).map(|n| format!("property-number-{n:x}-of-many").into()).collect();
        let index = NameTable::new(names.iter().map(AsRef::as_ref));
        for (at, name) in names.iter().enumerate() {
            assert_eq!(index.get(name.as_bytes()), Some(at));
        }
        assert_eq!(index.get(b"property-number--of-many"), None);
        assert_eq!(index.get(b""), None);
    }

    #[test]
    fn short_names_and_the_empty_name_are_names() {
        let index = NameTable::new(["", "a", "b", "ab", "ba", "abc", "abcd", "dcba"].into_iter());
        assert_eq!(index.get(b""), Some(0));
        assert_eq!(index.get(b"ba"), Some(4));
        assert_eq!(index.get(b"abcd"), Some(6));
        assert_eq!(index.get(b"c"), None);
    }

    /// The quick hash looks at both ends and eight bytes in the middle only.
    #[test]
    fn names_that_differ_elsewhere_are_found_as_quickly() {
        let names: Vec<Box<str>> =
            (0..50_000).map(|n| format!("property-{n:06}-of-very-many-of-them").into()).collect();
        let index = NameTable::new(names.iter().map(AsRef::as_ref));
        assert!(names.iter().enumerate().all(|(at, name)| index.get(name.as_bytes()) == Some(at)));
        assert_eq!(index.get(b"property-999999-of-very-many-of-them"), None);
    }

    #[test]
    fn an_empty_index_finds_nothing() {
        assert_eq!(NameTable::default().get(b"a"), None);
        assert_eq!(NameTable::new([].into_iter()).get(b""), None);
    }
}
