//! The ids of runs: they begin with the time, so that what is written together lies together, and grow within a millisecond, so that what was
//! accepted later is listed as newer.

use std::sync::{Mutex, PoisonError};

use store::{RunId, SealError};

use crate::random::random;

/// How many bits of an id are random, below those of the time.
const RANDOM_BITS: u32 = 80;

/// The last id that this process gave.
static LAST: Mutex<u128> = Mutex::new(0);

/// The id of a run that begins at a moment, in milliseconds.
pub(crate) fn new_run(now: i64) -> Result<RunId, SealError> {
    let fresh = u128::from(now.unsigned_abs()) << RANDOM_BITS | u128::from_be_bytes(random()?) >> 48;
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    *last = later(*last, fresh);
    Ok(RunId(*last))
}

/// A fresh id, moved behind the last one if both are of one millisecond. The step is random, so that one id does not tell the next.
fn later(last: u128, fresh: u128) -> u128 {
    let is_same_moment = last >> RANDOM_BITS == fresh >> RANDOM_BITS;
    if is_same_moment && fresh <= last { last.saturating_add(1 + (fresh & 0xffff_ffff_ffff)) } else { fresh }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_one_moment_grow() {
        let mut last = 7 << RANDOM_BITS;
        for noise in [0, 5, 3, 3, 0xffff_ffff_ffff, 1] {
            let next = later(last, 7 << RANDOM_BITS | noise);
            assert!(next > last && next >> RANDOM_BITS == 7, "{noise}");
            last = next;
        }
    }

    #[test]
    fn an_earlier_moment_is_kept() {
        let (early, late) = (1 << RANDOM_BITS | 9, 2 << RANDOM_BITS | 3);
        assert_eq!(later(early, late), late);
        // The clock was set back: the id still tells the time.
        assert_eq!(later(late, early), early);
        assert!(later(late, late - 1) > late);
    }
}
