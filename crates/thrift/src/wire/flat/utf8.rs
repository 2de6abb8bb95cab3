//! Whether text is UTF-8, with little to do for the text that messages are full of: short, and of ASCII alone.

use super::Rest;

/// The bits that no ASCII character has.
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Takes text of so many bytes off, if it is UTF-8.
#[inline(always)]
pub(super) fn text(bytes: &[u8], len: usize) -> Rest<'_> {
    // Short text is one word with what is behind it, which does not count.
    if let (0..=8, Some(word)) = (len, bytes.first_chunk()) {
        let counts = HIGH.checked_shr(64 - 8 * len as u32).unwrap_or_default();
        if u64::from_le_bytes(*word) & counts == 0 {
            return bytes.get(len..);
        }
    }
    let (text, rest) = bytes.split_at_checked(len)?;
    // Two words that overlap are all of text that is not much longer, as are two double words.
    let is_ascii = if len <= 16 {
        match (text.first_chunk(), text.last_chunk()) {
            (Some(first), Some(last)) => (u64::from_le_bytes(*first) | u64::from_le_bytes(*last)) & HIGH == 0,
            _ => false,
        }
    } else if len <= 32 {
        match (text.first_chunk(), text.last_chunk()) {
            (Some(first), Some(last)) => {
                let all = u128::from_le_bytes(*first) | u128::from_le_bytes(*last);
                (all as u64 | (all >> 64) as u64) & HIGH == 0
            }
            _ => false,
        }
    } else {
        false
    };
    if is_ascii {
        return Some(rest);
    }
    is_utf8(text).then_some(rest)
}

/// Whether bytes are UTF-8.
#[inline(never)]
pub(crate) fn is_utf8(text: &[u8]) -> bool {
    is_ascii(text) || std::str::from_utf8(text).is_ok()
}

/// What `<[u8]>::is_ascii` says, in fewer steps for text that is not long: its last bytes are looked at twice, and none alone.
#[inline(always)]
fn is_ascii(text: &[u8]) -> bool {
    let Some(last) = text.last_chunk::<16>() else { return text.is_ascii() };
    let (chunks, _) = text.as_chunks::<16>();
    let all = chunks.iter().fold(u128::from_le_bytes(*last), |all, chunk| all | u128::from_le_bytes(*chunk));
    (all as u64 | (all >> 64) as u64) & HIGH == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every length up to some words, a stray byte at every place, and all that may stand behind the text.
    #[test]
    fn text_is_taken_off_if_the_standard_library_calls_it_utf8() {
        let behind: [&[u8]; 4] = [b"", b"a", b"\x80\xff", b"\xffbehind the text\xff"];
        for len in 0..70 {
            for stray in
                [&b""[..], b"\x80", b"\xff", "\u{e9}".as_bytes(), "\u{10ffff}".as_bytes(), b"\xed\xa0\x80"]
            {
                for at in 0..=len {
                    let mut text = vec![b'a'; len];
                    text.splice(at..at, stray.iter().copied());
                    for behind in behind {
                        let bytes = [&text, behind].concat();
                        let expected = std::str::from_utf8(&text).is_ok().then_some(behind);
                        assert_eq!(super::text(&bytes, text.len()), expected, "{bytes:?}");
                        assert_eq!(super::text(&bytes, bytes.len() + 1), None);
                    }
                    assert_eq!(is_ascii(&text), text.is_ascii());
                }
            }
        }
    }
}
