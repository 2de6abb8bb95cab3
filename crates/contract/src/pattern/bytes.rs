//! Sets of bytes, and a table with an entry for each byte.

/// A set of bytes: the ASCII half and the other half.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ByteSet {
    pub(super) low: u128,
    pub(super) high: u128,
}

impl ByteSet {
    /// The members, in ascending order.
    pub(super) fn iter(self) -> impl Iterator<Item = u8> {
        let high = ones(self.high).map(|bit| bit as u8 | 0x80);
        ones(self.low).map(|bit| bit as u8).chain(high)
    }
}

/// The indices of the bits that are set, in ascending order.
pub(super) fn ones(mut bits: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let index = bits.trailing_zeros() as usize;
        let found = bits != 0;
        bits &= bits.wrapping_sub(1);
        found.then_some(index)
    })
}

/// One small number for each byte.
#[derive(Debug)]
pub(super) struct ByteMap(Box<[u8; 256]>);

impl ByteMap {
    /// Zero for each byte.
    pub(super) fn new() -> Self {
        Self(Box::new([0; 256]))
    }

    #[inline]
    #[expect(clippy::indexing_slicing, reason = "a byte cannot be out of range of 256 entries")]
    pub(super) fn get(&self, b: u8) -> u8 {
        self.0[usize::from(b)]
    }

    /// Sets the given bits for one byte.
    #[expect(clippy::indexing_slicing, reason = "a byte cannot be out of range of 256 entries")]
    pub(super) fn add(&mut self, b: u8, bits: u8) {
        self.0[usize::from(b)] |= bits;
    }
}
