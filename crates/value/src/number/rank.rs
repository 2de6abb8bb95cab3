//! Ranks: the order of nearly all numbers as the order of two integers, found in one look at a literal.
//!
//! A rank is made of the sign, the place of the decimal point and the first 19 significant digits. A lesser
//! number has a lesser rank or the same, so that two ranks settle a comparison unless they are the same; and then
//! the numbers are equal unless one of them has more digits than that.

use super::Number;
use super::decimal::{Decimal, Digits};
use super::literal::{NumberLiteral, WORD_DIGITS, power, without_leading_zeros};

/// What makes the place of a point positive: more than any exponent and the length of any text together.
const BIAS: i64 = 1 << 61;

/// Where a number stands among all others: its sign, the power of ten above its first digit, and 19 digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank(i128);

impl Rank {
    /// Below the ranks of all literals.
    pub const LEAST: Rank = Rank(i128::MIN);
    /// Above the ranks of all literals.
    pub const GREATEST: Rank = Rank(i128::MAX);

    /// The rank of a literal; none if it is not in JSON syntax.
    #[inline]
    pub fn of_literal(text: &str) -> Option<Rank> {
        let literal = NumberLiteral::read(text)?;
        Some(match literal.word() {
            Some(word) => Rank::of_word(literal.negative, word, literal.scale()),
            None => Rank::of_many(literal.negative, literal.whole, literal.fraction, literal.scale()),
        })
    }

    /// The rank of any number; none for NaN.
    pub fn of(number: &Number<'_>) -> Option<Rank> {
        match (number.decimal(), number) {
            (Some(decimal), _) => Some(Rank::of_decimal(&decimal)),
            (None, Number::Float(f64::INFINITY)) => Some(Rank::GREATEST),
            (None, Number::Float(f64::NEG_INFINITY)) => Some(Rank::LEAST),
            (None, _) => None,
        }
    }

    #[inline]
    pub(super) fn of_decimal(decimal: &Decimal<'_>) -> Rank {
        match decimal.digits {
            Digits::Short(digits) => match u64::try_from(digits) {
                Ok(word) => Rank::of_word(decimal.negative, word, decimal.exponent),
                Err(_) => {
                    let more = digits.ilog10() + 1 - WORD_DIGITS as u32;
                    let word = (digits / 10_u128.pow(more)) as u64;
                    Rank::of_word(decimal.negative, word, decimal.exponent + i64::from(more))
                }
            },
            Digits::Long(whole, fraction) => {
                Rank::of_many(decimal.negative, whole, fraction, decimal.exponent)
            }
        }
    }

    /// The rank of an integer times a power of ten.
    #[inline]
    fn of_word(negative: bool, word: u64, scale: i64) -> Rank {
        let Some(log) = word.checked_ilog10() else { return Rank(0) };
        let digits = match power((WORD_DIGITS as u32 - 1).wrapping_sub(log)) {
            Some(missing) => word.wrapping_mul(missing),
            // A `u64` may have one digit more.
            None => word / 10,
        };
        Rank::new(negative, scale.wrapping_add(i64::from(log) + 1), digits)
    }

    /// The rank of more digits than a word holds, or of zero with as many.
    #[cold]
    fn of_many(negative: bool, whole: &[u8], fraction: &[u8], scale: i64) -> Rank {
        let whole = without_leading_zeros(whole);
        let fraction = if whole.is_empty() { without_leading_zeros(fraction) } else { fraction };
        let first = whole.iter().chain(fraction).take(WORD_DIGITS);
        let digits = first.fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'));
        Rank::new(negative, scale + (whole.len() + fraction.len()) as i64, digits)
    }

    #[inline]
    fn new(negative: bool, point: i64, digits: u64) -> Rank {
        let magnitude = i128::from(point.wrapping_add(BIAS)) << 64 | i128::from(digits);
        Rank(if negative { -magnitude } else { magnitude })
    }
}
