//! A finite decimal of any length in canonical form: sign, digits without zeros at either end, exponent.
//!
//! Up to 37 digits the coefficient is an integer; above that it stays in the text it was read from, so a
//! literal of any length costs no memory. Two decimals are equal exactly when their three parts are.

use std::cmp::Ordering;
use std::fmt::{self, Write};
use std::hash::Hasher;
use std::str::FromStr;

use super::literal::{NumberLiteral, length, power, without_leading_zeros};
use super::rank::Rank;

/// The most digits that are kept as an integer: one below what `u128` can hold, so that `r * 10 + digit`
/// of a remainder `r` cannot overflow.
pub(super) const SHORT_DIGITS: usize = 37;

/// How many significant digits decide which double is nearest; any tail beyond them only breaks ties.
const FLOAT_DIGITS: usize = 768;

/// The powers of ten that a double holds exactly.
const EXACT_POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// A finite decimal number of any length.
///
/// An exponent beyond ±2⁶⁰ is read as ±2⁶⁰; everything else is exact.
#[derive(Clone, Copy, Debug)]
pub struct Decimal<'v> {
    pub(super) negative: bool,
    pub(super) digits: Digits<'v>,
    /// The power of ten of the last digit.
    pub(super) exponent: i64,
}

/// The significant digits: the first and the last are not zero, and zero has none.
#[derive(Clone, Copy, Debug)]
pub(super) enum Digits<'v> {
    /// At most [`SHORT_DIGITS`] digits.
    Short(u128),
    /// More digits than that: ASCII text before and behind the decimal point.
    Long(&'v [u8], &'v [u8]),
}

impl<'v> Decimal<'v> {
    const ZERO: Decimal<'static> = Decimal { negative: false, digits: Digits::Short(0), exponent: 0 };

    /// Reads a number in JSON syntax.
    pub fn parse(text: &'v str) -> Option<Decimal<'v>> {
        let literal = NumberLiteral::read(text)?;
        let (negative, scale) = (literal.negative, literal.scale());
        Some(match literal.word() {
            Some(word) => Decimal::from_word(negative, word, scale),
            None => Decimal::from_parts(negative, literal.whole, literal.fraction, scale),
        })
    }

    /// Brings the parts of a literal into canonical form.
    fn from_parts(negative: bool, whole: &'v [u8], fraction: &'v [u8], mut exponent: i64) -> Decimal<'v> {
        let whole = if whole == b"0" { &[][..] } else { whole };
        let fraction = if whole.is_empty() { without_leading_zeros(fraction) } else { fraction };
        let (fraction, cut) = without_trailing_zeros(fraction);
        exponent += cut;
        let (whole, cut) = if fraction.is_empty() { without_trailing_zeros(whole) } else { (whole, 0) };
        exponent += cut;

        let digits = match whole.len() + fraction.len() {
            0 => return Decimal::ZERO,
            1..=SHORT_DIGITS => Digits::Short(
                whole.iter().chain(fraction).fold(0, |sum, digit| sum * 10 + u128::from(digit - b'0')),
            ),
            _ => Digits::Long(whole, fraction),
        };
        Decimal { negative, digits, exponent }
    }

    /// The decimal of an integer times a power of ten.
    #[inline]
    pub(super) fn from_word(negative: bool, word: u64, scale: i64) -> Decimal<'static> {
        if word == 0 {
            return Decimal::ZERO;
        }
        let (mut word, mut exponent) = (word, scale);
        while word.is_multiple_of(10) {
            word /= 10;
            exponent += 1;
        }
        Decimal { negative, digits: Digits::Short(word.into()), exponent }
    }

    /// The shortest decimal that reads back as the double; none for NaN and infinities.
    pub(super) fn from_float(value: f64) -> Option<Decimal<'static>> {
        if !value.is_finite() {
            return None;
        }
        let (negative, magnitude) = (value.is_sign_negative(), value.abs());
        // Below 2^53 every integer is a double, so none has a shorter neighbour.
        if magnitude < 9_007_199_254_740_992.0 {
            let whole = magnitude as u64;
            if whole as f64 == magnitude {
                return Some(Decimal::from_word(negative, whole, 0));
            }
            if let Some((coefficient, exponent)) = short_fraction(magnitude) {
                return Some(Decimal { negative, digits: Digits::Short(coefficient.into()), exponent });
            }
        }
        let mut text = StackText::<32>::new();
        write!(text, "{value:e}").ok()?;
        Decimal::parse(text.as_str()?)?.detached()
    }

    /// The same number without its text, if it has at most 37 significant digits.
    pub fn detached(self) -> Option<Decimal<'static>> {
        match self.digits {
            Digits::Short(coefficient) => Some(Decimal { digits: Digits::Short(coefficient), ..self }),
            Digits::Long(..) => None,
        }
    }

    pub(super) fn is_zero(&self) -> bool {
        matches!(self.digits, Digits::Short(0))
    }

    pub(super) fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// The value, if it is an integer that is not far beyond 64 bits.
    #[inline]
    pub(super) fn to_integer(self) -> Option<i128> {
        let Digits::Short(coefficient) = self.digits else { return None };
        let scale = power(u32::try_from(self.exponent).ok()?)?;
        let magnitude = i128::try_from(coefficient).ok()?.checked_mul(scale.into())?;
        Some(if self.negative { -magnitude } else { magnitude })
    }

    /// The nearest number of a floating-point type; infinite beyond its range.
    pub(super) fn to_float<F: FromStr>(self) -> Option<F> {
        let mut text = StackText::<{ FLOAT_DIGITS + 32 }>::new();
        let mut buffer = [0; SHORT_DIGITS];
        let (whole, fraction) = self.digits.spell(&mut buffer);
        if self.negative {
            text.push(b'-');
        }
        whole.iter().chain(fraction).take(FLOAT_DIGITS).for_each(|digit| text.push(*digit));
        let left_out = (whole.len() + fraction.len()).saturating_sub(FLOAT_DIGITS);
        let mut exponent = self.exponent;
        if left_out > 0 {
            // The last digit of all is not zero, so the tail as a whole is not either.
            text.push(b'1');
            exponent += left_out as i64 - 1;
        }
        if self.is_zero() {
            text.push(b'0');
        }
        write!(text, "e{exponent}").ok()?;
        text.as_str()?.parse().ok()
    }

    /// Two doubles with the value between them, if they are quickly found.
    #[inline]
    pub(super) fn span(&self) -> Option<(f64, f64)> {
        let Digits::Short(coefficient) = self.digits else { return None };
        let coefficient = u64::try_from(coefficient).ok()? as f64;
        let power = EXACT_POWERS.get(usize::try_from(self.exponent.unsigned_abs()).ok()?)?;
        // Two roundings, each by at most one part in 2⁵³; two more follow.
        let near = if self.exponent < 0 { coefficient / power } else { coefficient * power };
        let (low, high) = (near * (1.0 - 4.0 * f64::EPSILON), near * (1.0 + 4.0 * f64::EPSILON));
        Some(if self.negative { (-high, -low) } else { (low, high) })
    }

    /// The power of ten above the first digit: 3 for 123, 0 for 0.5, -1 for 0.05.
    fn point(&self) -> i64 {
        self.digits.count() + self.exponent
    }

    pub(super) fn compare(&self, other: &Decimal<'_>) -> Ordering {
        Rank::of_decimal(self).cmp(&Rank::of_decimal(other)).then_with(|| {
            // The same sign, and the same power of ten above the first digit.
            let magnitudes = self.digits.compare_as_fractions(&other.digits);
            if self.negative { magnitudes.reverse() } else { magnitudes }
        })
    }

    /// Feeds the canonical form to a hasher.
    pub(super) fn hash_into<H: Hasher>(&self, state: &mut H) {
        state.write_u8(self.negative.into());
        state.write_i64(self.exponent);
        match self.digits {
            Digits::Short(coefficient) => state.write_u128(coefficient),
            Digits::Long(whole, fraction) => {
                // Where the point stood must not show, so the digits go in groups of fixed size.
                let (mut group, mut size) = (0_u64, 0);
                for digit in whole.iter().chain(fraction) {
                    group = group * 10 + u64::from(digit - b'0');
                    size += 1;
                    if size == 19 {
                        state.write_u64(group);
                        (group, size) = (0, 0);
                    }
                }
                state.write_u64(group);
                state.write_i64(self.digits.count());
            }
        }
    }
}

impl Digits<'_> {
    /// How many digits there are.
    pub(super) fn count(&self) -> i64 {
        match self {
            Digits::Short(coefficient) => coefficient.checked_ilog10().map_or(0, |log| i64::from(log) + 1),
            Digits::Long(whole, fraction) => length(whole) + length(fraction),
        }
    }

    /// The digits as ASCII text in two parts.
    pub(super) fn spell<'b>(&'b self, buffer: &'b mut [u8; SHORT_DIGITS]) -> (&'b [u8], &'b [u8]) {
        match *self {
            Digits::Long(whole, fraction) => (whole, fraction),
            Digits::Short(mut coefficient) => {
                let mut start = SHORT_DIGITS;
                for (index, place) in buffer.iter_mut().enumerate().rev() {
                    if coefficient == 0 {
                        break;
                    }
                    *place = b'0' + (coefficient % 10) as u8;
                    coefficient /= 10;
                    start = index;
                }
                (buffer.get(start..).unwrap_or_default(), &[])
            }
        }
    }

    /// Orders two numbers as if both had their decimal point in front of the first digit.
    fn compare_as_fractions(&self, other: &Digits<'_>) -> Ordering {
        if let (Digits::Short(left), Digits::Short(right)) = (self, other) {
            let (left_count, right_count) = (self.count(), other.count());
            // Both have at most 37 digits, and so they do after padding the shorter one with zeros.
            let pad = |coefficient: u128, by: i64| {
                coefficient.saturating_mul(10_u128.saturating_pow(u32::try_from(by).unwrap_or(0)))
            };
            return pad(*left, right_count - left_count).cmp(&pad(*right, left_count - right_count));
        }
        let (mut left, mut right) = ([0; SHORT_DIGITS], [0; SHORT_DIGITS]);
        let (left, right) = (self.spell(&mut left), other.spell(&mut right));
        // There are no trailing zeros, so of two texts with a common start the longer one is greater.
        left.0.iter().chain(left.1).cmp(right.0.iter().chain(right.1))
    }
}

/// Writes the exact value: plain where that is short, with an exponent where it would be a row of zeros.
impl fmt::Display for Decimal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const PLAIN_ABOVE: i64 = -6;
        const PLAIN_UP_TO: i64 = 21;

        let mut buffer = [0; SHORT_DIGITS];
        let (whole, fraction) = self.digits.spell(&mut buffer);
        let mut digits = whole.iter().chain(fraction).map(|digit| char::from(*digit));
        let point = self.point();
        if self.negative {
            f.write_char('-')?;
        }
        if self.is_zero() {
            return f.write_char('0');
        }
        if self.exponent == 0 || (self.exponent > 0 && point <= PLAIN_UP_TO) {
            digits.try_for_each(|digit| f.write_char(digit))?;
            return (0..self.exponent).try_for_each(|_| f.write_char('0'));
        }
        if self.exponent < 0 && point > PLAIN_ABOVE {
            if point <= 0 {
                f.write_str("0.")?;
                (point..0).try_for_each(|_| f.write_char('0'))?;
            }
            let point = usize::try_from(point).unwrap_or(0);
            return digits.enumerate().try_for_each(|(index, digit)| {
                if index == point && index > 0 {
                    f.write_char('.')?;
                }
                f.write_char(digit)
            });
        }
        digits.next().map_or(Ok(()), |first| f.write_char(first))?;
        digits.enumerate().try_for_each(|(index, digit)| {
            if index == 0 {
                f.write_char('.')?;
            }
            f.write_char(digit)
        })?;
        write!(f, "e{}", point - 1)
    }
}

/// Finds the decimal of a double that has at most 15 significant digits and some behind the point.
///
/// No two such decimals read as the same double, so the first one found is also the shortest.
fn short_fraction(magnitude: f64) -> Option<(u64, i64)> {
    // The powers of ten are exact, so the division below is rounded only once, as reading a literal is.
    for (places, power) in (0..).zip(EXACT_POWERS).skip(1) {
        let scaled = magnitude * power;
        if scaled >= 1e15 {
            break;
        }
        let coefficient = (scaled + 0.5) as u64;
        if coefficient as f64 / power == magnitude {
            return Some((coefficient, -places));
        }
    }
    None
}

/// The digits before their trailing zeros, and how many zeros there were.
fn without_trailing_zeros(digits: &[u8]) -> (&[u8], i64) {
    let zeros = digits.iter().rev().take_while(|digit| **digit == b'0').count();
    let (kept, cut) = digits.split_at(digits.len() - zeros);
    (kept, length(cut))
}

/// Text of at most `N` bytes on the stack.
struct StackText<const N: usize> {
    bytes: [u8; N],
    used: usize,
}

impl<const N: usize> StackText<N> {
    fn new() -> Self {
        StackText { bytes: [0; N], used: 0 }
    }

    /// Appends one byte; what does not fit is dropped, and callers size the buffer so that all fits.
    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.used) {
            *place = byte;
            self.used += 1;
        }
    }

    fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(self.bytes.get(..self.used)?).ok()
    }
}

impl<const N: usize> Write for StackText<N> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if text.len() > N - self.used {
            return Err(fmt::Error);
        }
        text.bytes().for_each(|byte| self.push(byte));
        Ok(())
    }
}
