//! Names to positions, as fast as it gets: the lookup behind every property of every object.

use std::hash::{BuildHasher, RandomState};

/// A fixed set of names, each with its position.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    names: Box<[Box<str>]>,
    /// Open addressing; a slot holds a position plus one, zero is empty. The length is a power of two.
    slots: Box<[u32]>,
    seed: u64,
    /// A hash of whole names, for names that are too much alike for the quick one.
    keyed: Option<RandomState>,
}

/// Seeds tried for a table without collisions before one with collisions is good enough.
const TRIES: u64 = 16;

/// So many taken slots, besides one for each name, are good enough for the quick hash.
const FEW: usize = 8;

impl Names {
    /// Indexes names by their position. The later of two equal names is not found.
    pub(crate) fn new(names: impl IntoIterator<Item = Box<str>>) -> Names {
        let names: Box<[Box<str>]> = names.into_iter().collect();
        // At most half full, so that a miss ends at an empty slot soon.
        let size = (names.len() * 2).next_power_of_two();
        let mut best: Option<(usize, Names)> = None;
        for attempt in 0..TRIES {
            let seed = (attempt.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d) | 1;
            let most = best.as_ref().map_or(names.len() + FEW, |(collisions, _)| *collisions);
            if let Some((collisions, table)) = Names::table(&names, size, seed, None, most) {
                best = Some((collisions, table));
                if collisions == 0 {
                    break;
                }
            }
        }
        let best = best.or_else(|| Names::table(&names, size, 0, Some(RandomState::new()), usize::MAX));
        Names { names, ..best.map(|(_, table)| table).unwrap_or_default() }
    }

    /// Fills a table; `None` once as many slots were taken when they were needed.
    fn table(
        names: &[Box<str>],
        size: usize,
        seed: u64,
        keyed: Option<RandomState>,
        most: usize,
    ) -> Option<(usize, Names)> {
        let mut table = Names { names: Box::default(), slots: vec![0; size].into(), seed, keyed };
        let mut collisions = 0;
        for (at, name) in names.iter().enumerate() {
            collisions += table.insert(at, name);
            if collisions >= most {
                return None;
            }
        }
        Some((collisions, table))
    }

    #[inline]
    fn hash(&self, name: &str) -> u64 {
        match &self.keyed {
            None => hash(name.as_bytes(), self.seed),
            Some(keyed) => keyed.hash_one(name),
        }
    }

    /// The position of a name.
    #[inline]
    pub(crate) fn get(&self, name: &str) -> Option<usize> {
        let mask = self.slots.len().wrapping_sub(1);
        let mut slot = self.hash(name) as usize & mask;
        loop {
            let at = (*self.slots.get(slot)? as usize).checked_sub(1)?;
            if self.names.get(at).is_some_and(|candidate| **candidate == *name) {
                return Some(at);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Tells whether there are no names at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The names in their positions.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(AsRef::as_ref)
    }

    /// Puts a position into the first free slot and returns how many were taken before it.
    fn insert(&mut self, at: usize, name: &str) -> usize {
        let mask = self.slots.len().wrapping_sub(1);
        let start = self.hash(name) as usize;
        for step in 0..self.slots.len() {
            if let Some(slot @ 0) = self.slots.get_mut((start + step) & mask) {
                *slot = u32::try_from(at + 1).unwrap_or(u32::MAX);
                return step;
            }
        }
        self.slots.len()
    }
}

/// Mixes the length, the first and the last bytes of a name. Names come from contracts, not from
/// documents, so that nobody who sends a document can choose what is in the table.
#[inline]
fn hash(name: &[u8], seed: u64) -> u64 {
    let (first, last) = match (name.first_chunk::<8>(), name.last_chunk::<8>()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => match (name.first_chunk::<4>(), name.last_chunk::<4>()) {
            (Some(first), Some(last)) => {
                (u64::from(u32::from_le_bytes(*first)), u64::from(u32::from_le_bytes(*last)))
            }
            _ => match name {
                [] => (0, 0),
                [a] => (u64::from(*a), 0),
                [a, b] => (u64::from(*a) | u64::from(*b) << 8, 0),
                [a, b, c, ..] => (u64::from(*a) | u64::from(*b) << 8 | u64::from(*c) << 16, 0),
            },
        },
    };
    let mixed = (first ^ (name.len() as u64).rotate_left(56)).wrapping_mul(seed)
        ^ last.wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed ^ (mixed >> 29) ^ (mixed >> 47)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_at_its_position_and_no_other_is() {
        let names: Vec<Box<str>> =
            (0..2000).map(|n| format!("property-number-{n:x}-of-many").into()).collect();
        let index = Names::new(names.clone());
        for (at, name) in names.iter().enumerate() {
            assert_eq!(index.get(name), Some(at));
        }
        assert_eq!(index.get("property-number--of-many"), None);
        assert_eq!(index.get(""), None);
    }

    #[test]
    fn short_names_and_the_empty_name_are_names() {
        let index = Names::new(["", "a", "b", "ab", "ba", "abc", "abcd", "dcba"].map(Into::into));
        assert_eq!(index.get(""), Some(0));
        assert_eq!(index.get("ba"), Some(4));
        assert_eq!(index.get("abcd"), Some(6));
        assert_eq!(index.get("c"), None);
    }

    /// The quick hash looks at both ends and the length only.
    #[test]
    fn names_that_differ_in_the_middle_are_found_as_quickly() {
        let names: Vec<Box<str>> = (0..50_000).map(|n| format!("property-{n:06}-of-many").into()).collect();
        let index = Names::new(names.clone());
        assert!(names.iter().enumerate().all(|(at, name)| index.get(name) == Some(at)));
        assert_eq!(index.get("property-999999-of-many"), None);
    }

    #[test]
    fn an_empty_index_finds_nothing() {
        assert_eq!(Names::default().get("a"), None);
        assert_eq!(Names::new([]).get(""), None);
    }
}
