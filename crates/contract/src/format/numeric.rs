//! Number formats: integer widths and floating-point ranges.
//!
//! An integer may be written with a fraction or exponent as long as it is whole: `1.0` is an `int32`. A
//! number is in a floating-point range if the nearest number of that type is finite; that some digits would
//! be lost does not matter, and NaN and infinities are in neither range.

use value::number::{IntWidth, Number};

/// Makes one check per integer format.
macro_rules! integers {
    ($($name:ident $width:ident;)+) => {
        $(pub(super) fn $name(number: &Number<'_>) -> bool {
            number.fits(IntWidth::$width)
        })+
    };
}

integers! {
    int8 I8;
    int16 I16;
    int32 I32;
    int64 I64;
    uint8 U8;
    uint16 U16;
    uint32 U32;
    uint64 U64;
}

pub(super) fn float(number: &Number<'_>) -> bool {
    number.as_f32().is_finite()
}

pub(super) fn double(number: &Number<'_>) -> bool {
    number.as_f64().is_finite()
}

#[cfg(test)]
mod tests {
    use crate::Node;
    use crate::format::Format;

    #[track_caller]
    fn check(format: Format, good: &[Node<'_>], bad: &[Node<'_>]) {
        for node in good {
            assert!(format.holds(node), "{node:?} should be of the format `{format}`");
        }
        for node in bad {
            assert!(!format.holds(node), "{node:?} should not be of the format `{format}`");
        }
    }

    #[test]
    fn integer_formats_are_exact_ranges() {
        check(
            Format::Int32,
            &[
                Node::Int(i32::MIN.into()),
                Node::Int(i32::MAX.into()),
                Node::Float(1.0),
                Node::Decimal("2.50e1"),
            ],
            &[Node::Int(1 << 31), Node::Float(0.5), Node::Decimal("1e400"), Node::Float(f64::NAN)],
        );
        check(
            Format::Int64,
            &[Node::Int(i64::MAX), Node::Int(i64::MIN), Node::Float(9_007_199_254_740_992.0)],
            &[Node::UInt(1 << 63), Node::Float(9.3e18), Node::Decimal("9223372036854775808")],
        );
        check(
            Format::UInt64,
            &[Node::Int(0), Node::UInt(u64::MAX), Node::Float(-0.0)],
            &[Node::Int(-1), Node::Decimal("18446744073709551616"), Node::Float(f64::INFINITY)],
        );
        check(Format::Int8, &[Node::Int(-128), Node::Int(127)], &[Node::Int(-129), Node::Int(128)]);
        check(Format::Int16, &[Node::Int(-32768), Node::Int(32767)], &[Node::Int(-32769), Node::Int(32768)]);
        check(Format::UInt8, &[Node::Int(0), Node::Int(255)], &[Node::Int(-1), Node::Int(256)]);
        check(Format::UInt16, &[Node::Int(65535)], &[Node::Int(65536)]);
        check(Format::UInt32, &[Node::Int(4_294_967_295)], &[Node::Int(4_294_967_296)]);
    }

    #[test]
    fn float_formats_are_ranges() {
        check(
            Format::Float,
            &[Node::Int(i64::MAX), Node::Float(3.4e38), Node::Float(0.1), Node::Decimal("1e-400")],
            &[Node::Float(3.5e38), Node::Decimal("-1e39"), Node::Float(f64::INFINITY), Node::Float(f64::NAN)],
        );
        check(
            Format::Double,
            &[Node::Float(f64::MAX), Node::Decimal("1.7976931348623157e308"), Node::UInt(u64::MAX)],
            &[Node::Decimal("1e400"), Node::Decimal("-1e309"), Node::Float(f64::NEG_INFINITY)],
        );
    }

    #[test]
    fn a_malformed_literal_is_of_no_number_format() {
        check(Format::Int32, &[], &[Node::Decimal("1_000"), Node::Decimal("")]);
        check(Format::Double, &[], &[Node::Decimal("0x10")]);
    }
}
