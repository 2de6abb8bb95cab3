//! Numbers with a fraction, as .NET's JSON writer gives them.

use std::fmt::Write;

/// The shortest digits that read back as the double, with a point or an exponent in any case.
pub(crate) fn double(value: f64) -> String {
    let mut text = general(value);
    if value.is_finite() && !text.contains(['.', 'E']) {
        text.push_str(".0");
    }
    text
}

/// The shortest digits that read back as the double: `1`, `0.5`, `1E+15`, `1.5E-07`.
pub fn general(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..15).contains(&exponent) {
        return format!("{value}");
    }
    let mut text = mantissa.to_owned();
    let sign = if exponent < 0 { '-' } else { '+' };
    // Writing to a string cannot fail.
    let _ = write!(text, "E{sign}{:02}", exponent.unsigned_abs());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_keep_their_shortest_digits() {
        for (value, expected) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.1, "0.1"),
            (-1.5, "-1.5"),
            (1000.0, "1000.0"),
            (0.0001, "0.0001"),
            (0.00001, "1E-05"),
            (1.5e-7, "1.5E-07"),
            (123_456_789_012_345.0, "123456789012345.0"),
            (1e15, "1E+15"),
            (1.234_567_890_123_456_8e18, "1.2345678901234568E+18"),
            (1e300, "1E+300"),
        ] {
            assert_eq!(double(value), expected);
        }
    }
}
