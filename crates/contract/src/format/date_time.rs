//! Dates, times and durations as RFC 3339 defines them.
//!
//! - Dates are checked against the Gregorian calendar, years 0000 to 9999.
//! - Times need an offset, up to 23:59 either way. `t` and `z` may be lower-case; a space is not a separator.
//! - Second 60 is a leap second, which only happens at 23:59 UTC. Which days had one is not checked.
//! - Durations follow the grammar of appendix A: units are upper-case, whole numbers, in order and without
//!   a gap (`P1Y2D` and `PT1H2S` skip one), and weeks stand alone.

use super::scan::Scan;

pub(super) fn date(text: &str) -> bool {
    let mut scan = Scan::new(text);
    read_date(&mut scan).is_some() && scan.is_at_end()
}

pub(super) fn time(text: &str) -> bool {
    let mut scan = Scan::new(text);
    read_time(&mut scan).is_some() && scan.is_at_end()
}

pub(super) fn date_time(text: &str) -> bool {
    let mut scan = Scan::new(text);
    let read = |scan: &mut Scan<'_>| {
        read_date(scan)?;
        scan.byte_if(|byte| matches!(byte, b'T' | b't'))?;
        read_time(scan)
    };
    read(&mut scan).is_some() && scan.is_at_end()
}

pub(super) fn duration(text: &str) -> bool {
    let mut scan = Scan::new(text);
    read_duration(&mut scan).is_some() && scan.is_at_end()
}

fn read_date(scan: &mut Scan<'_>) -> Option<()> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = scan.chunk()? else { return None };
    let year = number([y1, y2])? * 100 + number([y3, y4])?;
    (1..=days_in_month(year, number([m1, m2])?)).contains(&number([d1, d2])?).then_some(())
}

/// The number that two digits make.
#[inline]
fn number([tens, ones]: [u8; 2]) -> Option<u32> {
    let (tens, ones) = (tens.wrapping_sub(b'0'), ones.wrapping_sub(b'0'));
    (tens <= 9 && ones <= 9).then(|| u32::from(tens) * 10 + u32::from(ones))
}

/// How many days a month has; zero if there is no such month.
fn days_in_month(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    }
}

fn read_time(scan: &mut Scan<'_>) -> Option<()> {
    const DAY: u32 = 24 * 60;

    let minute_of_day = read_minutes(scan)?;
    let [b':', s1, s2] = scan.chunk()? else { return None };
    let second = number([s1, s2])?;
    if scan.byte(b'.').is_some() && scan.bytes_while(|byte| byte.is_ascii_digit()) == 0 {
        return None;
    }
    let utc = match scan.byte_if(|byte| matches!(byte, b'Z' | b'z' | b'+' | b'-'))? {
        b'+' => minute_of_day + DAY - read_minutes(scan)?,
        b'-' => minute_of_day + read_minutes(scan)?,
        _ => minute_of_day,
    };
    (second < 60 || (second == 60 && utc % DAY == DAY - 1)).then_some(())
}

/// Reads `hh:mm` as minutes since midnight.
fn read_minutes(scan: &mut Scan<'_>) -> Option<u32> {
    let [h1, h2, b':', m1, m2] = scan.chunk()? else { return None };
    let (hour, minute) = (number([h1, h2])?, number([m1, m2])?);
    (hour < 24 && minute < 60).then_some(hour * 60 + minute)
}

fn read_duration(scan: &mut Scan<'_>) -> Option<()> {
    scan.byte(b'P')?;
    let mut weeks = *scan;
    if read_amount(&mut weeks) == Some(b'W') {
        *scan = weeks;
        return Some(());
    }
    let has_date = read_units(scan, b"YMD")?;
    let complete = if scan.byte(b'T').is_some() { read_units(scan, b"HMS")? } else { has_date };
    complete.then_some(())
}

/// Reads amounts in neighbouring units of a list; tells whether there was one.
fn read_units(scan: &mut Scan<'_>, units: &[u8]) -> Option<bool> {
    let mut last = None;
    loop {
        let mut ahead = *scan;
        if ahead.byte_if(|byte| byte.is_ascii_digit()).is_none() {
            return Some(last.is_some());
        }
        let unit = read_amount(scan)?;
        let position = units.iter().position(|candidate| *candidate == unit)?;
        if last.is_some_and(|last| position != last + 1) {
            return None;
        }
        last = Some(position);
    }
}

/// Reads a whole number and the letter of its unit.
fn read_amount(scan: &mut Scan<'_>) -> Option<u8> {
    (scan.bytes_while(|byte| byte.is_ascii_digit()) > 0).then_some(())?;
    scan.byte_if(|byte| byte.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use crate::format::{Format, check};

    #[test]
    fn dates_follow_the_calendar() {
        check(
            Format::Date,
            &["2024-02-29", "2000-02-29", "0000-01-01", "0000-02-29", "9999-12-31", "2023-04-30"],
            &[
                "",
                "2023-02-29",
                "1900-02-29",
                "2025-02-30",
                "2023-04-31",
                "2023-00-10",
                "2023-13-01",
                "2023-01-00",
                "2023-01-32",
                "2023-1-01",
                "23-01-01",
                "02023-01-01",
                "2023/01/01",
                "20230101",
                "2023-01-01 ",
                "2023-01-01T00:00:00Z",
                "2023-W01-1",
                "২023-01-01",
                "-2023-01-01",
            ],
        );
    }

    #[test]
    fn times_need_an_offset() {
        check(
            Format::Time,
            &[
                "00:00:00Z",
                "23:59:59.123456789+23:59",
                "12:30:00z",
                "12:30:00-00:00",
                "08:30:06.0000000000000000000000001Z",
            ],
            &[
                "",
                "12:30:00",
                "12:30Z",
                "24:00:00Z",
                "12:60:00Z",
                "12:30:61Z",
                "12:30:00.Z",
                "12:30:00,5Z",
                "12:30:00+24:00",
                "12:30:00+01:60",
                "12:30:00+0100",
                "12:30:00+01",
                "12:30:00 Z",
                "12:30:00Z+01:00",
                "1:30:00Z",
            ],
        );
    }

    #[test]
    fn leap_seconds_happen_at_the_end_of_a_utc_day() {
        check(
            Format::Time,
            &[
                "23:59:60Z",
                "23:59:60.5Z",
                "01:29:60+01:30",
                "15:59:60-08:00",
                "23:58:60+23:59",
                "00:00:60-23:59",
            ],
            &["22:59:60Z", "23:58:60Z", "23:59:60+01:00", "23:59:60-00:30", "00:00:60Z"],
        );
    }

    #[test]
    fn a_date_time_is_both() {
        check(
            Format::DateTime,
            &[
                "2024-02-29T12:30:00Z",
                "2024-02-29t12:30:00z",
                "1985-04-12T23:20:50.52Z",
                "1996-12-19T16:39:57-08:00",
                "1990-12-31T23:59:60Z",
                "1990-12-31T15:59:60-08:00",
            ],
            &[
                "",
                "2024-02-29",
                "2023-02-29T12:30:00Z",
                "2024-02-29 12:30:00Z",
                "2024-02-29T12:30:00",
                "2024-02-29T24:00:00Z",
                "2024-02-29T12:30:00Z ",
                "1990-12-31T15:59:59-24:00",
                "1998-12-31T22:59:60Z",
                "20240229T123000Z",
            ],
        );
    }

    #[test]
    fn durations_name_their_units_in_order() {
        check(
            Format::Duration,
            &[
                "P1Y",
                "P1Y2M",
                "P1Y2M3D",
                "P1M2D",
                "P0D",
                "PT0S",
                "PT36H",
                "PT1H30M",
                "PT1M2S",
                "P1DT12H",
                "P1YT5S",
                "P4W",
                "P007D",
                "P99999999999999999999999999D",
            ],
            &[
                "",
                "P",
                "PT",
                "P1DT",
                "P1",
                "1D",
                "P1H",
                "PT1D",
                "P2D1Y",
                "P1Y2D",
                "PT1H2S",
                "P1D1D",
                "P1W2D",
                "P1D2W",
                "P1WT1H",
                "P0.5D",
                "PT0,5S",
                "-P1D",
                "P-1D",
                "p1d",
                "P1D ",
                "P1DT1HT1M",
            ],
        );
    }
}
