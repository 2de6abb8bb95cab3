//! How many predictions of the playground are under way. A prediction that nobody waits for any more still computes, so its room is given back by the
//! work itself when it ends, and not when its reader is told that it takes too long.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::refusal::Refusal;

/// How many are under way at least and at most; between them, as many as there are cores.
const FEWEST: usize = 2;
const MOST: usize = 4;

/// The room that there is.
pub(super) struct Predictions {
    most: usize,
    callers: Mutex<HashMap<String, usize>>,
}

/// The room of a prediction, until it is dropped.
pub(super) struct Predicting {
    predictions: Arc<Predictions>,
    caller: String,
}

impl Default for Predictions {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Predictions { most: cores.clamp(FEWEST, MOST), callers: Mutex::default() }
    }
}

impl Predictions {
    fn callers(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.callers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes room for a prediction of a caller. Nobody gets more than half of it.
    pub(super) fn take(self: &Arc<Predictions>, caller: &str) -> Result<Predicting, Refusal> {
        let mut callers = self.callers();
        let own = callers.get(caller).copied().unwrap_or(0);
        let refused = |message: &str| Err(Refusal::new("TooManyRequests", message));
        if own >= self.most / 2 {
            return refused("predictions of this caller are under way; try again when they have ended");
        }
        if callers.values().sum::<usize>() >= self.most {
            return refused("too many predictions are under way; try again in some seconds");
        }
        *callers.entry(caller.to_owned()).or_default() += 1;
        Ok(Predicting { predictions: Arc::clone(self), caller: caller.to_owned() })
    }
}

impl Drop for Predicting {
    fn drop(&mut self) {
        let mut callers = self.predictions.callers();
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
    fn a_caller_gets_half_of_the_room_and_all_of_them_what_there_is() {
        let predictions = Arc::new(Predictions { most: 4, callers: Mutex::default() });
        let take = |caller: &str| predictions.take(caller).map_err(|refusal| refusal.status().as_u16());
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
        assert!(predictions.callers().is_empty());
    }
}
