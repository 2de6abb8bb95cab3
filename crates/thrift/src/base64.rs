//! Bytes as base64 text (RFC 4648): the standard alphabet to write, either to read.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Writes bytes in the standard alphabet, with padding.
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let held =
            chunk.iter().fold(0u32, |held, byte| held << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for position in 0..4 {
            let digit = DIGITS.get((held >> (18 - 6 * position) & 63) as usize);
            match digit.filter(|_| position <= chunk.len()) {
                Some(digit) => out.push(char::from(*digit)),
                None => out.push('='),
            }
        }
    }
    out
}

/// Reads either alphabet, with or without padding; `None` if the text is something else.
pub fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let body = text.strip_suffix(b"==").or(text.strip_suffix(b"=")).unwrap_or(text);
    if body.len() % 4 == 1 || (body.len() < text.len() && !text.len().is_multiple_of(4)) {
        return None;
    }
    let mut out = Vec::with_capacity(body.len() / 4 * 3 + 2);
    let (mut held, mut bits) = (0u32, 0);
    for digit in body {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        held = held << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((held >> bits & 0xff) as u8);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_every_length_come_back() {
        let bytes: Vec<u8> = (0..=255).rev().collect();
        for length in 0..bytes.len() {
            let text = encode(&bytes[..length]);
            assert_eq!(text.len() % 4, 0, "{text}");
            assert_eq!(decode(text.as_bytes()).as_deref(), Some(&bytes[..length]), "{text}");
        }
        assert_eq!(encode(b"ab"), "YWI=");
    }

    #[test]
    fn padding_may_be_missing_and_both_alphabets_are_read() {
        assert_eq!(decode(b"YWI").as_deref(), Some(&b"ab"[..]));
        assert_eq!(decode(b"_-8=").as_deref(), Some(&[0xff, 0xef][..]));
        assert_eq!(decode(b"/+8").as_deref(), Some(&[0xff, 0xef][..]));
    }

    #[test]
    fn other_text_is_refused() {
        for text in ["Y*I=", "Y", "YWI==", "=", "YWJj=", "Y W"] {
            assert_eq!(decode(text.as_bytes()), None, "{text}");
        }
    }
}
