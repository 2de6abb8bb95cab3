//! Numbers that are the same on every run.

/// A source of them.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below a limit.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % limit.max(1)
    }

    /// True once in so many times.
    pub(crate) fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    /// One of several.
    pub(crate) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from.get(self.below(from.len())).cloned().unwrap()
    }
}
