//! The core schema of YAML 1.2: what a plain scalar is.

use std::borrow::Cow;

use crate::number::{self, Number};

/// What a scalar resolves to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Scalar<'a> {
    Null,
    Bool(bool),
    /// A number, and its literal in JSON syntax.
    Number(Number, Cow<'a, str>),
    /// `.inf`, `-.inf` or `.nan`.
    NoNumber(f64),
    /// A hexadecimal or octal integer of more than 64 bits.
    TooLong,
    Text,
}

/// Resolves the text of a plain scalar.
pub(super) fn resolve(text: &str) -> Scalar<'_> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Scalar::Null,
        "true" | "True" | "TRUE" => Scalar::Bool(true),
        "false" | "False" | "FALSE" => Scalar::Bool(false),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Scalar::NoNumber(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Scalar::NoNumber(f64::NEG_INFINITY),
        ".nan" | ".NaN" | ".NAN" => Scalar::NoNumber(f64::NAN),
        _ if text.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first)) => {
            number(text).unwrap_or(Scalar::Text)
        }
        _ => Scalar::Text,
    }
}

/// A number in any of the forms that YAML has.
fn number(text: &str) -> Option<Scalar<'_>> {
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            return based(digits, radix);
        }
    }
    if let Some(number) = exact(text) {
        return Some(Scalar::Number(number, text.into()));
    }
    // JSON knows no `+`, no leading zeros and no bare decimal point.
    let (sign, unsigned) = match text.strip_prefix(['+', '-']) {
        Some(unsigned) => (if text.starts_with('-') { "-" } else { "" }, unsigned),
        None => ("", text),
    };
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => unsigned.split_at(at),
        None => (unsigned, ""),
    };
    let (whole, point, fraction) = match mantissa.split_once('.') {
        Some((whole, "")) => (whole, ".", "0"),
        Some((whole, fraction)) => (whole, ".", fraction),
        None => (mantissa, "", ""),
    };
    let is_bare = whole.is_empty() && (point.is_empty() || mantissa == ".");
    if is_bare || !whole.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let literal = format!("{sign}{whole}{point}{fraction}{exponent}");
    exact(&literal).map(|number| Scalar::Number(number, literal.into()))
}

/// A text that is a JSON number.
fn exact(text: &str) -> Option<Number> {
    if !text.starts_with(|first: char| first.is_ascii_digit() || first == '-') {
        return None;
    }
    let (number, length) = number::scan(text.as_bytes()).ok()?;
    (length == text.len()).then_some(number)
}

/// An integer with the given digits.
fn based(digits: &str, radix: u32) -> Option<Scalar<'static>> {
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    let Ok(value) = u64::from_str_radix(digits, radix) else { return Some(Scalar::TooLong) };
    let number = i64::try_from(value).map_or(Number::UInt(value), Number::Int);
    Some(Scalar::Number(number, value.to_string().into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn is_number(text: &str, number: Number, literal: &str) {
        assert_eq!(resolve(text), Scalar::Number(number, literal.into()), "{text}");
    }

    #[test]
    fn words() {
        for text in ["", "~", "null", "Null", "NULL"] {
            assert_eq!(resolve(text), Scalar::Null, "{text}");
        }
        for (text, truth) in [("true", true), ("True", true), ("FALSE", false)] {
            assert_eq!(resolve(text), Scalar::Bool(truth), "{text}");
        }
        for text in ["yes", "no", "on", "off", "y", "nULL", "tRUE", "None", "nan", "inf"] {
            assert_eq!(resolve(text), Scalar::Text, "{text}");
        }
        assert_eq!(resolve("-.INF"), Scalar::NoNumber(f64::NEG_INFINITY));
        assert!(matches!(resolve(".NaN"), Scalar::NoNumber(number) if number.is_nan()));
    }

    #[test]
    fn numbers() {
        is_number("12", Number::Int(12), "12");
        is_number("+12", Number::Int(12), "12");
        is_number("-012", Number::Int(-12), "-12");
        is_number("000", Number::Int(0), "0");
        is_number("0o17", Number::Int(15), "15");
        is_number("0x1F", Number::Int(31), "31");
        is_number("0xffffffffffffffff", Number::UInt(u64::MAX), "18446744073709551615");
        is_number("18446744073709551615", Number::UInt(u64::MAX), "18446744073709551615");
        is_number("1.5", Number::Float(1.5), "1.5");
        is_number(".5", Number::Float(0.5), "0.5");
        is_number("+5.", Number::Float(5.0), "5.0");
        is_number("5.e3", Number::Float(5000.0), "5.0e3");
        is_number("-.5E-1", Number::Float(-0.05), "-0.5E-1");
        is_number("+00.1234567890123456789", Number::Decimal, "0.1234567890123456789");
        assert_eq!(resolve("0x10000000000000000"), Scalar::TooLong);
    }

    #[test]
    fn almost_numbers_are_text() {
        for text in [
            ".",
            "-",
            "+",
            "+.",
            "-.",
            "1.2.3",
            "1e",
            "e5",
            "1_000",
            "0x",
            "0xg",
            "0o8",
            "-0x1F",
            "+0o7",
            "12a",
            "--1",
            "+-1",
            "-+1",
            "1e5.0",
            "1:30",
            "2024-01-01",
            ".e5",
            "1.5f",
            "-.inff",
            "0b1",
            "0-5",
            "+0-5.5",
            "１２",
        ] {
            assert_eq!(resolve(text), Scalar::Text, "{text}");
        }
    }
}
