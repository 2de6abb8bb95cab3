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

/// The time to wait that an ISO 8601 duration says, in milliseconds; none if the text is not a duration or a negative one.
///
/// All forms of the standard: also weeks, and a fraction in the last number, with a point or a comma.
pub fn duration_in_milliseconds(text: &str) -> Option<u64> {
    let rest = text.strip_prefix('P')?;
    let (date, time) = match rest.split_once('T') {
        Some((_, "")) => return None,
        Some((date, time)) => (date, time),
        None => (rest, ""),
    };
    const UNITS: [(bool, char, u128); 7] = [
        (false, 'Y', 365 * 86_400),
        (false, 'M', 30 * 86_400),
        (false, 'W', 7 * 86_400),
        (false, 'D', 86_400),
        (true, 'H', 3600),
        (true, 'M', 60),
        (true, 'S', 1),
    ];
    let mut units = UNITS.iter();
    let mut milliseconds = 0_u128;
    let mut ended = false;
    let parts = [(false, date), (true, time)];
    let mut found = 0;
    for (in_time, mut part) in parts {
        while !part.is_empty() {
            let end = part.find(|c: char| c.is_ascii_alphabetic())?;
            let (number, rest) = part.split_at(end);
            let letter = rest.chars().next()?;
            part = rest.get(letter.len_utf8()..)?;
            let (.., size) = units.find(|(of_time, unit, _)| (*of_time, *unit) == (in_time, letter))?;
            let (whole, fraction) = number.split_once(['.', ',']).unwrap_or((number, "0"));
            let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            // Only the last number has a fraction.
            if ended || !digits(whole) || !digits(fraction) || whole.len() > 12 || fraction.len() > 12 {
                return None;
            }
            ended = number.len() != whole.len();
            let scale = 10_u128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
            milliseconds += whole.parse::<u128>().ok()? * size * 1000;
            milliseconds += fraction.parse::<u128>().ok()? * size * 1000 / scale;
            found += 1;
        }
    }
    if found == 0 { None } else { u64::try_from(milliseconds).ok() }
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
    fn waits_have_all_forms_of_the_standard() {
        for (text, milliseconds) in [
            ("PT20S", 20_000),
            ("PT0S", 0),
            ("PT0.5S", 500),
            ("PT0,25S", 250),
            ("PT1.5M", 90_000),
            ("PT1H30M", 5_400_000),
            ("P1D", 86_400_000),
            ("P1DT1H", 90_000_000),
            ("P2W", 14 * 86_400_000),
            ("P1M", 30 * 86_400_000),
            ("P1Y", 365 * 86_400_000),
            ("PT90M", 5_400_000),
        ] {
            assert_eq!(duration_in_milliseconds(text), Some(milliseconds), "{text}");
        }
        for wrong in [
            "",
            "P",
            "PT",
            "P1",
            "1D",
            "P1H",
            "PT1D",
            "P1DT",
            "P1D2Y",
            "-PT1S",
            "PT-1S",
            "p1d",
            "PTS",
            "20",
            "PT20",
            "PT1.S",
            "PT.5S",
            "PT1.5M3S",
            "PT1S ",
            "PT9999999999999S",
            "P1T1S",
            "PT1Sx",
        ] {
            assert_eq!(duration_in_milliseconds(wrong), None, "{wrong}");
        }
    }

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
