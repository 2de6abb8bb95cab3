//! A set of characters: one machine word pair for ASCII, sorted ranges for the rest.
//!
//! Almost every class in a real pattern is ASCII, so the ASCII half costs no allocation. Surrogate code points are never
//! members: no text contains them, whichever way it was decoded.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

const UNORDERED_LIMIT: usize = 1 << 14;

/// The last code point.
pub(super) const MAX: u32 = 0x10_FFFF;

const SURROGATES: (u32, u32) = (0xD800, 0xDFFF);
const ALL_WIDE: [(u32, u32); 2] = [(0x80, SURROGATES.0 - 1), (SURROGATES.1 + 1, MAX)];

const KELVIN: u32 = 0x212A;
const LONG_S: u32 = 0x017F;
const UPPER: u128 = bits('A', 'Z');
const LOWER: u128 = bits('a', 'z');
const CASE_STEP: u32 = 'a' as u32 - 'A' as u32;

/// The bits of an inclusive ASCII range.
const fn bits(lo: char, hi: char) -> u128 {
    (u128::MAX << lo as u32) & (u128::MAX >> (127 - hi as u32))
}

/// A set of characters in canonical form: ranges sorted, disjoint, not touching, free of surrogates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CharSet {
    ascii: u128,
    wide: Vec<(u32, u32)>,
}

impl CharSet {
    /// The set of one character.
    pub(super) fn single(c: char) -> Self {
        let mut set = Self::default();
        set.add_range(c as u32, c as u32);
        set
    }

    /// The set of every ASCII character in the given inclusive ranges.
    pub(super) fn ascii(ranges: &[(char, char)]) -> Self {
        let ascii = ranges.iter().fold(0, |all, &(lo, hi)| all | bits(lo, hi));
        Self { ascii, wide: Vec::new() }
    }

    /// The set of every character.
    pub(super) fn any() -> Self {
        Self { ascii: u128::MAX, wide: ALL_WIDE.to_vec() }
    }

    /// The set of every character but the given ones.
    pub(super) fn all_but(excluded: &[char]) -> Self {
        let mut set = Self::default();
        for &c in excluded {
            set.add_range(c as u32, c as u32);
        }
        set.finish();
        set.negated()
    }

    /// Adds the code points from `lo` to `hi`, both included; surrogates and an inverted range add nothing.
    ///
    /// Ranges added out of order leave the set to be put in order by [`Self::finish`].
    pub(super) fn add_range(&mut self, lo: u32, hi: u32) {
        if lo > hi {
            return;
        }
        if lo < 0x80 {
            self.ascii |= (u128::MAX << lo) & (u128::MAX >> (127 - hi.min(127)));
        }
        if hi >= 0x80 {
            let lo = lo.max(0x80);
            if lo < SURROGATES.0 {
                self.push_wide(lo, hi.min(SURROGATES.0 - 1));
            }
            if hi > SURROGATES.1 {
                self.push_wide(lo.max(SURROGATES.1 + 1), hi.min(MAX));
            }
        }
    }

    /// Adds every member of `other`; the set is in order again after [`Self::finish`].
    pub(super) fn add_set(&mut self, other: &Self) {
        self.ascii |= other.ascii;
        self.wide.extend_from_slice(&other.wide);
        // Keeps a class that repeats a large property many times from growing without bound.
        if self.wide.len() > UNORDERED_LIMIT {
            self.finish();
        }
    }

    /// Restores the canonical form, once, after members were added in any order.
    pub(super) fn finish(&mut self) {
        if self.wide.windows(2).all(|pair| matches!(pair, [a, b] if a.1 + 1 < b.0)) {
            return;
        }
        self.wide.sort_unstable();
        let mut out: Vec<(u32, u32)> = Vec::with_capacity(self.wide.len());
        for &(lo, hi) in &self.wide {
            match out.last_mut() {
                Some(last) if lo <= last.1 + 1 => last.1 = last.1.max(hi),
                _ => out.push((lo, hi)),
            }
        }
        self.wide = out;
    }

    /// The characters that are not members.
    pub(super) fn negated(&self) -> Self {
        let mut gaps = Vec::with_capacity(self.wide.len() + 2);
        let mut next = 0x80;
        for &(lo, hi) in self.wide.iter().chain(std::iter::once(&(MAX + 1, MAX + 1))) {
            if next < lo {
                gaps.push((next, lo - 1));
            }
            next = hi + 1;
        }
        let mut set = Self { ascii: !self.ascii, wide: Vec::with_capacity(gaps.len() + 1) };
        for (lo, hi) in gaps {
            set.add_range(lo, hi);
        }
        set
    }

    /// The members and everything that differs from a member only by simple case folding.
    pub(super) fn folded(mut self) -> Self {
        if self.wide.is_empty() || self.has_all_wide() {
            let wide = !self.wide.is_empty();
            let letters = self.ascii & (UPPER | LOWER);
            self.ascii |= ((letters & UPPER) << CASE_STEP) | ((letters & LOWER) >> CASE_STEP);
            // Two letters have a partner outside ASCII, and only those two.
            for (small, capital, partner) in [('k', 'K', KELVIN), ('s', 'S', LONG_S)] {
                if wide {
                    self.ascii |= bits(small, small) | bits(capital, capital);
                } else if self.ascii & bits(small, small) != 0 {
                    self.add_range(partner, partner);
                }
            }
            self.finish();
            return self;
        }
        let mut class = self.to_class();
        // Fails only when the folding table is compiled out, and then the set stays as it was written.
        if class.try_case_fold_simple().is_err() {
            return self;
        }
        Self::from_class(&class)
    }

    pub(super) fn contains(&self, c: u32) -> bool {
        if c < 0x80 {
            return self.ascii >> c & 1 == 1;
        }
        let after = self.wide.partition_point(|&(lo, _)| lo <= c);
        after.checked_sub(1).and_then(|i| self.wide.get(i)).is_some_and(|&(_, hi)| c <= hi)
    }

    /// The ASCII members, bit `n` for code point `n`.
    pub(super) fn ascii_bits(&self) -> u128 {
        self.ascii
    }

    /// The members beyond ASCII, sorted.
    pub(super) fn wide(&self) -> &[(u32, u32)] {
        &self.wide
    }

    /// Whether every character beyond ASCII is a member.
    pub(super) fn has_all_wide(&self) -> bool {
        self.wide == ALL_WIDE
    }

    /// The only member, if there is exactly one.
    pub(super) fn only(&self) -> Option<char> {
        match self.wide.as_slice() {
            [] if self.ascii.count_ones() == 1 => char::from_u32(self.ascii.trailing_zeros()),
            [(lo, hi)] if self.ascii == 0 && lo == hi => char::from_u32(*lo),
            _ => None,
        }
    }

    /// The members as ranges, both ends included, in ascending order.
    pub(super) fn ranges(&self) -> Vec<(u32, u32)> {
        let mut ascii = self.ascii;
        let mut ranges = Vec::new();
        while ascii != 0 {
            let lo = ascii.trailing_zeros();
            let run = (ascii >> lo).trailing_ones();
            ranges.push((lo, lo + run - 1));
            ascii &= u128::MAX.checked_shl(lo + run).unwrap_or(0);
        }
        ranges.extend_from_slice(&self.wide);
        ranges
    }

    /// The same set in the form the general regex engine takes.
    pub(super) fn to_class(&self) -> ClassUnicode {
        ClassUnicode::new(
            self.ranges().into_iter().filter_map(|(lo, hi)| {
                Some(ClassUnicodeRange::new(char::from_u32(lo)?, char::from_u32(hi)?))
            }),
        )
    }

    /// The set that the general regex engine's class stands for.
    pub(super) fn from_class(class: &ClassUnicode) -> Self {
        let mut set = Self::default();
        for range in class.ranges() {
            set.add_range(range.start() as u32, range.end() as u32);
        }
        set
    }

    fn push_wide(&mut self, lo: u32, hi: u32) {
        match self.wide.last_mut() {
            Some(last) if last.0 <= lo && lo <= last.1 + 1 => last.1 = last.1.max(hi),
            _ => self.wide.push((lo, hi)),
        }
    }
}
