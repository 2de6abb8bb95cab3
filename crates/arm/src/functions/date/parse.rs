//! ISO 8601 dates, in the extended and the basic form.

use super::calendar::{DAY, days};
use super::{BASIC, EXTENDED};
use crate::evaluate::Moment;

/// Reads a date; returns the moment, and the format in which it is written. One with a blank is written with a `T` again.
///
/// Accepted are `2023-04-01`, `2023-04-01T01:00:38Z` with a blank for the `T`, without seconds, with a fraction, or
/// with an offset, and `20230401T010038Z`. A date without a zone is in UTC.
pub(super) fn parse(text: &str) -> Option<(Moment, String)> {
    let text = text.trim();
    let mut cursor = DateCursor { bytes: text.as_bytes() };
    let year = cursor.digits(4)?;
    let basic = !cursor.take(b'-');
    let month = cursor.digits(2)?;
    if !basic && !cursor.take(b'-') {
        return None;
    }
    let day = cursor.digits(2)?;
    let date = days(year, month, day)? * DAY;
    if cursor.bytes.is_empty() {
        return Some((Moment { seconds: date, ticks: 0 }, EXTENDED.to_owned()));
    }
    if !cursor.take(b' ') && !cursor.take(b'T') {
        return None;
    }
    let hour = cursor.digits(2).filter(|hour| *hour < 24)?;
    let colon = |cursor: &mut DateCursor<'_>| basic || cursor.take(b':');
    if !colon(&mut cursor) {
        return None;
    }
    let minute = cursor.digits(2).filter(|minute| *minute < 60)?;
    let mut second = 0;
    let mut ticks = 0;
    let mut fraction = 0;
    if basic || cursor.take(b':') {
        second = cursor.digits(2).filter(|second| *second < 60)?;
        if cursor.take(b'.') {
            while let Some(digit) = cursor.digits(1) {
                fraction += 1;
                if fraction <= 7 {
                    ticks += digit as u32 * 10_u32.pow(7 - fraction);
                }
            }
            if fraction == 0 {
                return None;
            }
        }
    }
    let offset = offset(&mut cursor)?;
    if !cursor.bytes.is_empty() {
        return None;
    }
    let seconds = date + hour * 3600 + minute * 60 + second - offset;
    let format = if basic { BASIC } else { EXTENDED };
    let format = match fraction {
        0 => format.to_owned(),
        digits => format.replace("ss", &format!("ss.{}", "f".repeat(digits.min(7) as usize))),
    };
    Some((Moment { seconds, ticks }, format))
}

/// The distance to UTC in seconds: `Z`, `+02:00`, `-0530`, or nothing.
fn offset(cursor: &mut DateCursor<'_>) -> Option<i64> {
    let sign = match cursor.bytes.first() {
        Some(b'+') => 1,
        Some(b'-') => -1,
        Some(b'Z' | b'z') => {
            cursor.skip();
            return Some(0);
        }
        _ => return Some(0),
    };
    cursor.skip();
    let hours = cursor.digits(2).filter(|hours| *hours <= 14)?;
    cursor.take(b':');
    let minutes = cursor.digits(2).filter(|minutes| *minutes < 60)?;
    Some(sign * (hours * 3600 + minutes * 60))
}

struct DateCursor<'t> {
    bytes: &'t [u8],
}

impl DateCursor<'_> {
    fn digits(&mut self, count: usize) -> Option<i64> {
        let (digits, rest) = self.bytes.split_at_checked(count)?;
        if !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        self.bytes = rest;
        Some(digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0')))
    }

    fn take(&mut self, byte: u8) -> bool {
        let there = self.bytes.first() == Some(&byte);
        if there {
            self.skip();
        }
        there
    }

    fn skip(&mut self) {
        self.bytes = self.bytes.split_first().map_or(&[], |(_, rest)| rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_with_their_format() {
        for (text, seconds, format) in [
            ("2023-03-31T01:00:38Z", 1_680_224_438, "yyyy-MM-ddTHH:mm:ssZ"),
            ("2023-03-31T03:00:38+02:00", 1_680_224_438, "yyyy-MM-ddTHH:mm:ssZ"),
            ("2023-03-31 01:00:38Z", 1_680_224_438, "yyyy-MM-ddTHH:mm:ssZ"),
            ("20230331T010038Z", 1_680_224_438, "yyyyMMddTHHmmssZ"),
            ("2023-03-31T01:00:38.25Z", 1_680_224_438, "yyyy-MM-ddTHH:mm:ss.ffZ"),
            ("2023-03-31", 1_680_220_800, "yyyy-MM-ddTHH:mm:ssZ"),
        ] {
            let (moment, found) = parse(text).unwrap();
            assert_eq!((moment.seconds, found.as_str()), (seconds, format), "{text}");
        }
        for wrong in [
            "",
            "2023",
            "2023-02-29",
            "2023-13-01",
            "2023-01-01T",
            "2023-01-01T24:00:00Z",
            "x",
            "2023-01-01T1:00Z",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
