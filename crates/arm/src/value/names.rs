//! Where things are by name, without regard to case. The names stay with the things: nothing is copied, and a name is
//! folded while it is hashed.

use std::hash::{BuildHasher, Hasher};
use std::sync::LazyLock;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::folded;

/// How much of a name is folded at once.
const PIECE: usize = 64;

/// A hash of a name that is the same for names that differ by case only. Its seed is another one in each process, so that nobody
/// can choose names that meet.
pub(crate) fn hash(name: &str) -> u64 {
    static SEED: LazyLock<DefaultHashBuilder> = LazyLock::new(DefaultHashBuilder::default);
    let mut state = SEED.build_hasher();
    let mut write = |text: &str| {
        for piece in text.as_bytes().chunks(PIECE) {
            let mut folded = [0; PIECE];
            if let Some(folded) = folded.get_mut(..piece.len()) {
                folded.copy_from_slice(piece);
                folded.make_ascii_uppercase();
                state.write(folded);
            }
        }
    };
    // A name in ASCII may differ by case only from one that is not: the capital of the long s is S.
    if name.is_ascii() {
        write(name)
    } else {
        write(&folded(name))
    }
    state.finish()
}

/// Positions by name; several things may have the same one.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameIndex {
    table: HashTable<NameSlot>,
}

#[derive(Clone, Copy, Debug)]
struct NameSlot {
    hash: u64,
    position: usize,
}

impl NameIndex {
    /// A table with room for so many names.
    pub(crate) fn with_capacity(names: usize) -> NameIndex {
        NameIndex { table: HashTable::with_capacity(names) }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// The position of a name, given its [`hash`]; `has` tells whether the thing at a position is the one.
    pub(crate) fn find(&self, hash: u64, has: impl Fn(usize) -> bool) -> Option<usize> {
        self.table.find(hash, |entry| entry.hash == hash && has(entry.position)).map(|entry| entry.position)
    }

    /// The same, to put another thing of that name in its place.
    pub(crate) fn find_mut(&mut self, hash: u64, has: impl Fn(usize) -> bool) -> Option<&mut usize> {
        let found = self.table.find_mut(hash, |entry| entry.hash == hash && has(entry.position));
        found.map(|entry| &mut entry.position)
    }

    /// Adds a name that is not there.
    pub(crate) fn add(&mut self, hash: u64, position: usize) {
        self.table.insert_unique(hash, NameSlot { hash, position }, |entry| entry.hash);
    }
}

#[cfg(test)]
mod tests {
    use super::super::fold::equal_ignoring_case;
    use super::*;

    const NAMES: [&str; 11] =
        ["", "a", "s", "\u{17f}", "Name", "nAME", "straße", "STRAßE", "ÿ", "Ÿ", "i\u{307}"];

    #[test]
    fn names_that_differ_by_case_only_have_the_same_hash() {
        let long: Vec<String> = NAMES.iter().map(|name| format!("{}{name}", "aZ_9/".repeat(40))).collect();
        let all: Vec<&str> = NAMES.into_iter().chain(long.iter().map(String::as_str)).collect();
        for name in &all {
            assert_eq!(hash(name), hash(&folded(name)), "{name}");
            for other in &all {
                assert_eq!(hash(name) == hash(other), equal_ignoring_case(name, other), "{name} {other}");
            }
        }
    }

    #[test]
    fn names_are_found_and_replaced() {
        let texts: Vec<String> = (0..1000).map(|n| format!("Name{n}")).collect();
        let mut names = NameIndex::default();
        for (position, text) in texts.iter().enumerate() {
            names.add(hash(text), position);
        }
        let has = |name: &str| {
            let name = name.to_owned();
            let texts = &texts;
            move |at: usize| texts.get(at).is_some_and(|text| equal_ignoring_case(text, &name))
        };
        assert_eq!(names.find(hash("nAME77"), has("nAME77")), Some(77));
        assert_eq!(names.find(hash("other"), has("other")), None);
        if let Some(position) = names.find_mut(hash("name78"), has("name78")) {
            *position = 5;
        }
        assert_eq!(names.find(hash("name78"), |at| at == 5), Some(5));
    }
}
