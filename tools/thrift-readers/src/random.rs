//! Reproducible chance.

/// A generator of numbers that look random: the same seed gives the same numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Starts with a seed.
    pub fn new(seed: u64) -> Random {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        // Seeds that are close to each other begin with numbers that are.
        (0..4).for_each(|_| _ = random.bits());
        random
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        // Xorshift, with a multiplication to hide its linearity.
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below a bound; zero if the bound is.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.bits() >> 11).checked_rem(bound as u64).unwrap_or_default() as usize
    }

    /// True once in so many times.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of several.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }
}
