//! Characters that a pattern does not tell apart, as one class each: the alphabet an automaton works on.

use super::bytes::{ByteMap, ByteSet};
use super::positions::{Positions, Set};

/// The class of each character.
#[derive(Debug)]
pub(super) struct Alphabet {
    /// For ASCII characters; other bytes are in the class that nothing takes.
    ascii: ByteMap,
    /// Where a class begins beyond ASCII, in ascending order; none if all of them are in the class that nothing takes.
    wide: Box<[(u32, u8)]>,
}

impl Alphabet {
    /// Divides all characters and tells for each class which positions take its members. `None` is too many classes.
    pub(super) fn new(positions: &Positions<'_>) -> Option<(Self, Vec<Set>)> {
        // Splits one class of all ASCII characters by each set in turn.
        let mut classes: Vec<(u128, Set)> = Vec::with_capacity(16);
        classes.push((u128::MAX, 0));
        for (set, users) in &positions.sets {
            for index in 0..classes.len() {
                let Some((members, taken_by)) = classes.get_mut(index) else { continue };
                let (inside, outside) = (*members & set.ascii_bits(), *members & !set.ascii_bits());
                if inside == 0 {
                    continue;
                }
                let without = *taken_by;
                (*members, *taken_by) = (inside, without | users);
                if outside != 0 {
                    classes.push((outside, without));
                }
            }
        }
        let mut ascii = ByteMap::new();
        let none = class_of(&mut classes, 0)?;
        ByteSet { low: 0, high: u128::MAX }.iter().for_each(|b| ascii.add(b, none));
        let mut starts: Vec<u32> = Vec::new();
        for (set, _) in &positions.sets {
            starts.extend(set.wide().iter().flat_map(|&(lo, hi)| [lo, hi + 1]));
        }
        starts.sort_unstable();
        starts.dedup();
        let mut wide = Vec::with_capacity(starts.len());
        for start in starts {
            let users = positions.sets.iter().filter(|(set, _)| set.contains(start));
            let class = class_of(&mut classes, users.fold(0, |all, (_, users)| all | users))?;
            if wide.last().is_none_or(|&(_, last)| last != class) {
                wide.push((start, class));
            }
        }
        // What comes before the first start is taken by nothing.
        if wide.first().is_some_and(|&(start, _)| start > 0x80) {
            wide.insert(0, (0x80, none));
        }
        for (class, (members, _)) in classes.iter().enumerate() {
            let class = u8::try_from(class).ok()?;
            ByteSet { low: *members, high: 0 }.iter().for_each(|b| ascii.add(b, class));
        }
        let taken_by = classes.into_iter().map(|(_, taken_by)| taken_by).collect();
        Some((Self { ascii, wide: wide.into() }, taken_by))
    }

    /// Whether characters beyond ASCII differ from each other or can be part of a match.
    pub(super) fn has_wide(&self) -> bool {
        !self.wide.is_empty()
    }

    /// The class of an ASCII character, or of a byte that nothing takes.
    #[inline]
    pub(super) fn of_byte(&self, b: u8) -> u8 {
        self.ascii.get(b)
    }

    /// The class of any character.
    pub(super) fn of_char(&self, c: char) -> u8 {
        if let Ok(b @ 0..0x80) = u8::try_from(c) {
            return self.of_byte(b);
        }
        let after = self.wide.partition_point(|&(start, _)| start <= u32::from(c));
        let found = after.checked_sub(1).and_then(|i| self.wide.get(i));
        found.map_or(0, |&(_, class)| class)
    }
}

/// The number of the class whose members are taken by exactly these positions.
fn class_of(classes: &mut Vec<(u128, Set)>, taken_by: Set) -> Option<u8> {
    let known = classes.iter().position(|(_, known)| *known == taken_by);
    let index = known.unwrap_or(classes.len());
    if known.is_none() {
        classes.push((0, taken_by));
    }
    u8::try_from(index).ok()
}
