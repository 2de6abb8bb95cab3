//! ISO 8601 durations; a year is 365 days and a month 30, as .NET reads XML durations.

use super::calendar::{DAY, TICKS};

/// The duration in units of 100 nanoseconds; none if the text is not a duration.
pub(super) fn parse(text: &str) -> Option<i128> {
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let rest = rest.strip_prefix('P')?;
    let (date, time) = match rest.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (rest, None),
    };
    let mut seconds = 0_i128;
    let mut ticks = 0_i128;
    let mut parts = 0;
    parts += units(date, &[('Y', 365 * DAY), ('M', 30 * DAY), ('D', DAY)], &mut seconds, &mut ticks)?;
    if let Some(time) = time {
        let found = units(time, &[('H', 3600), ('M', 60), ('S', 1)], &mut seconds, &mut ticks)?;
        if found == 0 {
            return None;
        }
        parts += found;
    }
    if parts == 0 {
        return None;
    }
    let total = seconds.checked_mul(TICKS.into())?.checked_add(ticks)?;
    Some(if negative { -total } else { total })
}

/// A duration as templates write it, `PT1M30S`, in milliseconds; none if it is not one, or if it is negative.
pub fn duration_in_milliseconds(text: &str) -> Option<u64> {
    u64::try_from(parse(text)? / i128::from(TICKS / 1000)).ok()
}

/// Adds up numbers with their units, which have to come in order, and counts them.
fn units(mut text: &str, units: &[(char, i64)], seconds: &mut i128, ticks: &mut i128) -> Option<usize> {
    let mut units = units.iter();
    let mut count = 0;
    while !text.is_empty() {
        let end = text.find(|c: char| c.is_ascii_alphabetic())?;
        let (number, rest) = text.split_at(end);
        let mut rest = rest.chars();
        let letter = rest.next()?;
        text = rest.as_str();
        let (_, size) = units.find(|(unit, _)| *unit == letter)?;
        let (whole, fraction) = match number.split_once('.') {
            Some((whole, fraction)) if letter == 'S' => (whole, fraction),
            Some(_) => return None,
            None => (number, ""),
        };
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || whole.len() > 18 || !digits(whole) || !digits(fraction) {
            return None;
        }
        *seconds += whole.parse::<i128>().ok()? * i128::from(*size);
        let mut scale = i128::from(TICKS);
        for digit in fraction.bytes().take(7) {
            scale /= 10;
            *ticks += i128::from(digit - b'0') * scale;
        }
        count += 1;
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read() {
        let seconds = |text: &str| parse(text).map(|ticks| ticks / i128::from(TICKS));
        assert_eq!(seconds("P1D"), Some(86_400));
        assert_eq!(seconds("-P9D"), Some(-9 * 86_400));
        assert_eq!(seconds("P3Y2M1DT4H5M6S"), Some((3 * 365 + 2 * 30 + 1) * 86_400 + 4 * 3600 + 5 * 60 + 6));
        assert_eq!(seconds("PT96H"), Some(96 * 3600));
        assert_eq!(parse("PT0.5S"), Some(5_000_000));
        for wrong in
            ["", "P", "PT", "P1", "1D", "P1H", "PT1D", "P1DT", "P1D2Y", "P-1D", "P1.5D", "p1d", "PTS"]
        {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
