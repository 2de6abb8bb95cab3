//! Bytes as base64 text (RFC 4648): the standard alphabet to write, either to read.

use std::borrow::Cow;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::general_purpose::{self, GeneralPurpose, NO_PAD};

/// Without padding, and with whatever bits behind the last byte: other writers leave some there.
const LENIENT: GeneralPurpose = GeneralPurpose::new(&STANDARD, NO_PAD.with_decode_allow_trailing_bits(true));

/// Writes bytes in the standard alphabet, with padding.
pub fn encode(bytes: &[u8]) -> String {
    general_purpose::STANDARD.encode(bytes)
}

/// Reads either alphabet, with or without padding; `None` if the text is something else.
pub fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let body = without_padding(text);
    if body.len() < text.len() && !text.len().is_multiple_of(4) {
        return None;
    }
    let mut body = Cow::Borrowed(body);
    if body.iter().any(|digit| matches!(digit, b'-' | b'_')) {
        for digit in body.to_mut() {
            match digit {
                b'-' => *digit = b'+',
                b'_' => *digit = b'/',
                _ => {}
            }
        }
    }
    LENIENT.decode(&body).ok()
}

/// Reads the standard alphabet, and takes any padding; `None` if the text is something else.
pub(crate) fn decode_standard(text: &[u8]) -> Option<Vec<u8>> {
    LENIENT.decode(without_padding(text)).ok()
}

fn without_padding(text: &[u8]) -> &[u8] {
    text.strip_suffix(b"==").or(text.strip_suffix(b"=")).unwrap_or(text)
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
    fn the_standard_alphabet_alone_takes_any_padding() {
        for (text, bytes) in [
            ("", &b""[..]),
            ("YQ==", b"a"),
            ("YQ", b"a"),
            ("YQ=", b"a"),
            ("YR", b"a"),
            ("YWI=", b"ab"),
            ("YWI", b"ab"),
            ("YWJj", b"abc"),
            ("YWJj=", b"abc"),
            ("/+8", b"\xff\xef"),
        ] {
            assert_eq!(decode_standard(text.as_bytes()).as_deref(), Some(bytes), "{text}");
        }
        for text in ["Y", "a-_b", "Y=Q", "YQ==="] {
            assert_eq!(decode_standard(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn other_text_is_refused() {
        for text in ["Y*I=", "Y", "YWI==", "=", "YWJj=", "Y W"] {
            assert_eq!(decode(text.as_bytes()), None, "{text}");
        }
    }
}
