//! Numbers with a fraction, an exponent or many digits, as JSON and YAML files write them.

use arm::Value;
use contract::number::Number;

/// The value of a decimal number, also one without digits on one side of its point, or with zeros before it.
///
/// What no double holds stays as it is written, so that it is checked as it is written.
pub(super) fn decimal(text: &str) -> Option<Value> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(unsigned) => ("-", unsigned),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let power = exponent.map(|exponent| exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
    let is_number = is_digits(whole)
        && is_digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && power.is_none_or(|power| is_digits(power) && !power.is_empty());
    if !is_number {
        return None;
    }
    // As JSON spells it.
    let zeros = whole.bytes().take_while(|byte| *byte == b'0').count();
    let mut spelled = format!("{sign}{}", whole.get(zeros..).filter(|rest| !rest.is_empty()).unwrap_or("0"));
    if !fraction.is_empty() {
        spelled.push('.');
        spelled.push_str(fraction);
    }
    if let Some(exponent) = exponent {
        spelled.push('e');
        spelled.push_str(exponent);
    }
    let nearest: f64 = spelled.parse().ok()?;
    Some(match Number::parse(&spelled)? {
        exact if exact == Number::Float(nearest) => Value::Float(nearest),
        _ => Value::Decimal(spelled.into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_double_holds_is_one_and_everything_else_keeps_its_digits() {
        for (text, expected) in [
            ("1.5", "1.5"),
            (".5", "0.5"),
            ("-5.", "-5.0"),
            ("+007.5", "7.5"),
            ("1e3", "1000.0"),
            ("12345678901234567890", "12345678901234567890"),
            ("9007199254740993.5", "9007199254740993.5"),
            (".30000000000000000000001", "0.30000000000000000000001"),
            ("1e400", "1e400"),
        ] {
            assert_eq!(decimal(text).map(|value| value.to_json()).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn anything_else_is_no_number() {
        for text in ["", ".", "-", "e1", "1e", "1e+", "1.2.3", "--1", "1e1e1", "0x1", "1_0", "٣"] {
            assert!(decimal(text).is_none(), "{text}");
        }
    }
}
