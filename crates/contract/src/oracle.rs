//! The same answers from big rationals, on numbers made to meet: shared digits, shifted points, products.

use std::cmp::Ordering;
use std::hash::{DefaultHasher, Hasher};

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Pow, Zero};
use proptest::prelude::*;

use value::number::{Number, Rank};
use value::{Constant, IntWidth, Node};

use crate::members::ConstantSet;
use crate::range::Range;

/// A number together with the text that says what it means.
#[derive(Clone, Debug)]
enum Sample {
    Int(i64),
    UInt(u64),
    Float(f64),
    Literal(String),
}

impl Sample {
    fn number(&self) -> Number<'_> {
        match self {
            Sample::Int(value) => Number::Int(*value),
            Sample::UInt(value) => Number::UInt(*value),
            Sample::Float(value) => Number::Float(*value),
            Sample::Literal(text) => Number::from_node(&Node::Decimal(text)).expect("JSON syntax"),
        }
    }

    fn node(&self) -> Node<'_> {
        match self {
            Sample::Int(value) => Node::Int(*value),
            Sample::UInt(value) => Node::UInt(*value),
            Sample::Float(value) => Node::Float(*value),
            Sample::Literal(text) => Node::Decimal(text),
        }
    }

    fn constant(&self) -> Constant {
        Constant::copy(self.node(), 1).expect("a scalar")
    }

    fn rational(&self) -> BigRational {
        match self {
            Sample::Int(value) => BigInt::from(*value).into(),
            Sample::UInt(value) => BigInt::from(*value).into(),
            Sample::Float(value) => rational(&format!("{value:e}")),
            Sample::Literal(text) => rational(text),
        }
    }
}

fn rational(text: &str) -> BigRational {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: BigInt = format!("{whole}{fraction}").parse().expect("digits");
    let exponent = exponent.parse::<i32>().expect("an exponent") - fraction.len() as i32;
    let power: BigRational = Pow::pow(BigInt::from(10), exponent.unsigned_abs()).into();
    let digits = BigRational::from(digits);
    if exponent < 0 { digits / power } else { digits * power }
}

/// Writes an integer times a power of ten with the point and exponent somewhere else.
fn literal(digits: &BigInt, exponent: i32, point: usize, zeros: usize) -> String {
    let text = digits.magnitude().to_string();
    let sign = if digits < &BigInt::zero() { "-" } else { "" };
    let point = point % (text.len() + 1);
    let (whole, fraction) = text.split_at(text.len() - point);
    let whole = if whole.is_empty() { "0" } else { whole };
    let fraction = format!("{fraction}{}", "0".repeat(zeros));
    let exponent = exponent + point as i32;
    match (fraction.is_empty(), exponent) {
        (true, 0) => format!("{sign}{whole}"),
        (true, _) => format!("{sign}{whole}e{exponent}"),
        (false, _) => format!("{sign}{whole}.{fraction}E{exponent:+}"),
    }
}

fn sample() -> impl Strategy<Value = Sample> {
    prop_oneof![
        any::<i64>().prop_map(Sample::Int),
        (-20_i64..20).prop_map(Sample::Int),
        any::<u64>().prop_map(Sample::UInt),
        any::<f64>().prop_filter("finite", |value| value.is_finite()).prop_map(Sample::Float),
        (-100_000_i32..100_000, 0_i32..6)
            .prop_map(|(digits, places)| Sample::Float(f64::from(digits) / 10_f64.powi(places))),
        (53_i32..70).prop_map(|power| Sample::Float(2_f64.powi(power))),
        ("[0-9]{1,120}", -60_i32..60, any::<usize>(), 0_usize..3, any::<bool>()).prop_map(
            |(digits, exponent, point, zeros, minus)| spelled(&digits, exponent, point, zeros, minus)
        ),
        ("[0-9]{1,4}", -400_i32..400, any::<usize>(), 0_usize..3, any::<bool>()).prop_map(
            |(digits, exponent, point, zeros, minus)| spelled(&digits, exponent, point, zeros, minus)
        ),
    ]
}

fn spelled(digits: &str, exponent: i32, point: usize, zeros: usize, minus: bool) -> Sample {
    let digits: BigInt = digits.parse().expect("digits");
    Sample::Literal(literal(&if minus { -digits } else { digits }, exponent, point, zeros))
}

/// The number written as another literal, so that equal values meet.
fn respelled(sample: &Sample, point: usize, zeros: usize) -> Option<Sample> {
    let value = sample.rational();
    (0..500).find_map(|places| {
        let scaled = &value * BigRational::from(Pow::pow(BigInt::from(10), places as u32));
        scaled.is_integer().then(|| Sample::Literal(literal(&scaled.to_integer(), -places, point, zeros)))
    })
}

fn hash(number: &Number<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    number.hash_into(&mut hasher);
    hasher.finish()
}

fn multiple(value: &BigRational, divisor: &BigRational) -> bool {
    !divisor.is_zero() && (value / divisor).is_integer()
}

/// A number and another that is the same or differs in a late digit, as each kind of number can be close to one.
fn close_pair() -> impl Strategy<Value = (Sample, Sample)> {
    // Doubles with few digits and with 17, and literals with as many as a rank holds and with more.
    let number = prop_oneof![
        sample(),
        any::<f64>().prop_filter("finite", |value| value.is_finite()).prop_map(Sample::Float),
        (0_u64..1 << 53).prop_map(|bits| Sample::Float(bits as f64 / (1_u64 << 53) as f64)),
        ("[1-9][0-9]{14,22}", -40_i32..20, any::<usize>(), any::<bool>())
            .prop_map(|(digits, exponent, point, minus)| spelled(&digits, exponent, point, 0, minus)),
    ];
    (number, 0_u32..7, any::<usize>(), 0_usize..3).prop_map(|(number, way, point, zeros)| {
        let close = match (way, number.number()) {
            (0, number) => Sample::Float(number.as_f64()),
            (1, number) => Sample::Float(number.as_f64().next_up()),
            (2, number) => Sample::Float(number.as_f64().next_down()),
            // All digits of the double, which are many more than those that it means.
            (3, number) => Sample::Literal(format!("{:.1100e}", number.as_f64())),
            (4, number) => number.as_i64().map_or(Sample::Literal(number.to_string()), Sample::Int),
            (5, number) => number.as_u64().map_or(Sample::Literal(number.to_string()), Sample::UInt),
            _ => respelled(&number, point, zeros).unwrap_or_else(|| number.clone()),
        };
        match close {
            Sample::Float(value) if !value.is_finite() => (number.clone(), number),
            Sample::Literal(text) if text.contains("inf") => (number.clone(), number),
            close => (number, close),
        }
    })
}

proptest! {
    #[test]
    fn close_numbers_are_in_the_order_of_rationals((a, b) in close_pair()) {
        let expected = a.rational().cmp(&b.rational());
        prop_assert_eq!(Number::compare(&a.number(), &b.number()), Some(expected));
    }

    #[test]
    fn ranks_are_never_in_the_wrong_order((a, b) in prop_oneof![close_pair(), (sample(), sample())]) {
        let rank = |sample: &Sample| Rank::of(&sample.number()).expect("a number");
        match a.rational().cmp(&b.rational()) {
            Ordering::Less => prop_assert!(rank(&a) <= rank(&b)),
            Ordering::Equal => prop_assert_eq!(rank(&a), rank(&b)),
            Ordering::Greater => prop_assert!(rank(&a) >= rank(&b)),
        }
        let text = a.number().to_string();
        prop_assert_eq!(Rank::of_literal(&text), Some(rank(&a)));
        if let Sample::Literal(text) = &a {
            prop_assert_eq!(Rank::of_literal(text), Some(rank(&a)));
        }
    }

    #[test]
    fn equal_numbers_share_a_key_and_a_set_holds_what_equals_a_member(
        (a, b) in prop_oneof![close_pair(), (sample(), sample())],
    ) {
        let same = a.rational() == b.rational();
        prop_assert!(!same || Number::key(&a.node(), None) == Number::key(&b.node(), None));
        let (a, b, member) = (a.constant(), b.constant(), Constant::Float(0.5));
        prop_assert_eq!(ConstantSet::new([&a, &member].into_iter()).contains(&b), same || b == member);
        prop_assert_eq!(ConstantSet::new([&b, &member].into_iter()).contains(&a), same || a == member);
    }

    #[test]
    fn a_range_holds_what_rationals_are_in_it(
        (value, bound) in prop_oneof![close_pair(), (sample(), sample())],
        other in prop::option::of(sample()),
        excluded in any::<(bool, bool)>(),
        swapped in any::<bool>(),
    ) {
        let (value, bound) = if swapped { (bound, value) } else { (value, bound) };
        let is_above = |bound: &Sample, excluded: bool| match value.rational().cmp(&bound.rational()) {
            Ordering::Equal => !excluded,
            order => order == Ordering::Greater,
        };
        let is_below = |bound: &Sample, excluded: bool| match value.rational().cmp(&bound.rational()) {
            Ordering::Equal => !excluded,
            order => order == Ordering::Less,
        };
        let near = value.number().as_f64();
        let (first, second) = ((bound.constant(), excluded.0), other.as_ref().map(|other| (other.constant(), excluded.1)));
        let both = Range::new(Some(first.clone()), second.clone());
        prop_assert_eq!(
            Range::new(Some(first.clone()), second.clone()).holds(value.node()),
            is_above(&bound, excluded.0) && other.as_ref().is_none_or(|other| is_below(other, excluded.1))
        );
        prop_assert_eq!(
            Range::new(second, Some(first)).holds(value.node()),
            is_below(&bound, excluded.0) && other.as_ref().is_none_or(|other| is_above(other, excluded.1))
        );
        prop_assert!(both.decides(near).is_none_or(|decided| decided == both.holds(value.node())));
    }

    #[test]
    fn order_is_that_of_rationals(a in sample(), b in sample()) {
        let expected = a.rational().cmp(&b.rational());
        prop_assert_eq!(Number::compare(&a.number(), &b.number()), Some(expected));
    }

    #[test]
    fn neighbours_in_the_last_digit_are_told_apart(a in sample(), point in any::<usize>(), zeros in 0_usize..3) {
        let same = respelled(&a, point, zeros).expect("a decimal");
        prop_assert_eq!(a.number(), same.number());
        prop_assert_eq!(hash(&a.number()), hash(&same.number()));
        let Sample::Literal(text) = &same else { unreachable!() };
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let dot = if mantissa.contains('.') { "" } else { "." };
        let next = Sample::Literal(format!("{mantissa}{dot}001e{exponent}"));
        prop_assert_eq!(
            Number::compare(&a.number(), &next.number()),
            Some(a.rational().cmp(&next.rational()))
        );
        prop_assert_ne!(a.number(), next.number());
    }

    #[test]
    fn integers_are_those_of_rationals(a in sample()) {
        let value = a.rational();
        let number = a.number();
        prop_assert_eq!(number.is_integer(), value.is_integer());
        if let Sample::Literal(text) = &a {
            prop_assert_eq!(Number::is_whole_literal(text), value.is_integer());
        }
        let integer = value.is_integer().then(|| value.to_integer());
        let in_i64 = integer.clone().and_then(|value| i64::try_from(value).ok());
        let in_u64 = integer.and_then(|value| u64::try_from(value).ok());
        prop_assert_eq!(number.as_i64(), in_i64);
        prop_assert_eq!(number.as_u64(), in_u64);
        prop_assert_eq!(number.fits(IntWidth::I64), in_i64.is_some());
        prop_assert_eq!(number.fits(IntWidth::U8), in_u64.is_some_and(|value| value < 256));
    }

    #[test]
    fn multiples_are_those_of_rationals(a in sample(), b in sample()) {
        prop_assert_eq!(
            Number::is_multiple_of(&a.number(), &b.number()),
            multiple(&a.rational(), &b.rational())
        );
    }

    #[test]
    fn products_are_multiples_and_their_neighbours_are_not(
        a in sample(),
        factor in "[1-9][0-9]{0,50}",
        shift in 0_i32..40,
        point in any::<usize>(),
    ) {
        let factor = BigRational::from(factor.parse::<BigInt>().expect("digits"));
        let divisor = a.rational();
        // The divisor as an integer over a power of ten gives the product the same form.
        let places = (0_i32..500)
            .find(|places| (&divisor * BigRational::from(Pow::pow(BigInt::from(10), *places as u32))).is_integer())
            .expect("a decimal");
        let scale = BigRational::from(Pow::pow(BigInt::from(10), places as u32));
        let product = (&divisor * &factor * scale).to_integer();
        let above = Sample::Literal(literal(&(&product + BigInt::from(1)), shift - places, point, 0));
        let product = Sample::Literal(literal(&product, shift - places, point, 0));
        prop_assert_eq!(Number::is_multiple_of(&product.number(), &a.number()), !divisor.is_zero());
        prop_assert_eq!(
            Number::is_multiple_of(&above.number(), &a.number()),
            multiple(&above.rational(), &divisor)
        );
    }

    #[test]
    fn what_is_written_reads_back(a in sample()) {
        let text = a.number().to_string();
        prop_assert_eq!(Number::parse(&text).expect("JSON syntax"), a.number());
        prop_assert_eq!(rational(&text), a.rational());
    }

    #[test]
    fn the_nearest_double_is_what_the_standard_library_reads(digits in "-?[1-9][0-9]{0,900}", exponent in -700_i32..330) {
        let text = format!("{digits}.5e{exponent}");
        prop_assert_eq!(Number::parse(&text).expect("JSON syntax").as_f64(), text.parse::<f64>().expect("a float"));
        prop_assert_eq!(Number::parse(&text).expect("JSON syntax").as_f32(), text.parse::<f32>().expect("a float"));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[-+0-9.eE]{0,12}|\\PC{0,12}") {
        let number = Number::parse(&text);
        let float = text.parse::<f64>().ok();
        // Whatever is JSON, the standard library reads too; it reads more.
        prop_assert!(number.is_none() || float == number.map(|number| number.as_f64()));
    }
}
