//! Exact decimals of a bounded number of digits: what bounds and multiples are reckoned with.

use contract::Constant;

/// A number as digits times a power of ten; the digits do not end in a zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Dec {
    pub(crate) digits: i128,
    pub(crate) exponent: i32,
}

impl Dec {
    pub(crate) const ONE: Dec = Dec { digits: 1, exponent: 0 };

    /// The number that a constant is; none if it is none, or has too many digits.
    pub(crate) fn of(constant: &Constant) -> Option<Dec> {
        match constant {
            Constant::Int(value) => Some(Dec::new((*value).into(), 0)),
            Constant::UInt(value) => Some(Dec::new((*value).into(), 0)),
            Constant::Float(value) if value.is_finite() => Dec::parse(&format!("{value:e}")),
            Constant::Decimal(text) => Dec::parse(text),
            _ => None,
        }
    }

    pub(crate) fn new(mut digits: i128, mut exponent: i32) -> Dec {
        if digits == 0 {
            return Dec { digits, exponent: 0 };
        }
        while digits % 10 == 0 {
            digits /= 10;
            exponent += 1;
        }
        Dec { digits, exponent }
    }

    fn parse(text: &str) -> Option<Dec> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        if exponent.abs() > 400 {
            return None;
        }
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let fraction = fraction.trim_end_matches('0');
        let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
        Some(Dec::new(digits, exponent - i32::try_from(fraction.len()).ok()?))
    }

    /// The digits when the last of them stands at a power of ten; none if there are too many.
    pub(crate) fn at(self, exponent: i32) -> Option<i128> {
        let by = u32::try_from(self.exponent - exponent).ok()?;
        if self.digits == 0 {
            return Some(0);
        }
        self.digits.checked_mul(10_i128.checked_pow(by)?)
    }

    /// The number as a constant.
    pub(crate) fn constant(self) -> Constant {
        if let Some(whole) = self.at(0) {
            return match (i64::try_from(whole), u64::try_from(whole)) {
                (Ok(value), _) => Constant::Int(value),
                (_, Ok(value)) => Constant::UInt(value),
                _ => Constant::Decimal(whole.to_string().into()),
            };
        }
        let text = format!("{}e{}", self.digits, self.exponent);
        match text.parse::<f64>() {
            Ok(value) if Dec::of(&Constant::Float(value)) == Some(self) => Constant::Float(value),
            _ => Constant::Decimal(text.into()),
        }
    }
}

/// The greatest common divisor of two numbers that are not both zero.
pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}
