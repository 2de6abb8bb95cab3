//! Moments to years, months and days, and back.

use time::{Date, Month, OffsetDateTime};

use crate::evaluate::Moment;

/// Units of 100 nanoseconds in a second.
pub(super) const TICKS: u32 = 10_000_000;
pub(super) const DAY: i64 = 86_400;

/// A moment on the calendar, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Civil {
    pub(super) year: i64,
    /// 1 to 12.
    pub(super) month: u32,
    /// 1 to 31.
    pub(super) day: u32,
    pub(super) hour: u32,
    pub(super) minute: u32,
    pub(super) second: u32,
    pub(super) ticks: u32,
    /// 0 is Sunday.
    pub(super) weekday: u32,
}

impl Civil {
    /// The moment on the calendar; none outside the years 1 to 9999.
    pub(super) fn of(moment: Moment) -> Option<Civil> {
        let at = OffsetDateTime::from_unix_timestamp(moment.seconds).ok().filter(|at| at.year() > 0)?;
        Some(Civil {
            year: at.year().into(),
            month: u8::from(at.month()).into(),
            day: at.day().into(),
            hour: at.hour().into(),
            minute: at.minute().into(),
            second: at.second().into(),
            ticks: moment.ticks,
            weekday: at.weekday().number_days_from_sunday().into(),
        })
    }
}

/// Days from the start of 1970 to a date; none if there is no such date.
pub(super) fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let year = i32::try_from(year).ok().filter(|year| *year > 0)?;
    let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
    let date = Date::from_calendar_date(year, month, u8::try_from(day).ok()?).ok()?;
    Some((date - OffsetDateTime::UNIX_EPOCH.date()).whole_days())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_goes_both_ways() {
        for day in -719_162..=2_932_896 {
            let civil = Civil::of(Moment { seconds: day * DAY, ticks: 0 }).unwrap();
            assert_eq!(days(civil.year, civil.month.into(), civil.day.into()), Some(day));
        }
        assert_eq!(Civil::of(Moment { seconds: 2_932_897 * DAY, ticks: 0 }), None);
        assert_eq!(Civil::of(Moment { seconds: -719_163 * DAY, ticks: 0 }), None);
        for (year, month, day) in
            [(2023, 2, 29), (0, 1, 1), (10_000, 1, 1), (2023, 0, 1), (2023, 13, 1), (2023, 1, 300)]
        {
            assert_eq!(days(year, month, day), None);
        }
        assert_eq!(days(1970, 1, 1), Some(0));
    }
}
