//! API versions of Azure's resource types, and which of them a program may use.

use std::fmt;

use smol_str::SmolStr;
use time::{Date, Month};

/// What may follow the date. Every suffix means that the version is a preview.
const SUFFIXES: &[&str] = &["preview", "alpha", "beta", "rc", "privatepreview"];

/// An API version: its date, and what follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ApiVersion {
    date: Date,
    /// In lower case, without the dash; empty for a stable version.
    suffix: SmolStr,
}

impl ApiVersion {
    /// Reads `2024-01-01` or `2024-01-01-preview`, in any case.
    pub(super) fn parse(text: &str) -> Option<ApiVersion> {
        let (day, rest) = text.split_at_checked(10)?;
        let suffix = match rest.strip_prefix('-') {
            Some(suffix) => *SUFFIXES.iter().find(|known| known.eq_ignore_ascii_case(suffix))?,
            None if rest.is_empty() => "",
            None => return None,
        };
        let number = |text: &str, digits: usize| {
            let is_number = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| text.parse::<u16>().ok()).flatten()
        };
        let (year, rest) = day.split_once('-')?;
        let (month, day) = rest.split_once('-')?;
        let month = Month::try_from(u8::try_from(number(month, 2)?).ok()?).ok()?;
        let day = u8::try_from(number(day, 2)?).ok()?;
        let date = Date::from_calendar_date(number(year, 4)?.into(), month, day).ok()?;
        Some(ApiVersion { date, suffix: suffix.into() })
    }

    /// Tells whether the version is not a preview.
    fn is_stable(&self) -> bool {
        self.suffix.is_empty()
    }

    /// Whether a program of another version may be moved to this one: forward, and to no preview.
    pub(super) fn is_ahead_of(&self, other: &ApiVersion) -> bool {
        self.is_stable() && self.date >= other.date
    }

    /// How many days old the version is; less than nothing if it is of the future.
    pub(super) fn age(&self, today: Date) -> i64 {
        (today - self.date).whole_days()
    }
}

impl fmt::Display for ApiVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.date.to_calendar_date();
        write!(f, "{year:04}-{:02}-{day:02}", u8::from(month))?;
        if self.is_stable() { Ok(()) } else { write!(f, "-{}", self.suffix) }
    }
}

/// Which versions are recent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recent {
    /// The day that ages are counted to.
    pub(super) today: Date,
    /// How many days old a recent version is at most.
    pub(super) max_age: i64,
    /// For how many days a new version is allowed, but not demanded.
    pub(super) grace: i64,
}

/// Why a version should not be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outdated {
    /// It is a preview, and there is a later version that is not.
    StableIsLater,
    /// It is a preview, and there is a version of the same day that is not.
    StableOfSameDay,
    /// It is that many days old.
    Days(i64),
}

impl Recent {
    fn is_recent(self, version: &ApiVersion) -> bool {
        version.age(self.today) <= self.max_age
    }

    fn is_new(self, version: &ApiVersion) -> bool {
        self.grace > 0 && version.age(self.today) < self.grace
    }

    /// The versions that can be recommended, the best first; there is one if there is any version at all.
    ///
    /// These are the recent stable versions or else the last stable one, and the recent previews after the last stable
    /// version. Without a stable version, these are the recent previews or else the last one.
    pub(super) fn acceptable(self, all: &[ApiVersion]) -> Vec<ApiVersion> {
        let mut known: Vec<&ApiVersion> = all.iter().filter(|it| !self.is_new(it)).collect();
        if known.is_empty() {
            known = all.iter().collect();
        }
        let last_stable = known.iter().filter(|it| it.is_stable()).map(|it| it.date).max();
        let mut good: Vec<ApiVersion> = match last_stable {
            Some(last) => known
                .iter()
                .filter(|it| match it.is_stable() {
                    true => self.is_recent(it) || it.date == last,
                    false => self.is_recent(it) && it.date > last,
                })
                .map(|it| (*it).clone())
                .collect(),
            None => {
                let last = known.iter().map(|it| it.date).max();
                let fits = |it: &&&ApiVersion| self.is_recent(it) || Some(it.date) == last;
                known.iter().filter(fits).map(|it| (*it).clone()).collect()
            }
        };
        let key = |it: &ApiVersion| (std::cmp::Reverse(it.date), it.suffix.clone());
        good.sort_by_key(key);
        good.dedup();
        good
    }

    /// Why a version of a type that has all these should not be used; none if it may.
    pub(super) fn outdated(
        self,
        version: &ApiVersion,
        all: &[ApiVersion],
        acceptable: &[ApiVersion],
    ) -> Option<Outdated> {
        if acceptable.contains(version) || self.is_new(version) {
            return None;
        }
        let last_stable = all.iter().filter(|it| it.is_stable()).map(|it| it.date).max();
        match last_stable {
            Some(last) if !version.is_stable() && self.is_recent(version) => match version.date.cmp(&last) {
                std::cmp::Ordering::Less => return Some(Outdated::StableIsLater),
                std::cmp::Ordering::Equal => return Some(Outdated::StableOfSameDay),
                std::cmp::Ordering::Greater => {}
            },
            _ => {}
        }
        Some(Outdated::Days(version.age(self.today)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn versions(text: &[&str]) -> Vec<ApiVersion> {
        text.iter().map(|text| ApiVersion::parse(text).unwrap()).collect()
    }

    fn recent(max_age: i64, grace: i64) -> Recent {
        Recent { today: ApiVersion::parse("2024-06-01").unwrap().date, max_age, grace }
    }

    fn acceptable(recent: Recent, all: &[&str]) -> Vec<String> {
        recent.acceptable(&versions(all)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn versions_are_dates_with_known_suffixes() {
        let printed = |text| ApiVersion::parse(text).map(|it| it.to_string());
        assert_eq!(printed("2024-02-29").as_deref(), Some("2024-02-29"));
        assert_eq!(printed("2024-01-01-PREVIEW").as_deref(), Some("2024-01-01-preview"));
        assert_eq!(printed("2024-01-01-privatepreview").as_deref(), Some("2024-01-01-privatepreview"));
        for wrong in [
            "",
            "v1",
            "2023-02-29",
            "2024-1-001",
            "+024-01-01",
            "2024-01-01-",
            "2024-01-01x",
            "2024-01-01-old",
        ] {
            assert_eq!(printed(wrong), None, "{wrong}");
        }
        assert_eq!(printed("2024-01-0é1"), None);
    }

    #[test]
    fn recent_stable_versions_and_later_previews_are_acceptable() {
        let all = [
            "2020-01-01",
            "2022-06-02",
            "2022-06-01",
            "2023-01-01",
            "2023-01-01-preview",
            "2023-05-01-preview",
        ];
        assert_eq!(acceptable(recent(730, 0), &all), ["2023-05-01-preview", "2023-01-01", "2022-06-02"]);
        assert_eq!(acceptable(recent(0, 0), &all), ["2023-01-01"]);
        assert_eq!(
            acceptable(recent(i64::MAX, 0), &["0001-01-01", "9999-12-31"]),
            ["9999-12-31", "0001-01-01"]
        );
        assert_eq!(acceptable(recent(730, 0), &[]), Vec::<String>::new());
    }

    #[test]
    fn without_a_stable_version_previews_are_acceptable() {
        let all = ["2019-01-01-preview", "2020-01-01-preview", "2020-01-01-alpha"];
        assert_eq!(acceptable(recent(730, 90), &all), ["2020-01-01-alpha", "2020-01-01-preview"]);
        let all = ["2019-01-01-preview", "2023-01-01-preview", "2024-01-01-beta"];
        assert_eq!(acceptable(recent(730, 90), &all), ["2024-01-01-beta", "2023-01-01-preview"]);
    }

    #[test]
    fn versions_of_the_last_days_are_allowed_and_not_recommended() {
        let (all, recent) = (versions(&["2020-01-01", "2024-05-01"]), recent(730, 90));
        assert_eq!(recent.acceptable(&all), all[..1]);
        assert!(all.iter().all(|it| recent.outdated(it, &all, &all[..1]).is_none()));
        assert_eq!(acceptable(recent, &["2024-05-01", "2024-05-02"]), ["2024-05-02", "2024-05-01"]);
        // The last day of grace is the day before the version is as old as that.
        let days = ["2020-01-01", "2024-03-03", "2024-03-04"];
        assert_eq!(acceptable(recent, &days), ["2024-03-03"]);
    }

    #[test]
    fn there_is_a_reason_for_every_other_version() {
        let all = versions(&[
            "2020-01-01",
            "2020-01-02-preview",
            "2023-01-01-preview",
            "2024-01-01",
            "2024-01-01-rc",
        ]);
        let recent = recent(730, 90);
        let good = recent.acceptable(&all);
        let reasons: Vec<_> = all.iter().map(|it| recent.outdated(it, &all, &good)).collect();
        let old = |days| Some(Outdated::Days(days));
        let expected =
            [old(1613), old(1612), Some(Outdated::StableIsLater), None, Some(Outdated::StableOfSameDay)];
        assert_eq!(reasons, expected);
    }
}
