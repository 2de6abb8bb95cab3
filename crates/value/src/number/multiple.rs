//! Exact divisibility of decimals, in time bounded by the digits written and not by the exponents.
//!
//! With `value = v × 10^i` and `divisor = d × 10^j`, the question is whether `d` divides `v × 10^(i-j)`.
//! A canonical `v` does not end in zero, so a negative `i - j` settles it: no. Otherwise split
//! `d = 2^a × 5^b × rest`. Ten has no factor in common with `rest`, so `rest` has to divide `v` itself, and
//! the twos and fives of `v` together with the `i - j` that ten brings have to reach `a` and `b`.

use super::decimal::{Decimal, Digits, SHORT_DIGITS};
use super::wide::Wide;

/// Tells whether the value is a whole number of divisors.
pub(super) fn is_multiple(value: &Decimal<'_>, divisor: &Decimal<'_>) -> bool {
    if divisor.is_zero() {
        return false;
    }
    if value.is_zero() {
        return true;
    }
    let Ok(shift) = u64::try_from(value.exponent - divisor.exponent) else { return false };
    match (value.digits, divisor.digits) {
        (Digits::Short(value), Digits::Short(divisor)) => short_by_short(value, shift, divisor),
        (Digits::Long(whole, fraction), Digits::Short(divisor)) => {
            let divisor = Factors::of(divisor);
            divisor.divide(Residues::of(whole.iter().chain(fraction), divisor.rest), shift)
        }
        (value, divisor @ Digits::Long(..)) => by_long(value, shift, divisor),
    }
}

fn short_by_short(value: u128, shift: u64, divisor: u128) -> bool {
    // Nearly all numbers that people write come through here.
    if let (Ok(value), Ok(divisor), 0..=18) = (u64::try_from(value), u64::try_from(divisor), shift) {
        let scaled = u128::from(value) * 10_u128.pow(shift as u32);
        return match u64::try_from(scaled) {
            Ok(scaled) => scaled.is_multiple_of(divisor),
            Err(_) => scaled.is_multiple_of(divisor.into()),
        };
    }
    let divisor = Factors::of(divisor);
    divisor.divide(
        Residues { rest: value % divisor.rest, twos: value.trailing_zeros(), fives: Factors::fives(value).0 },
        shift,
    )
}

/// A divisor taken apart: `2^twos × 5^fives × rest`.
struct Factors {
    twos: u32,
    fives: u32,
    rest: u128,
}

impl Factors {
    /// Takes apart a number that is not zero.
    fn of(number: u128) -> Factors {
        let twos = number.trailing_zeros();
        let (fives, rest) = Factors::fives(number >> twos);
        Factors { twos, fives, rest }
    }

    /// How often five divides a number that is not zero, and what is left of it then.
    fn fives(mut number: u128) -> (u32, u128) {
        let mut fives = 0;
        while number != 0 && number.is_multiple_of(5) {
            number /= 5;
            fives += 1;
        }
        (fives, number)
    }

    fn divide(&self, value: Residues, shift: u64) -> bool {
        value.rest == 0
            && u64::from(value.twos).saturating_add(shift) >= self.twos.into()
            && u64::from(value.fives).saturating_add(shift) >= self.fives.into()
    }
}

/// What has to be known of a value to tell whether a divisor divides it.
struct Residues {
    /// The remainder by the divisor's `rest`.
    rest: u128,
    /// The number of factors two; exact up to 127, which no short divisor exceeds.
    twos: u32,
    /// The number of factors five; exact up to 52, which no short divisor exceeds.
    fives: u32,
}

impl Residues {
    fn of<'d>(digits: impl Iterator<Item = &'d u8>, divisor: u128) -> Residues {
        // The smallest power of five that is longer than a short coefficient.
        const FIVES: u128 = 5_u128.pow(53);

        let (mut rest, mut by_two, mut by_five) = (0, 0_u128, 0);
        for digit in digits {
            let digit = u128::from(digit - b'0');
            // Both remainders stay below 1.2 × 10^37: no overflow.
            rest = (rest * 10 + digit) % divisor;
            by_five = (by_five * 10 + digit) % FIVES;
            by_two = by_two.wrapping_mul(10).wrapping_add(digit);
        }
        let fives = if by_five == 0 { 53 } else { Factors::fives(by_five).0 };
        Residues { rest, twos: by_two.trailing_zeros(), fives }
    }
}

/// Divides by a divisor of 38 digits or more, by long division over the digits of the value.
fn by_long(value: Digits<'_>, shift: u64, divisor: Digits<'_>) -> bool {
    let (mut value_buffer, mut divisor_buffer) = ([0; SHORT_DIGITS], [0; SHORT_DIGITS]);
    let (value, divisor) = (value.spell(&mut value_buffer), divisor.spell(&mut divisor_buffer));
    let digits = || value.0.iter().chain(value.1).map(|digit| digit - b'0');
    let Some(divisor) = Wide::from_digits(divisor.0.iter().chain(divisor.1).map(|digit| digit - b'0')) else {
        // Too long to calculate with; what can still be seen is a value with the same digits.
        return digits().eq(divisor.0.iter().chain(divisor.1).map(|digit| digit - b'0'));
    };
    // More zeros than the divisor has factors two or five change nothing.
    let zeros = usize::try_from(shift).unwrap_or(usize::MAX).min(divisor.bits());
    divisor.divides(digits().chain(std::iter::repeat_n(0, zeros)))
}
