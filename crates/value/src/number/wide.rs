//! Natural numbers of up to 4,032 bits (about 1,213 digits) on the stack, for divisors that long.

/// Limbs of a remainder: one more than a divisor has, so that ten times the divisor still fits.
const LIMBS: usize = 64;

/// A natural number, least significant limb first.
pub(super) struct Wide {
    limbs: [u64; LIMBS],
    /// How many limbs the number uses; at most `LIMBS - 1`.
    used: usize,
}

impl Wide {
    /// Reads decimal digits; none if there are too many.
    pub(super) fn from_digits(digits: impl Iterator<Item = u8>) -> Option<Wide> {
        let mut limbs = [0; LIMBS];
        let mut used = 0;
        for digit in digits {
            if push_digit(limbs.iter_mut().take(used + 1), digit) {
                return None;
            }
            if limbs.get(used).is_some_and(|limb| *limb != 0) {
                used += 1;
            }
            if used == LIMBS {
                return None;
            }
        }
        Some(Wide { limbs, used })
    }

    /// An upper bound of the number's length in bits.
    pub(super) fn bits(&self) -> usize {
        self.used * 64
    }

    /// Tells whether this number, which is not zero, divides the one with the given decimal digits.
    pub(super) fn divides(&self, digits: impl Iterator<Item = u8>) -> bool {
        let size = self.used + 1;
        let mut remainder = [0; LIMBS];
        for digit in digits {
            push_digit(remainder.iter_mut().take(size), digit);
            // The remainder was below the divisor, so this takes nine rounds at most.
            while !remainder.iter().take(size).rev().lt(self.limbs.iter().take(size).rev()) {
                let mut borrow = false;
                for (limb, other) in remainder.iter_mut().zip(&self.limbs).take(size) {
                    let (difference, first) = limb.overflowing_sub(*other);
                    let (difference, second) = difference.overflowing_sub(borrow.into());
                    (*limb, borrow) = (difference, first || second);
                }
            }
        }
        remainder.iter().all(|limb| *limb == 0)
    }
}

/// Makes `n` into `n * 10 + digit`; tells whether a carry was lost.
fn push_digit<'l>(limbs: impl Iterator<Item = &'l mut u64>, digit: u8) -> bool {
    let mut carry = u128::from(digit);
    for limb in limbs {
        let product = u128::from(*limb) * 10 + carry;
        *limb = product as u64;
        carry = product >> 64;
    }
    carry != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wide(text: &str) -> Option<Wide> {
        Wide::from_digits(text.bytes().map(|byte| byte - b'0'))
    }

    #[test]
    fn divides_what_fits() {
        let divisor = wide("123456789012345678901234567890123456789").unwrap();
        let product = "15241578753238836750495351562566681945005334557625361987875019051998750190521";
        assert!(divisor.divides(product.bytes().map(|byte| byte - b'0')));
        let next = "15241578753238836750495351562566681945005334557625361987875019051998750190522";
        assert!(!divisor.divides(next.bytes().map(|byte| byte - b'0')));
    }

    #[test]
    fn refuses_what_is_too_long() {
        assert!(wide(&"9".repeat(1213)).is_some());
        assert!(wide(&"9".repeat(1214)).is_none());
    }
}
