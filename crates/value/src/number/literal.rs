//! A number in JSON syntax taken apart, eight digits at a time.

/// How many digits always fit `u64`.
pub(super) const WORD_DIGITS: usize = 19;

/// Exponents are clamped to this magnitude; far enough from the ends of `i64` to add text lengths freely.
const EXPONENT_LIMIT: i64 = 1 << 60;

/// The powers of ten that fit `u64`.
const POWERS: [u64; WORD_DIGITS + 1] = [
    1,
    10,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
    1_000_000_000,
    10_000_000_000,
    100_000_000_000,
    1_000_000_000_000,
    10_000_000_000_000,
    100_000_000_000_000,
    1_000_000_000_000_000,
    10_000_000_000_000_000,
    100_000_000_000_000_000,
    1_000_000_000_000_000_000,
    10_000_000_000_000_000_000,
];

/// The parts of a literal.
pub(super) struct NumberLiteral<'v> {
    pub(super) negative: bool,
    /// The digits before the decimal point.
    pub(super) whole: &'v [u8],
    /// The digits behind it.
    pub(super) fraction: &'v [u8],
    /// The exponent as it is written.
    exponent: i64,
    /// All digits as one integer, which has wrapped around if there are too many.
    digits: u64,
}

impl<'v> NumberLiteral<'v> {
    /// Reads a number in JSON syntax; none if the text is anything else.
    #[inline]
    pub(super) fn read(text: &'v str) -> Option<NumberLiteral<'v>> {
        let (negative, rest) = match text.as_bytes() {
            [b'-', rest @ ..] => (true, rest),
            rest => (false, rest),
        };
        let (digits, whole, rest) = read_digits(rest, 0);
        if matches!(whole, [] | [b'0', _, ..]) {
            return None;
        }
        let (digits, fraction, rest) = match rest {
            [b'.', rest @ ..] => match read_digits(rest, digits) {
                (_, [], _) => return None,
                read => read,
            },
            rest => (digits, &[][..], rest),
        };
        let exponent = match rest {
            [] => 0,
            [b'e' | b'E', rest @ ..] => read_exponent(rest)?,
            _ => return None,
        };
        Some(NumberLiteral { negative, whole, fraction, exponent, digits })
    }

    /// All digits as one integer, if that has at most 19.
    #[inline]
    pub(super) fn word(&self) -> Option<u64> {
        let fits = self.whole.len() + self.fraction.len() <= WORD_DIGITS
            || (self.whole == b"0" && without_leading_zeros(self.fraction).len() <= WORD_DIGITS);
        fits.then_some(self.digits)
    }

    /// The power of ten of the last digit.
    #[inline]
    pub(super) fn scale(&self) -> i64 {
        self.exponent.wrapping_sub(length(self.fraction))
    }
}

/// A power of ten, if it fits `u64`.
#[inline]
pub(super) fn power(exponent: u32) -> Option<u64> {
    POWERS.get(exponent as usize).copied()
}

/// Reads digits that follow those of a number: the longer number, the digits, and what is behind them.
#[inline]
fn read_digits(bytes: &[u8], mut number: u64) -> (u64, &[u8], &[u8]) {
    let mut rest = bytes;
    while let Some((chunk, behind)) = rest.split_first_chunk() {
        let Some(eight) = eight_digits(u64::from_le_bytes(*chunk)) else { break };
        number = number.wrapping_mul(100_000_000).wrapping_add(eight);
        rest = behind;
    }
    if let (1..8, Some(power), Some(last)) = (rest.len(), power(rest.len() as u32), bytes.last_chunk()) {
        // The last eight bytes, those that have been read as zeros.
        let read = u64::MAX >> (rest.len() * 8);
        if let Some(few) = eight_digits(u64::from_le_bytes(*last) & !read | ZEROS & read) {
            return (number.wrapping_mul(power).wrapping_add(few), bytes, &[]);
        }
    }
    while let [digit @ b'0'..=b'9', behind @ ..] = rest {
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
        rest = behind;
    }
    let (digits, rest) = bytes.split_at(bytes.len() - rest.len());
    (number, digits, rest)
}

/// Eight times the digit zero.
const ZEROS: u64 = u64::from_le_bytes(*b"00000000");

/// The number that eight ASCII digits are, the first of them in the lowest byte.
#[inline]
fn eight_digits(text: u64) -> Option<u64> {
    const UPPER: u64 = 0xf0f0_f0f0_f0f0_f0f0;
    // The upper half of a digit is that of zero, also when six is added.
    let carried = text.wrapping_add(0x0606_0606_0606_0606);
    if text & UPPER | (carried & UPPER) >> 4 != ZEROS | ZEROS >> 4 {
        return None;
    }
    // Neighbours become pairs, pairs become fours, and fours the whole; none outgrows its bits.
    let pairs = (text & !UPPER).wrapping_mul(10 << 8 | 1) >> 8 & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100 << 16 | 1) >> 16 & 0x0000_ffff_0000_ffff;
    Some(fours.wrapping_mul(10_000 << 32 | 1) >> 32)
}

fn read_exponent(bytes: &[u8]) -> Option<i64> {
    let (negative, bytes) = match bytes {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if bytes.is_empty() || !bytes.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let magnitude = bytes.iter().fold(0_i64, |sum, digit| {
        sum.saturating_mul(10).saturating_add((digit - b'0').into()).min(EXPONENT_LIMIT)
    });
    Some(if negative { -magnitude } else { magnitude })
}

pub(super) fn without_leading_zeros(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    digits.split_at(zeros).1
}

/// The length of a text; no text in memory is longer than `i64::MAX`.
#[inline]
pub(super) fn length(digits: &[u8]) -> i64 {
    digits.len() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_bytes_are_a_number_if_all_are_digits() {
        assert_eq!(eight_digits(u64::from_le_bytes(*b"12345678")), Some(12_345_678));
        assert_eq!(eight_digits(u64::from_le_bytes(*b"99999999")), Some(99_999_999));
        for at in 0..8 {
            for byte in 0..=u8::MAX {
                let mut text = *b"90909090";
                text[at] = byte;
                let expected = std::str::from_utf8(&text).ok().and_then(|text| text.parse().ok());
                let expected = expected.filter(|_| byte != b'+');
                assert_eq!(eight_digits(u64::from_le_bytes(text)), expected, "{text:?}");
            }
        }
    }

    #[test]
    fn digits_of_any_count_are_read_up_to_what_follows() {
        let digits = "1234567890123456789";
        for count in 0..=digits.len() {
            for behind in ["", ".", "e", "e5", ".25", "/", ":", "x12345678", "é"] {
                let digits = digits.split_at(count).0;
                let text = format!("{digits}{behind}");
                let number = digits.parse().unwrap_or(0);
                let (whole, rest) = text.as_bytes().split_at(count);
                assert_eq!(read_digits(text.as_bytes(), 0), (number, whole, rest), "{text}");
            }
        }
    }

    #[test]
    fn the_digits_of_a_literal_are_one_word_if_they_fit() {
        for (text, word, scale) in [
            ("0", Some(0), 0),
            ("-12.50", Some(1250), -2),
            ("0.12345678901234567", Some(12_345_678_901_234_567), -17),
            ("0.000001234567890123456789", Some(1_234_567_890_123_456_789), -24),
            ("1234567890123456789e-3", Some(1_234_567_890_123_456_789), -3),
            ("9999999999999999999", Some(9_999_999_999_999_999_999), 0),
            ("12345678901234567890", None, 0),
            ("1.2345678901234567890E+2", None, -17),
        ] {
            let literal = NumberLiteral::read(text).unwrap();
            assert_eq!((literal.word(), literal.scale()), (word, scale), "{text}");
        }
    }
}
