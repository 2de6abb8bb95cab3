//! How much of something is in use, by all callers and by each: predictions of the playground, pages that are followed. Nobody gets all of it.
//!
//! A prediction that nobody waits for any more still computes, so its share is given back by the work itself when it ends, and not when its reader is
//! told that it takes too long.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::api_error::ApiError;

/// What there is to share.
pub(crate) struct Shares {
    /// How many there are, for all and for one.
    most: usize,
    own: usize,
    /// What those hear who want more than their own, and those who come when all are taken.
    words: [&'static str; 2],
    callers: Mutex<HashMap<String, usize>>,
}

/// The share of somebody, until it is dropped.
pub(crate) struct Share {
    shares: Arc<Shares>,
    caller: String,
}

impl Shares {
    /// So many for all, and so many of them for one caller.
    pub(crate) fn new(most: usize, own: usize, words: [&'static str; 2]) -> Shares {
        Shares { most, own, words, callers: Mutex::default() }
    }

    fn callers(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.callers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes one for a caller.
    pub(crate) fn take(self: &Arc<Shares>, caller: &str) -> Result<Share, ApiError> {
        let mut callers = self.callers();
        let own = callers.get(caller).copied().unwrap_or(0);
        let [of_one, of_all] = self.words;
        if own >= self.own {
            return Err(ApiError::new("TooManyRequests", of_one));
        }
        if callers.values().sum::<usize>() >= self.most {
            return Err(ApiError::new("TooManyRequests", of_all));
        }
        *callers.entry(caller.to_owned()).or_default() += 1;
        Ok(Share { shares: Arc::clone(self), caller: caller.to_owned() })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut callers = self.shares.callers();
        if let Some(count) = callers.get_mut(&self.caller) {
            *count -= 1;
            if *count == 0 {
                callers.remove(&self.caller);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_gets_their_share_and_all_of_them_what_there_is() {
        let shares = Arc::new(Shares::new(4, 2, ["your own", "all"]));
        let take = |caller: &str| shares.take(caller).map_err(|refusal| refusal.status().as_u16());
        let first = take("a").ok();
        let second = take("a").ok();
        assert!(first.is_some() && second.is_some());
        assert_eq!(take("a").err(), Some(429));
        let others = [take("b").ok(), take("c").ok()];
        assert!(others.iter().all(Option::is_some));
        assert_eq!(take("d").err(), Some(429));
        drop(first);
        assert!(take("d").is_ok());
        drop((second, others));
        assert!(shares.callers().is_empty());
    }
}
