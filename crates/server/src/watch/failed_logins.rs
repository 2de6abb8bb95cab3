//! Wrong tokens: counted, told to wait if there are many, and logged once in a while with their number.

use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::LOG_PAUSE;
use super::rate::Rate;

pub(crate) struct WrongTokens {
    rate: Rate,
    log: Mutex<Log>,
}

#[derive(Default)]
struct Log {
    told: Option<Instant>,
    since: u64,
}

impl WrongTokens {
    pub(crate) fn new(per_second: u32) -> WrongTokens {
        WrongTokens { rate: Rate::new(per_second), log: Mutex::default() }
    }

    /// Notes one; false if there are too many of them.
    pub(crate) fn note(&self, peer: Option<IpAddr>, now: Instant) -> bool {
        let from = peer.map_or_else(|| "unknown".to_owned(), |peer| peer.to_string());
        if let Some(count) = self.due(now) {
            tracing::warn!(count, from, "requests without a valid token were refused");
        }
        self.rate.take(&from, now)
    }

    /// How many are to be logged now; none if it was done a moment ago.
    fn due(&self, now: Instant) -> Option<u64> {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.since += 1;
        if log.told.is_some_and(|told| now.saturating_duration_since(told) < LOG_PAUSE) {
            return None;
        }
        log.told = Some(now);
        Some(std::mem::take(&mut log.since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_are_logged_once_with_their_number() {
        let wrong = WrongTokens::new(1);
        let now = Instant::now();
        let told: Vec<u64> = (0..1000).filter_map(|_| wrong.due(now)).collect();
        assert_eq!(told, [1]);
        assert_eq!(wrong.due(now + LOG_PAUSE), Some(1000));
    }
}
