//! A 64-bit hash of two 32-bit lanes that feed each other, eight bytes at a time.

const A: u32 = 0x239b_961b;
const B: u32 = 0xab0e_9789;

/// Hashes bytes that come in pieces.
#[derive(Clone, Debug, Default)]
pub struct Hasher {
    low: u32,
    high: u32,
    length: u32,
    /// Bytes that do not fill a block yet.
    tail: [u8; 8],
    filled: usize,
}

/// Hashes bytes that are all there.
pub fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = Hasher::default();
    hasher.write(bytes);
    hasher.finish()
}

impl Hasher {
    /// Takes the next bytes.
    pub fn write(&mut self, mut bytes: &[u8]) {
        self.length = self.length.wrapping_add(bytes.len() as u32);
        if self.filled > 0 {
            let free = self.tail.iter_mut().skip(self.filled);
            let taken = free.zip(bytes).map(|(to, from)| *to = *from).count();
            self.filled += taken;
            bytes = bytes.get(taken..).unwrap_or_default();
            if self.filled < 8 {
                return;
            }
            self.block(self.tail);
            self.filled = 0;
        }
        let (blocks, rest) = bytes.as_chunks::<8>();
        for block in blocks {
            self.block(*block);
        }
        self.tail.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
        self.filled = rest.len();
    }

    /// The hash of all bytes taken.
    pub fn finish(&self) -> u64 {
        let (mut low, mut high) = (self.low, self.high);
        let mut tail = [0; 8];
        tail.iter_mut().zip(self.tail).take(self.filled).for_each(|(to, from)| *to = from);
        let (first, second) = words(tail);
        if self.filled > 0 {
            low ^= mix_low(first);
        }
        if self.filled > 4 {
            high ^= mix_high(second);
        }
        low ^= self.length;
        high ^= self.length;
        low = low.wrapping_add(high);
        high = high.wrapping_add(low);
        low = avalanche(low);
        high = avalanche(high);
        low = low.wrapping_add(high);
        high = high.wrapping_add(low);
        u64::from(high) << 32 | u64::from(low)
    }

    #[inline]
    fn block(&mut self, block: [u8; 8]) {
        let (first, second) = words(block);
        let low = (self.low ^ mix_low(first)).rotate_left(19).wrapping_add(self.high);
        self.low = low.wrapping_mul(5).wrapping_add(0x561c_cd1b);
        let high = (self.high ^ mix_high(second)).rotate_left(13).wrapping_add(self.low);
        self.high = high.wrapping_mul(5).wrapping_add(0x0bca_a747);
    }
}

#[inline]
fn words(block: [u8; 8]) -> (u32, u32) {
    let both = u64::from_le_bytes(block);
    (both as u32, (both >> 32) as u32)
}

#[inline]
fn mix_low(word: u32) -> u32 {
    word.wrapping_mul(A).rotate_left(15).wrapping_mul(B)
}

#[inline]
fn mix_high(word: u32) -> u32 {
    word.wrapping_mul(B).rotate_left(17).wrapping_mul(A)
}

fn avalanche(mut word: u32) -> u32 {
    word ^= word >> 16;
    word = word.wrapping_mul(0x85eb_ca6b);
    word ^= word >> 13;
    word = word.wrapping_mul(0xc2b2_ae35);
    word ^ word >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_pairs_hold() {
        assert_eq!(hash(b""), 0);
        assert_eq!(hash(b"hello-world"), 571_013_382_255_652_050);
    }

    #[test]
    fn pieces_do_not_matter() {
        let bytes: Vec<u8> = (0..100).collect();
        for size in 1..20 {
            let mut hasher = Hasher::default();
            bytes.chunks(size).for_each(|piece| hasher.write(piece));
            assert_eq!(hasher.finish(), hash(&bytes), "{size}");
        }
    }
}
