//! SHA-1, which version 5 UUIDs are made of; nothing here relies on it being hard to break.

/// The digest of some bytes.
pub(super) fn sha1(bytes: &[u8]) -> [u8; 20] {
    let mut state: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    let mut message = bytes.to_vec();
    message.push(0x80);
    while message.len() % 64 != 56 {
        message.push(0);
    }
    message.extend_from_slice(&(bytes.len() as u64 * 8).to_be_bytes());
    for block in message.as_chunks::<64>().0 {
        compress(&mut state, block);
    }
    let mut digest = [0; 20];
    let bytes = state.iter().flat_map(|word| word.to_be_bytes());
    digest.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
    digest
}

fn compress(state: &mut [u32; 5], block: &[u8; 64]) {
    // The schedule of the last sixteen words, used as a ring.
    let mut ring = [0_u32; 16];
    ring.iter_mut()
        .zip(block.as_chunks::<4>().0)
        .for_each(|(word, bytes)| *word = u32::from_be_bytes(*bytes));
    let [mut a, mut b, mut c, mut d, mut e] = *state;
    for step in 0..80 {
        let word = ring[0];
        let next = (ring[13] ^ ring[8] ^ ring[2] ^ ring[0]).rotate_left(1);
        ring.rotate_left(1);
        ring[15] = next;
        let (chosen, constant) = match step / 20 {
            0 => (b & c | !b & d, 0x5a82_7999),
            1 => (b ^ c ^ d, 0x6ed9_eba1),
            2 => (b & c | b & d | c & d, 0x8f1b_bcdc_u32),
            _ => (b ^ c ^ d, 0xca62_c1d6),
        };
        let sum =
            a.rotate_left(5).wrapping_add(chosen).wrapping_add(e).wrapping_add(constant).wrapping_add(word);
        (a, b, c, d, e) = (sum, a, b.rotate_left(30), c, d);
    }
    state.iter_mut().zip([a, b, c, d, e]).for_each(|(word, add)| *word = word.wrapping_add(add));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], expected: &str) {
        let digest: String = sha1(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest, expected);
    }

    #[test]
    fn the_published_examples_hold() {
        check(b"", "da39a3ee5e6b4b0d3255bfef95601890afd80709");
        check(b"abc", "a9993e364706816aba3e25717850c26c9cd0d89d");
        check(
            b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
        );
        check(&[b'a'; 1_000_000], "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
    }
}
