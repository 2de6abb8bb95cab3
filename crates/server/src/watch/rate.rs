//! How often each caller asks: a bucket for each, and only so many buckets.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// How many callers are remembered in each of the two halves.
const HALF: usize = 16_384;

/// Lets each caller through so often.
pub(crate) struct Rate {
    per_second: f64,
    halves: Mutex<Halves>,
}

/// Those who came lately, and those before. When the first half is full it becomes the second one, which is forgotten: who was not
/// there for so long has a full bucket anyway.
#[derive(Default)]
struct Halves {
    young: HashMap<Box<str>, Bucket>,
    old: HashMap<Box<str>, Bucket>,
}

#[derive(Clone, Copy)]
struct Bucket {
    tokens: f64,
    filled: Instant,
}

impl Rate {
    pub(crate) fn new(per_second: u32) -> Rate {
        Rate { per_second: f64::from(per_second), halves: Mutex::default() }
    }

    /// Takes one from a caller's bucket; false if it is empty. A bucket holds what comes in two seconds.
    pub(crate) fn take(&self, who: &str, now: Instant) -> bool {
        let most = self.per_second * 2.0;
        let mut halves = self.halves.lock().unwrap_or_else(PoisonError::into_inner);
        let found = halves.young.get(who).or_else(|| halves.old.get(who)).copied();
        let mut bucket = found.unwrap_or(Bucket { tokens: most, filled: now });
        let passed = now.saturating_duration_since(bucket.filled).as_secs_f64();
        bucket.tokens = (bucket.tokens + passed * self.per_second).min(most);
        bucket.filled = now;
        let has = bucket.tokens >= 1.0;
        if has {
            bucket.tokens -= 1.0;
        }
        if halves.young.len() >= HALF && !halves.young.contains_key(who) {
            halves.old = std::mem::take(&mut halves.young);
        }
        halves.young.insert(who.into(), bucket);
        has
    }

    /// How many callers are remembered.
    #[cfg(test)]
    fn len(&self) -> usize {
        let halves = self.halves.lock().unwrap();
        halves.young.len() + halves.old.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn each_caller_has_a_bucket_that_fills_again() {
        let rate = Rate::new(5);
        let start = Instant::now();
        let taken = |who: &str, at: Instant| (0..100).filter(|_| rate.take(who, at)).count();
        assert_eq!(taken("a", start), 10);
        assert_eq!(taken("b", start), 10);
        assert_eq!(taken("a", start + Duration::from_secs(1)), 5);
        assert_eq!(taken("a", start + Duration::from_secs(60)), 10);
    }

    #[test]
    fn only_so_many_callers_are_remembered() {
        let rate = Rate::new(5);
        let now = Instant::now();
        for number in 0..5 * HALF {
            assert!(rate.take(&number.to_string(), now));
        }
        assert!(rate.len() <= 2 * HALF);
    }
}
