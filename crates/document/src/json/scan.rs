//! Finding the next byte that matters, several bytes at a time.

const ONES: u64 = u64::from_le_bytes([1; 8]);
const HIGHS: u64 = ONES << 7;

/// The offset at or behind `at` of the first `"`, `\` or control character, or of the end.
#[inline(always)]
pub(super) fn string_stop(bytes: &[u8], at: usize) -> usize {
    // Most strings end within two words, which are looked at together: where in them is not a branch.
    let Some((first, second)) = two_words(bytes, at) else { return string_tail(bytes, at) };
    let (first, second) = (string_stops(first), string_stops(second));
    if first | second == 0 {
        return long_string_stop(bytes, at + 16);
    }
    let (stops, before) = if first != 0 { (first, 0) } else { (second, 8) };
    at + before + stops.trailing_zeros() as usize / 8
}

/// The same for long strings, in blocks that the compiler turns into vectors.
#[inline(never)]
fn long_string_stop(bytes: &[u8], mut at: usize) -> usize {
    while let Some(block) = bytes.get(at..).and_then(|rest| rest.first_chunk::<32>()) {
        if block.iter().fold(false, |stop, byte| stop | is_string_stop(*byte)) {
            break;
        }
        at += 32;
    }
    while let Some(word) = word(bytes, at) {
        let stops = string_stops(word);
        if stops != 0 {
            return at + stops.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    string_tail(bytes, at)
}

/// The same, byte by byte.
#[inline(never)]
fn string_tail(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| is_string_stop(*byte)).unwrap_or(rest.len())
}

#[inline]
fn is_string_stop(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// The high bit of each byte that stops a string. A borrow may mark bytes behind a true stop as well,
/// never before the first one.
#[inline]
fn string_stops(word: u64) -> u64 {
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    let zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    (zero(quote) | zero(backslash) | control) & HIGHS
}

/// The offset at or behind `at` of the first byte that is not a blank, tab or line end.
#[inline(never)]
pub(super) fn blank_end(bytes: &[u8], mut at: usize) -> usize {
    const BLANKS: u64 = ONES * b' ' as u64;
    loop {
        match bytes.get(at) {
            Some(b' ' | b'\n' | b'\r' | b'\t') => at += 1,
            _ => return at,
        }
        // Indentation comes in runs.
        while let Some(word) = word(bytes, at) {
            let other = word ^ BLANKS;
            if other != 0 {
                at += other.trailing_zeros() as usize / 8;
                break;
            }
            at += 8;
        }
    }
}

#[inline]
fn two_words(bytes: &[u8], at: usize) -> Option<(u64, u64)> {
    let both = u128::from_le_bytes(*bytes.get(at..)?.first_chunk::<16>()?);
    Some((both as u64, (both >> 64) as u64))
}

#[inline]
fn word(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk::<8>().map(|chunk| u64::from_le_bytes(*chunk))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_at_every_offset_is_judged_alike_by_words_blocks_and_bytes() {
        for length in [0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 100] {
            for at in 0..length {
                for byte in 0..=255 {
                    let mut bytes = vec![0xc3_u8; length];
                    bytes[at] = byte;
                    let expected = if is_string_stop(byte) { at } else { length };
                    assert_eq!(string_stop(&bytes, 0), expected, "{byte:#x} at {at} of {length}");
                }
            }
        }
    }

    #[test]
    fn blanks_end_at_the_first_other_byte() {
        for text in ["", "x", " x", "\n          x", "\t\r\n \n\n                 x  ", "          "] {
            let expected = text.find('x').unwrap_or(text.len());
            assert_eq!(blank_end(text.as_bytes(), 0), expected, "{text:?}");
        }
    }
}
