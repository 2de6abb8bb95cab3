//! Moments and durations as the REST API writes them, in milliseconds. People read the words of `diagnostics`.

use time::{Date, Month, OffsetDateTime, Time};

use crate::functions::duration_in_milliseconds;

/// A moment since 1970: `2026-01-31T12:00:00.1230000Z`. One that the calendar does not have is the start of 1970.
pub fn moment_text(milliseconds: i64) -> String {
    let at = OffsetDateTime::from_unix_timestamp(milliseconds.div_euclid(1000));
    let at = at.unwrap_or(OffsetDateTime::UNIX_EPOCH);
    let (year, month, day) = (at.year(), u8::from(at.month()), at.day());
    let (hour, minute, second) = at.to_hms();
    let fraction = milliseconds.rem_euclid(1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:03}0000Z")
}

/// Reads what [`moment_text`] writes, and what forms send: `2026-01-31T12:00` and `2026-01-31`. All of them are UTC, after 1970.
pub fn parse_moment(text: &str) -> Option<i64> {
    let text = text.trim().trim_end_matches('Z');
    let (date, time) = text.split_once(['T', ' ']).unwrap_or((text, ""));
    let mut date = date.splitn(3, '-').map(number);
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
    let date = Date::from_calendar_date(i32::from(year), month, u8::try_from(day).ok()?).ok()?;
    let (clock, fraction) = time.split_once('.').unwrap_or((time, ""));
    let mut clock = clock.split(':').filter(|part| !part.is_empty()).map(number);
    let mut next = || clock.next().map_or(Some(0), |part| u8::try_from(part?).ok());
    let thousandths: String = fraction.chars().chain("000".chars()).take(3).collect();
    let time = Time::from_hms_milli(next()?, next()?, next()?, number(&thousandths)?).ok()?;
    let since = date.with_time(time).assume_utc() - OffsetDateTime::UNIX_EPOCH;
    i64::try_from(since.whole_milliseconds()).ok().filter(|since| *since >= 0)
}

/// At most four digits.
fn number(text: &str) -> Option<u16> {
    let is_number = text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// A duration: `PT1M2.500S`. None is shorter than nothing.
pub fn duration_text(milliseconds: i64) -> String {
    let milliseconds = milliseconds.max(0);
    let (seconds, rest) = (milliseconds / 1000, milliseconds % 1000);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let mut text = "PT".to_owned();
    for (amount, unit) in [(hours, 'H'), (minutes, 'M')] {
        if amount > 0 {
            text.push_str(&format!("{amount}{unit}"));
        }
    }
    let fraction = if rest > 0 { format!(".{rest:03}") } else { String::new() };
    text + &format!("{seconds}{fraction}S")
}

/// Reads what [`duration_text`] writes, and every other duration that templates may have.
pub fn parse_duration(text: &str) -> Option<i64> {
    duration_in_milliseconds(text).and_then(|milliseconds| i64::try_from(milliseconds).ok())
}

/// A moment since 1970 as people read it: `2026-01-31 12:00:00`.
pub fn shown_moment(milliseconds: i64) -> String {
    let text = moment_text(milliseconds);
    text.split_once('.').map_or(text.as_str(), |(whole, _)| whole).replacen('T', " ", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_go_both_ways() {
        for (at, text) in [
            (0, "1970-01-01T00:00:00.0000000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.0000000Z"),
            (1_680_224_438_007, "2023-03-31T01:00:38.0070000Z"),
            (4_102_444_799_999, "2099-12-31T23:59:59.9990000Z"),
        ] {
            assert_eq!((moment_text(at).as_str(), parse_moment(text)), (text, Some(at)));
        }
        assert_eq!(moment_text(i64::MAX).get(..4), Some("1970"));
    }

    #[test]
    fn forms_leave_parts_out() {
        assert_eq!(parse_moment("2023-03-31T01:00"), parse_moment("2023-03-31T01:00:00Z"));
        assert_eq!(parse_moment("1970-01-02"), Some(86_400_000));
    }

    #[test]
    fn what_no_calendar_has_is_no_moment() {
        for wrong in [
            "",
            "soon",
            "2023-13-01",
            "2023-02-29",
            "2023-01-01T25:00",
            "1969-12-31",
            "99999-01-01",
            "2023-1--1",
            "2023-01-01Tx",
        ] {
            assert_eq!(parse_moment(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn durations_go_both_ways() {
        for (milliseconds, text) in [(0, "PT0S"), (62_500, "PT1M2.500S"), (7_200_000, "PT2H0S")] {
            assert_eq!(
                (duration_text(milliseconds).as_str(), parse_duration(text)),
                (text, Some(milliseconds))
            );
        }
        assert_eq!(duration_text(-1), "PT0S");
        for wrong in ["", "PT-1S", "PTxS", "PT1Sx", "PTNaNS", "soon"] {
            assert_eq!(parse_duration(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn people_read_other_forms() {
        assert_eq!(shown_moment(1_680_224_438_007), "2023-03-31 01:00:38");
    }
}
