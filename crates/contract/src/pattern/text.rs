//! Text as characters, where every byte that is not part of valid UTF-8 counts as one U+FFFD.

/// What a character beyond ASCII looks like in [`collapsed`] text: any byte that starts one would do.
const WIDE: u8 = 0xFF;

const REPLACEMENT_BYTES: [u8; 3] = [0xEF, 0xBF, 0xBD];

/// Yields the text's characters.
pub(super) fn chars(text: &[u8]) -> impl Iterator<Item = char> {
    text.utf8_chunks().flat_map(|chunk| {
        let bad = chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER);
        chunk.valid().chars().chain(bad)
    })
}

/// Yields one byte per character: ASCII as it is and [`WIDE`] for everything else.
pub(super) fn collapsed(text: &[u8]) -> impl Iterator<Item = u8> {
    text.utf8_chunks().flat_map(|chunk| {
        let valid = chunk.valid().bytes().filter(|b| !is_continuation(*b));
        let valid = valid.map(|b| if b.is_ascii() { b } else { WIDE });
        valid.chain(chunk.invalid().iter().map(|_| WIDE))
    })
}

/// Yields the text's bytes with each undecodable byte replaced by U+FFFD.
pub(super) fn repaired(text: &[u8]) -> impl Iterator<Item = u8> {
    text.utf8_chunks().flat_map(|chunk| {
        let bad = chunk.invalid().iter().flat_map(|_| REPLACEMENT_BYTES);
        chunk.valid().bytes().chain(bad)
    })
}

/// Whether `b` is a byte of a character other than its first.
fn is_continuation(b: u8) -> bool {
    b & 0xC0 == 0x80
}
