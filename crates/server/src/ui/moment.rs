//! Moments as the API and forms write them, in milliseconds since 1970.

/// Reads `2026-01-31T12:00:00.1230000Z`, and what forms send: `2026-01-31T12:00` and `2026-01-31`. All of them are UTC.
pub fn parse(text: &str) -> Option<i64> {
    let text = text.trim().trim_end_matches('Z');
    let (date, time) = text.split_once(['T', ' ']).unwrap_or((text, ""));
    let mut date = date.splitn(3, '-').map(number);
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let (clock, fraction) = time.split_once('.').unwrap_or((time, ""));
    let mut clock = clock.split(':').filter(|part| !part.is_empty()).map(number);
    let mut next = |below: i64| match clock.next() {
        None => Some(0),
        Some(part) => part.filter(|part| *part < below),
    };
    let (hour, minute, second) = (next(24)?, next(60)?, next(60)?);
    let thousandths: String = fraction.chars().chain("000".chars()).take(3).collect();
    let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    Some(seconds * 1_000 + number(&thousandths)?)
}

fn number(text: &str) -> Option<i64> {
    let is_number = !text.is_empty() && text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// How many days a date is behind the first of January 1970: years begin in March, so that a leap day is the last one.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year * 365 + year / 4 - year / 100 + year / 400 + of_year - 719_468
}

/// A moment of the API as people read it: `2026-01-31 12:00:00`.
pub(super) fn shown(text: &str) -> String {
    let text = text.trim_end_matches('Z');
    text.split_once('.').map_or(text, |(whole, _)| whole).replacen('T', " ", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_that_the_engine_writes() {
        for at in [0, 1_680_224_438_007, 951_782_400_000, 4_102_444_799_999] {
            assert_eq!(parse(&engine::moment(at)), Some(at));
        }
        assert_eq!(parse("2023-03-31T01:00"), parse("2023-03-31T01:00:00Z"));
        assert_eq!(parse("1970-01-02"), Some(86_400_000));
        for wrong in
            ["", "soon", "2023-13-01", "2023-01-01T25:00", "99999-01-01", "2023-1--1", "2023-01-01Tx"]
        {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
        assert_eq!(shown("2026-01-31T12:00:00.1230000Z"), "2026-01-31 12:00:00");
    }
}
