//! JSON number literals: their grammar, and which 64-bit number holds one exactly.

/// What a literal is kept as.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Int(i64),
    UInt(u64),
    Float(f64),
    /// A number that neither 64-bit integers nor doubles hold exactly, as it was written.
    Decimal,
    /// The same of a number that is whole, as its exponent shows.
    WholeDecimal,
}

/// Why a literal is not a number, and how many of its bytes are involved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadNumber {
    pub(crate) length: usize,
    pub(crate) reason: &'static str,
}

/// Every decimal with this many significant digits survives the way to a normal double and back.
const EXACT_DIGITS: usize = 15;
/// Every integer with this many digits fits `u64`.
const U64_DIGITS: usize = 19;

/// Powers of ten that a double holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// Reads an integer literal of at most 18 digits, the common case; `None` when it is anything else.
#[inline]
pub(crate) fn short_integer(bytes: &[u8]) -> Option<(i64, usize)> {
    let negative = bytes.first() == Some(&b'-');
    let start = usize::from(negative);
    let (number, at) = digits(bytes, start, 0);
    let plain = match at - start {
        1 => true,
        2..U64_DIGITS => bytes.get(start) != Some(&b'0'),
        _ => false,
    };
    if !plain || matches!(bytes.get(at), Some(b'.' | b'e' | b'E')) {
        return None;
    }
    // Eighteen digits are far from overflowing; more than that has left above.
    let number = number as i64;
    Some((if negative { -number } else { number }, at))
}

/// Reads the number literal that `bytes` start with (`-` or a digit), and tells how long it is.
pub(crate) fn scan(bytes: &[u8]) -> Result<(Number, usize), BadNumber> {
    let negative = bytes.first() == Some(&b'-');
    let start = usize::from(negative);
    let (whole, mut at) = digits(bytes, start, 0);
    let length = at - start;
    if length == 0 {
        return Err(BadNumber { length: at, reason: "a digit must follow the `-`" });
    }
    if length > 1 && bytes.get(start) == Some(&b'0') {
        return Err(BadNumber { length: at, reason: "a number has no leading zeros" });
    }
    let point = at;
    let mut mantissa = whole;
    let mut exponent = 0_i64;
    match bytes.get(at) {
        Some(b'.') => {
            (mantissa, at) = digits(bytes, at + 1, whole);
            if at == point + 1 {
                return Err(BadNumber { length: at, reason: "a digit must follow the decimal point" });
            }
            exponent = -((at - point - 1) as i64);
        }
        Some(b'e' | b'E') => {}
        _ => return Ok((integer(bytes, start, at, negative, whole), at)),
    }
    let digits_end = at;
    if let Some(b'e' | b'E') = bytes.get(at) {
        let sign = bytes.get(at + 1);
        let first = at + 1 + usize::from(matches!(sign, Some(b'+' | b'-')));
        let (size, end) = digits(bytes, first, 0);
        if end == first {
            return Err(BadNumber { length: end, reason: "a digit must follow the exponent's `e`" });
        }
        // An exponent too long to count is far outside what a double can hold, whatever its digits.
        let size = if end - first > 18 { i64::MAX / 4 } else { size as i64 };
        exponent = exponent.saturating_add(if sign == Some(&b'-') { -size } else { size });
        at = end;
    }
    let literal = bytes.get(..at).unwrap_or_default();
    let significand = bytes.get(start..digits_end).unwrap_or_default();
    // Leading and trailing zeros may push the count over: the slow path counts without them.
    if significand.len() - usize::from(digits_end > point) > EXACT_DIGITS {
        return Ok((long_fraction(literal, significand, exponent), at));
    }
    let power = POWERS.get(exponent.unsigned_abs() as usize);
    let float = match power {
        // Both operands are exact, so the one rounding is the right one.
        Some(power) if exponent < 0 => mantissa as f64 / power,
        Some(power) => mantissa as f64 * power,
        None => return Ok((long_fraction(literal, significand, exponent), at)),
    };
    Ok((Number::Float(if negative { -float } else { float }), at))
}

/// Tells whether a text is one JSON number literal.
pub(crate) fn is_json(text: &str) -> bool {
    text.starts_with(['-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
        && matches!(scan(text.as_bytes()), Ok((_, length)) if length == text.len())
}

/// Appends the digits at `at` to a number; wraps when there are too many, which the callers count.
#[inline]
fn digits(bytes: &[u8], mut at: usize, mut number: u64) -> (u64, usize) {
    while let Some(digit) = bytes.get(at).map(|byte| byte.wrapping_sub(b'0')) {
        if digit > 9 {
            break;
        }
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    (number, at)
}

#[inline]
fn integer(bytes: &[u8], start: usize, end: usize, negative: bool, number: u64) -> Number {
    let number = if end - start <= U64_DIGITS {
        number
    } else {
        let text = bytes.get(start..end).and_then(|digits| str::from_utf8(digits).ok());
        match text.and_then(|digits| digits.parse().ok()) {
            Some(number) => number,
            None => return Number::WholeDecimal,
        }
    };
    match (negative, i64::try_from(number)) {
        (false, Ok(number)) => Number::Int(number),
        (false, Err(_)) => Number::UInt(number),
        (true, Ok(number)) => Number::Int(-number),
        (true, Err(_)) if number == 1 << 63 => Number::Int(i64::MIN),
        (true, Err(_)) => Number::WholeDecimal,
    }
}

/// A literal with many digits or a large exponent, which is that of its last digit.
#[cold]
fn long_fraction(literal: &[u8], significand: &[u8], exponent: i64) -> Number {
    let decimal = if exponent >= 0 { Number::WholeDecimal } else { Number::Decimal };
    let mut significant = 0;
    let mut count = 0;
    for digit in significand.iter().filter(|byte| **byte != b'.') {
        if *digit != b'0' {
            count += 1;
            significant = count;
        } else if count > 0 {
            count += 1;
        }
    }
    if significant > EXACT_DIGITS {
        return decimal;
    }
    let float = str::from_utf8(literal).ok().and_then(|text| text.parse::<f64>().ok());
    match float {
        Some(float) if float.is_normal() || significant == 0 => Number::Float(float),
        _ => decimal,
    }
}

#[cfg(test)]
mod tests {
    use super::Number::{Decimal, Float, Int, UInt, WholeDecimal};
    use super::*;

    #[track_caller]
    fn reads(literal: &str, expected: Number) {
        assert_eq!(scan(literal.as_bytes()), Ok((expected, literal.len())), "{literal}");
    }

    #[test]
    fn integers_keep_all_64_bits() {
        reads("0", Int(0));
        reads("-0", Int(0));
        reads("-7", Int(-7));
        reads("9223372036854775807", Int(i64::MAX));
        reads("-9223372036854775808", Int(i64::MIN));
        reads("9223372036854775808", UInt(1 << 63));
        reads("18446744073709551615", UInt(u64::MAX));
        reads("18446744073709551616", WholeDecimal);
        reads("-9223372036854775809", WholeDecimal);
        reads("100000000000000000000000000", WholeDecimal);
    }

    #[test]
    fn fractions_of_up_to_fifteen_digits_are_floats() {
        reads("1.0", Float(1.0));
        reads("1e3", Float(1000.0));
        reads("1E+3", Float(1000.0));
        reads("-1.5e-3", Float(-0.0015));
        reads("0.1", Float(0.1));
        reads("123456789.012345", Float(123_456_789.012_345));
        reads("123456789.0123456", Decimal);
        reads("0.000000000000000000000000123", Float(1.23e-25));
        reads("1.500000000000000000000000", Float(1.5));
        reads("1500000000000000000000000.0", Float(1.5e24));
        reads("1e22", Float(1e22));
        reads("1e23", Float(1e23));
        reads("123456789012345e300", WholeDecimal);
        reads("123456789012345e290", Float(123_456_789_012_345e290));
        reads("3.141592653589793238", Decimal);
        reads("1234567890123456e5", WholeDecimal);
        reads("1.2089258196146292e24", WholeDecimal);
        reads("1.2089258196146292e16", WholeDecimal);
        reads("1.2089258196146292e15", Decimal);
        // Zeros at the end are not looked through: that the number is whole takes a look at its text.
        reads("1.234567890123456000e15", Decimal);
    }

    #[test]
    fn numbers_outside_the_normal_doubles_stay_text() {
        reads("1e308", Float(1e308));
        reads("1e309", WholeDecimal);
        reads("1e-307", Float(1e-307));
        reads("1e-308", Decimal);
        reads("1e-400", Decimal);
        reads("1e99999999999999999999999999", WholeDecimal);
        reads("0e99999999999999999999999999", Float(0.0));
        reads("0.0", Float(0.0));
        assert!(matches!(scan(b"-0.0"), Ok((Float(zero), 4)) if zero == 0.0 && zero.is_sign_negative()));
    }

    #[test]
    fn a_float_reads_back_as_what_the_standard_parser_reads() {
        for mantissa in ["1", "5", "12345678", "999999999999999", "4.35", "0.3", "2.2250738585072"] {
            for exponent in -330..330 {
                let literal = format!("{mantissa}e{exponent}");
                let expected: f64 = literal.parse().unwrap();
                match scan(literal.as_bytes()).unwrap().0 {
                    Float(found) => assert_eq!(found.to_bits(), expected.to_bits(), "{literal}"),
                    found => {
                        let is_decimal = matches!(found, Decimal | WholeDecimal);
                        assert!(is_decimal && !expected.is_normal(), "{literal}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_literal_that_breaks_off_says_what_is_missing() {
        for (literal, length, reason) in [
            ("-", 1, "a digit must follow the `-`"),
            ("-x", 1, "a digit must follow the `-`"),
            ("01", 2, "a number has no leading zeros"),
            ("-007", 4, "a number has no leading zeros"),
            ("1.", 2, "a digit must follow the decimal point"),
            ("1.e5", 2, "a digit must follow the decimal point"),
            ("1e", 2, "a digit must follow the exponent's `e`"),
            ("1e+", 3, "a digit must follow the exponent's `e`"),
        ] {
            assert_eq!(scan(literal.as_bytes()), Err(BadNumber { length, reason }), "{literal}");
        }
    }
}
