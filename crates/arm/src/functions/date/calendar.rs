//! Moments to years, months and days, and back.

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
        let days = moment.seconds.div_euclid(DAY);
        let second = moment.seconds.rem_euclid(DAY) as u32;
        if !(-719_162..=2_932_896).contains(&days) {
            return None;
        }
        // Years that start in March have their leap day at the end; eras of 400 years are all alike.
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let day = (day_of_year - (153 * shifted_month + 2) / 5 + 1) as u32;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 } as u32;
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Some(Civil {
            year,
            month,
            day,
            hour: second / 3600,
            minute: second / 60 % 60,
            second: second % 60,
            ticks: moment.ticks,
            weekday: (days + 4).rem_euclid(7) as u32,
        })
    }
}

/// Days from the start of 1970 to a date; none if there is no such date.
pub(super) fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=length(year, month)).contains(&day)
    {
        return None;
    }
    let shifted_year = if month <= 2 { year - 1 } else { year };
    let era = shifted_year.div_euclid(400);
    let year_of_era = shifted_year.rem_euclid(400);
    let day_of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

fn length(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
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
        assert_eq!(days(2023, 2, 29), None);
        assert_eq!(days(1970, 1, 1), Some(0));
    }
}
