//! What exact numbers mean, one table per operation.

use std::cmp::Ordering::{self, Equal, Greater, Less};
use std::hash::{DefaultHasher, Hasher};

use super::*;

/// A number as the tables write it: a literal, or `f` and a Rust float for a double.
fn number(text: &str) -> Number<'_> {
    match text.strip_prefix('f') {
        Some(float) => Number::Float(float.parse().expect("a float")),
        None => Number::parse(text).unwrap_or_else(|| panic!("`{text}` should be a number")),
    }
}

fn hash(number: &Number<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    number.hash_into(&mut hasher);
    hasher.finish()
}

#[track_caller]
fn compares(cases: &[(&str, Option<Ordering>, &str)]) {
    for (left, expected, right) in cases {
        let (left, right) = (number(left), number(right));
        assert_eq!(Number::compare(&left, &right), *expected, "{left} against {right}");
        let reverse = expected.map(Ordering::reverse);
        assert_eq!(Number::compare(&right, &left), reverse, "{right} against {left}");
        if *expected == Some(Equal) {
            assert_eq!(hash(&left), hash(&right), "hash of {left} and {right}");
            assert_eq!(left.to_string(), right.to_string());
        }
    }
}

#[test]
fn the_same_value_is_equal_however_it_is_written() {
    compares(&[
        ("1", Some(Equal), "1.0"),
        ("1", Some(Equal), "1e0"),
        ("1", Some(Equal), "f1.0"),
        ("1000", Some(Equal), "1E+3"),
        ("0.1", Some(Equal), "f0.1"),
        ("0.1", Some(Equal), "1e-1"),
        ("0", Some(Equal), "-0"),
        ("0", Some(Equal), "0e999999999999"),
        ("1e23", Some(Equal), "f1e23"),
        ("5e-324", Some(Equal), "f5e-324"),
        ("18446744073709551615", Some(Equal), "18446744073709551615.0"),
        ("1e400", Some(Equal), "0.1e401"),
        (
            "123456789012345678901234567890123456789012345.678",
            Some(Equal),
            "1.23456789012345678901234567890123456789012345678000e44",
        ),
    ]);
    assert_eq!(number("f-0.0"), number("0"));
    assert_eq!(hash(&number("f-0.0")), hash(&number("0")));
}

#[test]
fn integers_never_pass_through_a_double() {
    compares(&[
        ("9007199254740993", Some(Greater), "9007199254740992"),
        ("9007199254740993", Some(Greater), "f9007199254740992.0"),
        ("9223372036854775807", Some(Less), "9223372036854775808"),
        ("-9223372036854775808", Some(Less), "18446744073709551615"),
        ("9223372036854775807", Some(Less), "f9223372036854775808.0"),
        ("18446744073709551615", Some(Less), "18446744073709551615.5"),
    ]);
}

#[test]
fn a_double_means_its_shortest_decimal() {
    compares(&[
        ("f0.1", Some(Less), "0.1000000000000000055511151231257827"),
        ("f1.1", Some(Equal), "1.1"),
        ("f0.30000000000000004", Some(Greater), "0.3"),
        ("f9223372036854775808.0", Some(Equal), "9223372036854776000"),
        ("f1.7976931348623157e308", Some(Less), "1e400"),
    ]);
}

#[test]
fn literals_of_any_length_compare_digit_by_digit() {
    compares(&[
        ("123456789012345678901234567890", Some(Less), "123456789012345678901234567891"),
        (
            "1.00000000000000000000000000000000000000000000000001",
            Some(Greater),
            "1.00000000000000000000000000000000000000000000000000",
        ),
        (
            "-12345678901234567890123456789012345678901",
            Some(Less),
            "-12345678901234567890123456789012345678900",
        ),
        ("1e400", Some(Less), "1e401"),
        ("-1e400", Some(Less), "1e-400"),
        ("1e-400", Some(Greater), "0"),
        ("9e99999999999", Some(Less), "1e100000000000"),
        ("33333333333333333333333333333333333334", Some(Greater), "3333333333333333333333333333333333333e1"),
    ]);
}

#[test]
fn infinities_are_beyond_all_and_nan_is_beside_them() {
    compares(&[
        ("finf", Some(Greater), "1e400"),
        ("f-inf", Some(Less), "-1e400"),
        ("f-inf", Some(Less), "-9223372036854775808"),
        ("finf", Some(Equal), "finf"),
        ("fNaN", None, "1"),
        ("fNaN", None, "1e400"),
        ("fNaN", None, "finf"),
        ("fNaN", None, "18446744073709551615"),
    ]);
    assert_ne!(number("fNaN"), number("fNaN"));
}

#[test]
fn json_syntax_is_required() {
    let bad = [
        "", "-", "+1", "01", "-01", ".5", "1.", "1.e5", "1e", "1e+", "e5", "0x10", "1 ", "1_000", "NaN",
        "--1",
    ];
    for text in bad {
        assert!(Number::parse(text).is_none(), "`{text}`");
        assert!(Number::from_node(&Node::Decimal(text)).is_none(), "`{text}`");
    }
    assert!(Number::from_node(&Node::Text("1")).is_none());
    assert_eq!(Number::from_node(&Node::UInt(7)), Some(Number::Int(7)));
}

#[test]
fn whole_numbers_are_integers_however_they_are_written() {
    for text in ["0", "1.0", "1e3", "1e400", "12.50e1", "f1e300", "-1.000", "f-0.0", "0.0e-5"] {
        assert!(number(text).is_integer(), "`{text}`");
        assert!(number(text).fits(IntWidth::Any), "`{text}`");
    }
    for text in ["0.5", "1e-1", "12.345e2", "f0.1", "finf", "fNaN", "1e-400", "f4503599627370495.5"] {
        assert!(!number(text).is_integer(), "`{text}`");
        assert!(!number(text).fits(IntWidth::Any), "`{text}`");
    }
}

#[test]
fn widths_have_exact_limits() {
    use IntWidth::*;
    let cases = [
        (I8, "-128", "127", "-129", "128"),
        (I16, "-32768", "32767", "-32769", "32768"),
        (I32, "-2147483648", "2147483647", "-2147483649", "2147483648"),
        (I64, "-9223372036854775808", "9223372036854775807", "-9223372036854775809", "9223372036854775808"),
        (U8, "0", "255", "-1", "256"),
        (U16, "0", "65535", "-1", "65536"),
        (U32, "0", "4294967295", "-1", "4294967296"),
        (U64, "0", "18446744073709551615", "-1", "18446744073709551616"),
    ];
    for (width, min, max, below, above) in cases {
        assert!(number(min).fits(width) && number(max).fits(width), "{width:?}");
        assert!(!number(below).fits(width) && !number(above).fits(width), "{width:?}");
    }
    assert!(number("f127.0").fits(I8) && number("1.27e2").fits(I8) && !number("f126.5").fits(I8));
    assert!(!number("1e400").fits(U64) && !number("finf").fits(U64));
}

#[test]
fn conversions_are_exact_or_none() {
    assert_eq!(number("1e3").as_i64(), Some(1000));
    assert_eq!(number("-1").as_u64(), None);
    assert_eq!(number("f9007199254740992").as_i64(), Some(9_007_199_254_740_992));
    assert_eq!(number("f1e18").as_i64(), Some(1_000_000_000_000_000_000));
    assert_eq!(number("f9223372036854775808").as_i64(), None);
    assert_eq!(number("18446744073709551615").as_u64(), Some(u64::MAX));
    assert_eq!(number("1.5").as_i64(), None);
}

#[test]
fn the_nearest_double_is_correctly_rounded() {
    assert_eq!(number("0.1").as_f64(), 0.1);
    assert_eq!(number("0e5").as_f64(), 0.0);
    assert_eq!(number("-2.5e-3").as_f64(), -0.0025);
    assert_eq!(number("1e400").as_f64(), f64::INFINITY);
    assert_eq!(number("-1e999999999999999999999").as_f64(), f64::NEG_INFINITY);
    assert_eq!(number("1e-400").as_f64(), 0.0);
    assert_eq!(number("3.5e38").as_f32(), f32::INFINITY);
    // Halfway between 1 and the next double, and then a digit far behind that decides.
    let half = "1.00000000000000011102230246251565404236316680908203125";
    assert_eq!(number(half).as_f64(), 1.0);
    let more = format!("{half}{}1", "0".repeat(2000));
    assert_eq!(number(&more).as_f64(), 1.0000000000000002);
}

#[test]
fn multiples_are_exact() {
    let long = "1".repeat(60);
    let holds = [
        ("9", "3"),
        ("-9", "3"),
        ("9", "-3"),
        ("0", "7"),
        ("f0.3", "f0.1"),
        ("0.3", "0.1"),
        ("f1.1", "f0.1"),
        ("f19.99", "f0.01"),
        ("4.5", "1.5"),
        ("1e400", "1e-300"),
        ("1e400", "7.8125e-3"),
        ("1e308", "1e-300"),
        ("f1e308", "0.5"),
        ("123456789e300", "0.123456789"),
        ("18446744073709551615", "5"),
        ("-9223372036854775808", "2"),
        ("-9223372036854775808", "-1"),
        ("18446744073709551615", "-5"),
        ("1e1000000000000", "1024"),
        ("340282366920938463463374607431768211456", "18446744073709551616"),
        ("1e40", "10000000000000000000000000000000000000000"),
        (&long, "11"),
        (&long, "1"),
        (&long, &long),
    ];
    for (value, divisor) in holds {
        assert!(Number::is_multiple_of(&number(value), &number(divisor)), "{value} by {divisor}");
    }
    let fails = [
        ("9", "4"),
        ("1", "0"),
        ("0", "0"),
        ("0", "0.0"),
        ("f0.35", "f0.1"),
        ("0.30000000000000001", "0.1"),
        ("1e308", "0.123456789"),
        ("1e-300", "1"),
        ("1", "2"),
        ("9007199254740993", "2"),
        ("18446744073709551615", "2"),
        ("finf", "1"),
        ("1", "finf"),
        ("fNaN", "1"),
        ("1", "fNaN"),
        (&long, "2"),
        (&long, "5"),
        ("1", &long),
    ];
    for (value, divisor) in fails {
        assert!(!Number::is_multiple_of(&number(value), &number(divisor)), "{value} by {divisor}");
    }
}

#[test]
fn a_divisor_beyond_all_reason_divides_its_own_digits() {
    let divisor = "7".repeat(2000);
    let scaled = format!("{divisor}e5");
    let twice = format!("1{}4", "5".repeat(1999));
    assert!(Number::is_multiple_of(&number(&divisor), &number(&divisor)));
    assert!(Number::is_multiple_of(&number(&scaled), &number(&divisor)));
    assert!(!Number::is_multiple_of(&number(&twice), &number(&divisor)));
}

#[test]
fn numbers_are_written_exactly_and_briefly() {
    let cases = [
        ("0", "0"),
        ("f-0.0", "0"),
        ("1.0", "1"),
        ("-12.50", "-12.5"),
        ("f0.1", "0.1"),
        ("1e20", "100000000000000000000"),
        ("1e21", "1e21"),
        ("1e400", "1e400"),
        ("0.000001", "0.000001"),
        ("0.0000001", "1e-7"),
        ("1.25e-7", "1.25e-7"),
        ("f1.7976931348623157e308", "1.7976931348623157e308"),
        ("18446744073709551616", "18446744073709551616"),
        ("123456789012345678901234567890.5", "123456789012345678901234567890.5"),
        ("finf", "Infinity"),
        ("f-inf", "-Infinity"),
        ("fNaN", "NaN"),
    ];
    for (text, expected) in cases {
        assert_eq!(number(text).to_string(), expected, "`{text}`");
    }
    let long = "12345678901234567890123456789012345678901234567890123456789";
    assert_eq!(number(long).to_string(), long);
}

#[test]
fn a_short_number_can_leave_its_text() {
    let kept = {
        let text = String::from("0.25");
        number(&text).detached()
    };
    assert_eq!(kept, Some(Number::Float(0.25)));
    assert!(number(&format!("0.{}", "3".repeat(40))).detached().is_none());
}
