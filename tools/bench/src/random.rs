//! Reproducible chance, for documents and their mutations.

/// A generator of numbers that look random: the same seed gives the same numbers.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        // Xorshift, with a multiplication to hide its linearity.
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below a bound; zero if the bound is.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 11).checked_rem(bound as u64).unwrap_or_default() as usize
    }

    /// One of several.
    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }

    /// A word of small letters.
    pub(crate) fn word(&mut self, least: usize, most: usize) -> String {
        let length = least + self.below(most - least + 1);
        (0..length).map(|_| char::from(b'a' + self.below(26) as u8)).collect()
    }
}
