//! Exact numbers: comparison, integer tests and divisibility that never lose a digit.
//!
//! A 64-bit integer never passes through a double, a double means the shortest decimal that reads back as
//! it (so `0.3` is a multiple of `0.1`), and a literal means what it says however long it is. Nothing here
//! allocates.
//!
//! Two consequences are worth knowing. The double 2⁶³ means 9223372036854776000, its shortest decimal, and
//! so it does not fit 64 signed bits, as the same digits in a literal would not. And a literal such as
//! `0.1000000000000000055511151231257827` is greater than the double `0.1`, though it would read as one.

mod decimal;
mod literal;
mod multiple;
mod rank;
mod wide;

#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::fmt;
use std::hash::Hasher;

pub use decimal::Decimal;
use literal::NumberLiteral;
pub use rank::Rank;

use crate::Node;

/// Up to this magnitude every integer is a double, and that double's shortest decimal is the integer.
const EXACT_IN_FLOAT: u64 = 1 << 53;

/// A number of any of the representations a value can have.
///
/// Equality and order are those of the values: `1`, `1.0` and `1e0` are equal. NaN is neither equal to nor ordered against anything.
#[derive(Clone, Copy, Debug)]
pub enum Number<'v> {
    /// A signed 64-bit integer.
    Int(i64),
    /// An unsigned 64-bit integer.
    UInt(u64),
    /// A double: the shortest decimal that reads back as it, an infinity or NaN.
    Float(f64),
    /// A decimal of any length.
    Decimal(Decimal<'v>),
}

impl<'v> Number<'v> {
    /// Takes the number out of a node; none if the node is not a number, or its literal is malformed.
    #[inline]
    pub fn from_node(node: &Node<'v>) -> Option<Number<'v>> {
        match *node {
            Node::Int(value) => Some(Number::Int(value)),
            Node::UInt(value) => Some(Number::UInt(value)),
            Node::Float(value) => Some(Number::Float(value)),
            Node::Decimal(text) => Number::parse(text),
            Node::Null
            | Node::Bool(_)
            | Node::Text(_)
            | Node::Bytes(_)
            | Node::List(_)
            | Node::Object(_)
            | Node::Unknown => None,
        }
    }

    /// Reads a number in JSON syntax.
    pub fn parse(text: &'v str) -> Option<Number<'v>> {
        let decimal = Decimal::parse(text)?;
        Some(Number::Decimal(decimal).integer().map_or(Number::Decimal(decimal), |integer| {
            match (i64::try_from(integer), u64::try_from(integer)) {
                (Ok(integer), _) => Number::Int(integer),
                (_, Ok(integer)) => Number::UInt(integer),
                _ => Number::Decimal(decimal),
            }
        }))
    }

    /// The same number for as long as one likes; none for a literal of more than 37 significant digits.
    pub fn detached(self) -> Option<Number<'static>> {
        match self {
            Number::Int(value) => Some(Number::Int(value)),
            Number::UInt(value) => Some(Number::UInt(value)),
            Number::Float(value) => Some(Number::Float(value)),
            Number::Decimal(value) => value.detached().map(Number::Decimal),
        }
    }

    /// Orders two numbers by value; none if one of them is NaN.
    #[inline]
    pub fn compare(a: &Number<'_>, b: &Number<'_>) -> Option<Ordering> {
        match (*a, *b) {
            (Number::Int(a), Number::Int(b)) => Some(a.cmp(&b)),
            // The shortest decimals of two doubles are in the order of the doubles.
            (Number::Float(a), Number::Float(b)) => a.partial_cmp(&b),
            _ => Number::compare_mixed(a, b),
        }
    }

    fn compare_mixed(a: &Number<'_>, b: &Number<'_>) -> Option<Ordering> {
        match (*a, *b) {
            (Number::Int(a), Number::Float(b)) if a.unsigned_abs() <= EXACT_IN_FLOAT => {
                return (a as f64).partial_cmp(&b);
            }
            (Number::Float(a), Number::Int(b)) if b.unsigned_abs() <= EXACT_IN_FLOAT => {
                return a.partial_cmp(&(b as f64));
            }
            (Number::Float(a), Number::Decimal(b)) => {
                if let Some(order) = compare_with_span(a, b) {
                    return Some(order);
                }
            }
            (Number::Decimal(a), Number::Float(b)) => {
                if let Some(order) = compare_with_span(b, a) {
                    return Some(order.reverse());
                }
            }
            _ => {}
        }
        if let (Some(a), Some(b)) = (a.written_integer(), b.written_integer()) {
            return Some(a.cmp(&b));
        }
        match (a.decimal(), b.decimal()) {
            (Some(a), Some(b)) => Some(a.compare(&b)),
            // At least one is NaN or infinite, and an infinity is beyond any finite stand-in.
            (a_decimal, b_decimal) => {
                let stand_in = |number: &Number<'_>, decimal: Option<Decimal<'_>>| match *number {
                    Number::Float(value) if decimal.is_none() => value,
                    _ => 0.0,
                };
                stand_in(a, a_decimal).partial_cmp(&stand_in(b, b_decimal))
            }
        }
    }

    /// Tells whether the value is a whole number, however it is written.
    pub fn is_integer(&self) -> bool {
        match self {
            Number::Int(_) | Number::UInt(_) => true,
            // The shortest decimal has a fraction exactly when the double has one.
            Number::Float(value) => value.is_finite() && value.trunc() == *value,
            Number::Decimal(value) => value.is_integer(),
        }
    }

    /// Tells whether the value is neither NaN nor infinite.
    pub fn is_finite(&self) -> bool {
        !matches!(self, Number::Float(value) if !value.is_finite())
    }

    /// Tells whether the value is a whole number in the range of a width.
    pub fn fits(&self, width: IntWidth) -> bool {
        match width.range() {
            Some(_) if width == IntWidth::Written && !matches!(self, Number::Int(_) | Number::UInt(_)) => {
                false
            }
            None => self.is_integer(),
            Some((min, max)) => self.integer().is_some_and(|value| min <= value && value <= max),
        }
    }

    /// The value as a signed 64-bit integer, if it is one.
    pub fn as_i64(&self) -> Option<i64> {
        self.integer()?.try_into().ok()
    }

    /// The value as an unsigned 64-bit integer, if it is one.
    pub fn as_u64(&self) -> Option<u64> {
        self.integer()?.try_into().ok()
    }

    /// The double nearest to the value; infinite beyond the range of doubles.
    pub fn as_f64(&self) -> f64 {
        match self {
            Number::Int(value) => *value as f64,
            Number::UInt(value) => *value as f64,
            Number::Float(value) => *value,
            Number::Decimal(value) => value.to_float().unwrap_or(f64::NAN),
        }
    }

    /// The single-precision number nearest to the value; infinite beyond their range.
    pub fn as_f32(&self) -> f32 {
        match self {
            Number::Int(value) => *value as f32,
            Number::UInt(value) => *value as f32,
            Number::Float(value) => *value as f32,
            Number::Decimal(value) => value.to_float().unwrap_or(f32::NAN),
        }
    }

    /// Tells whether the value is a whole number of divisors.
    ///
    /// Nothing is a multiple of zero, and NaN and infinities neither have multiples nor are any. A divisor
    /// of more than 1,213 significant digits is only seen to divide zero and values with the same digits.
    pub fn is_multiple_of(value: &Number<'_>, divisor: &Number<'_>) -> bool {
        if let (Number::Int(value), Number::Int(divisor)) = (value, divisor) {
            return *divisor != 0 && value.wrapping_rem(*divisor) == 0;
        }
        if let (Some(value), Some(divisor)) = (value.written_integer(), divisor.written_integer()) {
            return divisor != 0 && value % divisor == 0;
        }
        match (value.decimal(), divisor.decimal()) {
            (Some(value), Some(divisor)) => multiple::is_multiple(&value, &divisor),
            _ => false,
        }
    }

    /// Feeds the value to a hasher; numbers that are equal feed the same.
    pub fn hash_into<H: Hasher>(&self, state: &mut H) {
        match self.decimal() {
            Some(decimal) => decimal.hash_into(state),
            None => {
                let value = self.as_f64();
                state.write_u8(if value.is_nan() {
                    4
                } else if value > 0.0 {
                    3
                } else {
                    2
                });
            }
        }
    }

    /// Tells whether a literal in JSON syntax is a whole number.
    #[inline]
    pub fn is_whole_literal(text: &str) -> bool {
        match NumberLiteral::read(text) {
            // The last digit is not a fraction of one; else it and those before it may be zeros.
            Some(literal) if literal.scale() >= 0 => true,
            Some(_) => Decimal::parse(text).is_some_and(|decimal| decimal.is_integer()),
            None => false,
        }
    }

    /// A word that equal numbers share and that others seldom do; none if the node is not a number.
    ///
    /// For a literal it takes the nearest double, which the caller may know.
    #[inline]
    pub fn key(node: &Node<'_>, nearest: Option<f64>) -> Option<u64> {
        let near = match *node {
            Node::Int(value) => return Some(value as u64),
            Node::UInt(value) => return Some(value),
            Node::Float(value) => value,
            Node::Decimal(text) => match nearest {
                Some(nearest) => nearest,
                None => text.parse().ok()?,
            },
            Node::Null
            | Node::Bool(_)
            | Node::Text(_)
            | Node::Bytes(_)
            | Node::List(_)
            | Node::Object(_)
            | Node::Unknown => {
                return None;
            }
        };
        // A whole number of 64 bits, however it is written, shares the word of the integer.
        if !Number::is_fraction(near) {
            let number = Number::from_node(node)?;
            let word = number.as_i64().map(|value| value as u64).or_else(|| number.as_u64());
            return word.or(Some(near.to_bits()));
        }
        Some(near.to_bits())
    }

    /// Tells whether a double is neither a whole number nor infinite.
    #[inline]
    pub fn is_fraction(value: f64) -> bool {
        value.trunc() != value
    }

    /// The value of the two integer representations.
    fn written_integer(&self) -> Option<i128> {
        match self {
            Number::Int(value) => Some((*value).into()),
            Number::UInt(value) => Some((*value).into()),
            Number::Float(_) | Number::Decimal(_) => None,
        }
    }

    /// The value, if it is an integer and not far beyond 64 bits.
    fn integer(&self) -> Option<i128> {
        match self {
            Number::Int(value) => Some((*value).into()),
            Number::UInt(value) => Some((*value).into()),
            Number::Float(value) if value.abs() <= EXACT_IN_FLOAT as f64 => {
                (value.trunc() == *value).then_some(*value as i128)
            }
            Number::Float(value) => Decimal::from_float(*value)?.to_integer(),
            Number::Decimal(value) => value.to_integer(),
        }
    }

    /// The value in canonical form; none for NaN and infinities.
    fn decimal(&self) -> Option<Decimal<'v>> {
        match *self {
            Number::Int(value) => Some(Decimal::from_word(value < 0, value.unsigned_abs(), 0)),
            Number::UInt(value) => Some(Decimal::from_word(false, value, 0)),
            Number::Float(value) => Decimal::from_float(value),
            Number::Decimal(value) => Some(value),
        }
    }
}

/// Orders a double against a decimal that is not close to it.
///
/// What a double means rounds to that double, and rounding keeps the order of numbers. So a double beyond one end
/// of a span is on the same side of everything in it.
fn compare_with_span(double: f64, decimal: Decimal<'_>) -> Option<Ordering> {
    let (low, high) = decimal.span()?;
    if double < low {
        Some(Ordering::Less)
    } else if double > high {
        Some(Ordering::Greater)
    } else {
        None
    }
}

impl PartialEq<Number<'_>> for Number<'_> {
    fn eq(&self, other: &Number<'_>) -> bool {
        Number::compare(self, other) == Some(Ordering::Equal)
    }
}

impl PartialOrd<Number<'_>> for Number<'_> {
    fn partial_cmp(&self, other: &Number<'_>) -> Option<Ordering> {
        Number::compare(self, other)
    }
}

/// Writes the exact value in as few characters as read well; equal numbers are written alike.
impl fmt::Display for Number<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, self.decimal()) {
            (Number::Int(value), _) => value.fmt(f),
            (Number::UInt(value), _) => value.fmt(f),
            (_, Some(decimal)) => decimal.fmt(f),
            (Number::Float(value), None) if *value == f64::INFINITY => f.write_str("Infinity"),
            (Number::Float(value), None) if *value == f64::NEG_INFINITY => f.write_str("-Infinity"),
            (Number::Float(_) | Number::Decimal(_), None) => f.write_str("NaN"),
        }
    }
}

/// The range of an integer type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum IntWidth {
    /// -128 to 127.
    I8,
    /// -32,768 to 32,767.
    I16,
    /// -2,147,483,648 to 2,147,483,647.
    I32,
    /// 64 bits with a sign; `1.0` is in it.
    I64,
    /// 0 to 255.
    U8,
    /// 0 to 65,535.
    U16,
    /// 0 to 4,294,967,295.
    U32,
    /// 64 bits without a sign; `1.0` is in it.
    U64,
    /// 64 bits, signed, and written as a whole number: `1.0` is none.
    Written,
    /// Every whole number, however long; `1.0` and `1e400` are some.
    #[default]
    Any,
}

impl IntWidth {
    /// The width in words; none if there is no limit.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            IntWidth::I8 => Some("8 bits"),
            IntWidth::I16 => Some("16 bits"),
            IntWidth::I32 => Some("32 bits"),
            IntWidth::I64 | IntWidth::Written => Some("64 bits"),
            IntWidth::U8 => Some("8 bits, unsigned"),
            IntWidth::U16 => Some("16 bits, unsigned"),
            IntWidth::U32 => Some("32 bits, unsigned"),
            IntWidth::U64 => Some("64 bits, unsigned"),
            IntWidth::Any => None,
        }
    }

    /// The smallest and the largest value; none if there is no limit.
    pub const fn range(self) -> Option<(i128, i128)> {
        match self {
            IntWidth::I8 => Some((i8::MIN as i128, i8::MAX as i128)),
            IntWidth::I16 => Some((i16::MIN as i128, i16::MAX as i128)),
            IntWidth::I32 => Some((i32::MIN as i128, i32::MAX as i128)),
            IntWidth::I64 | IntWidth::Written => Some((i64::MIN as i128, i64::MAX as i128)),
            IntWidth::U8 => Some((0, u8::MAX as i128)),
            IntWidth::U16 => Some((0, u16::MAX as i128)),
            IntWidth::U32 => Some((0, u32::MAX as i128)),
            IntWidth::U64 => Some((0, u64::MAX as i128)),
            IntWidth::Any => None,
        }
    }
}
