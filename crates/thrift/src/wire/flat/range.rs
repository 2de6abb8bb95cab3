//! Values that one comparison decides on.

use crate::wire::WireType;

/// What passes of a number, or of text by its length: everything from the least to the greatest.
///
/// Doubles are compared as integers that are in the same order. With what else stands here, numbers of all widths
/// and text are checked by the same steps in the binary protocol: there is nothing to guess for a processor that
/// comes fresh from the system, and has forgotten what it learnt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlatRange {
    pub(super) ty: WireType,
    /// How many bytes the number takes, or the length of text.
    pub(super) size: u8,
    /// How many bits of the eight bytes at its place are none of it.
    pub(super) shift: u8,
    /// All bits but the sign where the sign of a double turns the order round, otherwise none.
    turn: i64,
    /// Whether the number is the length of what follows.
    pub(super) is_text: bool,
    /// Whether what follows must be UTF-8.
    pub(super) is_utf8: bool,
    least: i64,
    /// How many pass besides the least: one comparison then tells both ends.
    more: u64,
}

impl FlatRange {
    fn new(ty: WireType, size: u8, least: i64, most: i64) -> Option<FlatRange> {
        let shift = 64 - 8 * size;
        let more = (least <= most).then(|| most.abs_diff(least))?;
        Some(FlatRange { ty, size, shift, turn: 0, is_text: false, is_utf8: false, least, more })
    }

    /// Integers of a type; `None` if it is not a type of integers, or none passes.
    pub fn int(ty: WireType, least: i64, most: i64) -> Option<FlatRange> {
        let size = match ty {
            WireType::I8 => 1,
            WireType::I16 => 2,
            WireType::I32 => 4,
            WireType::I64 => 8,
            _ => return None,
        };
        FlatRange::new(ty, size, least, most)
    }

    /// Doubles, of which what is not a number never passes; `None` if none passes.
    pub fn double(least: f64, most: f64) -> Option<FlatRange> {
        // The two zeros are equal, and both bounds mean both.
        let least = if least == 0.0 { -0.0 } else { least };
        let most = if most == 0.0 { 0.0 } else { most };
        let range = FlatRange::new(WireType::Double, 8, order(least), order(most))?;
        Some(FlatRange { turn: i64::MAX, ..range })
    }

    /// Text by the number of its bytes; `None` if none passes.
    pub fn text(least: usize, most: usize) -> Option<FlatRange> {
        const MOST: usize = i32::MAX as usize;
        let range = FlatRange::new(WireType::String, 4, least.min(MOST + 1) as i64, most.min(MOST) as i64)?;
        Some(FlatRange { is_text: true, ..range })
    }

    /// The same text, if it is UTF-8.
    #[must_use]
    pub fn utf8(self) -> FlatRange {
        FlatRange { is_utf8: self.is_text, ..self }
    }

    /// Everything of a type, text up to a limit; `None` for types that are no numbers and no text.
    pub fn all(ty: WireType, limit: u32) -> Option<FlatRange> {
        match ty {
            WireType::String => FlatRange::text(0, limit as usize),
            WireType::Double => FlatRange::new(ty, 8, i64::MIN, i64::MAX),
            ty => FlatRange::int(ty, i64::MIN, i64::MAX),
        }
    }

    /// Whether all numbers of so many bytes pass that stand in a row.
    #[inline(always)]
    pub(super) fn holds_all<const N: usize>(&self, bytes: &[u8], number: impl Fn([u8; N]) -> i64) -> bool {
        // Doubles have eight bytes.
        let holds = |number| if N < 8 { self.holds_int(number) } else { self.holds(number) };
        bytes.as_chunks().0.iter().fold(true, |all, bytes| all & holds(number(*bytes)))
    }

    #[inline(always)]
    fn holds_int(&self, number: i64) -> bool {
        number.wrapping_sub(self.least).cast_unsigned() <= self.more
    }

    /// Whether a number passes, be it the bits of a double or a length.
    #[inline(always)]
    pub(super) fn holds(&self, number: i64) -> bool {
        self.holds_int(number ^ (number >> 63 & self.turn))
    }
}

/// The bits of a double as an integer that is less than another one if the double is.
fn order(value: f64) -> i64 {
    let bits = value.to_bits().cast_signed();
    bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_pass_as_comparisons_say() {
        let values = [
            f64::NEG_INFINITY,
            f64::MIN,
            -1.5,
            -f64::MIN_POSITIVE,
            -5e-324,
            -0.0,
            0.0,
            5e-324,
            1.0,
            f64::MAX,
            f64::INFINITY,
            f64::NAN,
            -f64::NAN,
        ];
        for least in values.into_iter().filter(|value| !value.is_nan()) {
            for most in values.into_iter().filter(|value| !value.is_nan()) {
                let range = FlatRange::double(least, most);
                for value in values {
                    let holds = range.is_some_and(|range| range.holds(value.to_bits().cast_signed()));
                    assert_eq!(holds, least <= value && value <= most, "{least} {value} {most}");
                }
            }
        }
    }

    #[test]
    fn integers_and_lengths_pass_as_comparisons_say() {
        let values = [i64::MIN, i64::MIN + 1, -1, 0, 1, 77, i64::MAX - 1, i64::MAX];
        for least in values {
            for most in values {
                let range = FlatRange::int(WireType::I64, least, most);
                for value in values {
                    let holds = range.is_some_and(|range| range.holds(value));
                    assert_eq!(holds, least <= value && value <= most, "{least} {value} {most}");
                }
            }
        }
        let range = FlatRange::text(0, usize::MAX).unwrap();
        assert!(range.holds(i32::MAX.into()) && !range.holds(-1) && !range.holds(1 << 31));
        assert_eq!(FlatRange::text(usize::MAX, usize::MAX), None);
        assert_eq!(FlatRange::text(5, 4), None);
    }
}
