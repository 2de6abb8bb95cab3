//! Member names: telling them apart while an object is read, and finding one in a large object.
//!
//! Up to [`SMALL`] members, a name is found by comparing with each; for those, reading keeps one 64-bit print
//! per name of the open objects. A larger object gets a hash table in one shared vector of slots. Its hash
//! is keyed at random, so that no text can be written to make the probes long.

use std::hash::{BuildHasher, RandomState};

/// Objects with more members have a hash table.
pub(crate) const SMALL: usize = 16;

/// A word that differs for nearly all different names; equal names have equal prints.
#[inline]
pub(crate) fn print(name: &[u8]) -> u64 {
    let (head, tail) = match (name.first_chunk::<8>(), name.last_chunk::<8>()) {
        (Some(head), Some(tail)) => (u64::from_le_bytes(*head), u64::from_le_bytes(*tail)),
        _ => match (name.first_chunk::<4>(), name.last_chunk::<4>()) {
            (Some(head), Some(tail)) => (u32::from_le_bytes(*head).into(), u32::from_le_bytes(*tail).into()),
            _ => match name {
                [first, .., last] => (u64::from(*first), u64::from(*last)),
                [only] => (u64::from(*only), 0),
                [] => (0, 0),
            },
        },
    };
    (head ^ tail.rotate_left(29)).wrapping_add((name.len() as u64) << 56)
}

/// The hash tables of a document's large objects.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    /// The upper half of the name's hash, and how far its node is behind the object's, so that a copied object
    /// can share the table of the original. 0 is free, as that is the object itself.
    slots: Vec<u64>,
    hasher: RandomState,
}

/// The table by which members of one large object are found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemberTable {
    offset: u32,
    mask: u32,
}

impl MemberTable {
    /// As the payload of an index node.
    pub(crate) fn payload(self) -> [u32; 2] {
        [self.offset, self.mask]
    }

    /// From the payload of an index node.
    pub(crate) fn from_payload([offset, mask]: [u32; 2]) -> MemberTable {
        MemberTable { offset, mask }
    }
}

impl Tables {
    /// Makes room for an object; at most two thirds of a table are used. `None` when offsets run out.
    pub(crate) fn add(&mut self, members: u32) -> Option<MemberTable> {
        let size = (members.checked_add(members / 2)?).checked_next_power_of_two()?;
        let offset = u32::try_from(self.slots.len()).ok()?;
        self.slots.resize(self.slots.len() + size as usize, 0);
        Some(MemberTable { offset, mask: size - 1 })
    }

    /// Enters a key, unless `same` says of a key entered before that it has the same name: then returns that.
    pub(crate) fn insert(
        &mut self,
        table: MemberTable,
        name: &str,
        key: u32,
        same: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        match self.probe(table, name, same) {
            Ok(found) => Some(found),
            Err((slot, hash)) => {
                if let Some(free) = self.slots.get_mut(slot) {
                    *free = hash | u64::from(key);
                }
                None
            }
        }
    }

    /// Finds the key with a name.
    pub(crate) fn find(&self, table: MemberTable, name: &str, same: impl Fn(u32) -> bool) -> Option<u32> {
        self.probe(table, name, same).ok()
    }

    /// The key with the name, or the free slot where it belongs and the hash to put there.
    fn probe(&self, table: MemberTable, name: &str, same: impl Fn(u32) -> bool) -> Result<u32, (usize, u64)> {
        let full = self.hasher.hash_one(name);
        let hash = full & 0xffff_ffff_0000_0000;
        let mut at = full as u32 & table.mask;
        loop {
            let slot = table.offset as usize + at as usize;
            match self.slots.get(slot).copied() {
                None | Some(0) => return Err((slot, hash)),
                Some(entry) if entry & 0xffff_ffff_0000_0000 == hash && same(entry as u32) => {
                    return Ok(entry as u32);
                }
                Some(_) => at = (at + 1) & table.mask,
            }
        }
    }
}
