//! Text as characters, where every byte that is not part of valid UTF-8 counts as one U+FFFD.

const REPLACEMENT_BYTES: [u8; 3] = [0xEF, 0xBF, 0xBD];

/// Yields the text's characters.
pub(super) fn chars(text: &[u8]) -> impl Iterator<Item = char> + Clone {
    text.utf8_chunks().flat_map(|chunk| {
        let bad = chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER);
        chunk.valid().chars().chain(bad)
    })
}

/// Yields the text's bytes with each undecodable byte replaced by U+FFFD.
pub(super) fn repaired(text: &[u8]) -> impl Iterator<Item = u8> {
    text.utf8_chunks().flat_map(|chunk| {
        let bad = chunk.invalid().iter().flat_map(|_| REPLACEMENT_BYTES);
        chunk.valid().bytes().chain(bad)
    })
}
