//! How many requests evaluate templates at the same time. What one allocates is counted by its budget only once it is there, so that only so many may
//! be on their way there; others wait for a moment, and beyond that are told to come again.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::api_error::ApiError;
use crate::identity::LOCAL;

/// How many wait for each slot, and how long: for what evaluates, which takes long, and for what only reads.
const WAITING: usize = 16;
const PATIENCE: Duration = Duration::from_secs(10);
const READERS_WAITING: usize = 256;
const PATIENCE_OF_READERS: Duration = Duration::from_secs(60);

/// The slots of a kind of work. One caller never has all of them, if there are some, and never waits in all places.
pub(crate) struct WorkSlots {
    slots: Arc<Semaphore>,
    count: usize,
    /// How many wait for each of them at most, and how long.
    most_waiting: usize,
    patience: Duration,
    waiting: AtomicUsize,
    callers: Mutex<HashMap<String, CallerSlots>>,
}

/// The slots that one caller may have, as long as they have some or wait for some.
struct CallerSlots {
    slots: Arc<Semaphore>,
    requests: usize,
}

/// A slot, until it is dropped.
pub(crate) struct WorkSlot {
    _slot: OwnedSemaphorePermit,
    _own: OwnedSemaphorePermit,
    _place: CallerPlace,
}

/// The place of a request among those of its caller, until it is dropped.
struct CallerPlace {
    slots: Arc<WorkSlots>,
    caller: String,
}

impl Drop for CallerPlace {
    fn drop(&mut self) {
        let mut callers = self.slots.callers();
        if let Some(caller) = callers.get_mut(&self.caller) {
            caller.requests -= 1;
            if caller.requests == 0 {
                callers.remove(&self.caller);
            }
        }
    }
}

/// Counts who waits, until it is dropped.
struct WaitingMark<'s>(&'s AtomicUsize);

impl Drop for WaitingMark<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn busy() -> ApiError {
    ApiError::new("TooManyRequests", "too much of this kind is under way; try again in a second")
}

impl WorkSlots {
    /// Slots for what evaluates.
    pub(crate) fn new(count: usize) -> Arc<WorkSlots> {
        WorkSlots::with(count, WAITING, PATIENCE)
    }

    /// Slots for what reads.
    pub(crate) fn of_readers(count: usize) -> Arc<WorkSlots> {
        WorkSlots::with(count, READERS_WAITING, PATIENCE_OF_READERS)
    }

    fn with(count: usize, most_waiting: usize, patience: Duration) -> Arc<WorkSlots> {
        let count = count.max(1);
        Arc::new(WorkSlots {
            slots: Arc::new(Semaphore::new(count)),
            count,
            most_waiting,
            patience,
            waiting: AtomicUsize::new(0),
            callers: Mutex::default(),
        })
    }

    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    fn callers(&self) -> MutexGuard<'_, HashMap<String, CallerSlots>> {
        self.callers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place among the requests of a caller, who has three quarters of the slots and of the places to wait.
    fn place(self: &Arc<WorkSlots>, caller: &str) -> Result<(CallerPlace, Arc<Semaphore>), ApiError> {
        // In local mode there is one caller.
        let own = if caller == LOCAL { self.count } else { (self.count * 3 / 4).max(1) };
        let mut callers = self.callers();
        let entry = callers
            .entry(caller.to_owned())
            .or_insert_with(|| CallerSlots { slots: Arc::new(Semaphore::new(own)), requests: 0 });
        if entry.requests >= own.saturating_mul(self.most_waiting + 1) {
            return Err(busy());
        }
        entry.requests += 1;
        let slots = Arc::clone(&entry.slots);
        drop(callers);
        Ok((CallerPlace { slots: Arc::clone(self), caller: caller.to_owned() }, slots))
    }

    /// A slot for a caller, as soon as there is one.
    pub(crate) async fn take(self: &Arc<WorkSlots>, caller: &str) -> Result<WorkSlot, ApiError> {
        let (place, own) = self.place(caller)?;
        let free = || {
            let own = Arc::clone(&own).try_acquire_owned().ok()?;
            Some((own, Arc::clone(&self.slots).try_acquire_owned().ok()?))
        };
        if let Some((own, slot)) = free() {
            return Ok(WorkSlot { _slot: slot, _own: own, _place: place });
        }
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let _mark = WaitingMark(&self.waiting);
        if before >= self.count.saturating_mul(self.most_waiting) {
            return Err(busy());
        }
        // Who waits for one of their own does not stand in the way of others.
        let both = async {
            let own = Arc::clone(&own).acquire_owned().await.ok()?;
            Some((own, Arc::clone(&self.slots).acquire_owned().await.ok()?))
        };
        let taken = tokio::time::timeout(self.patience, both).await.ok().flatten();
        let (own, slot) = taken.ok_or_else(busy)?;
        Ok(WorkSlot { _slot: slot, _own: own, _place: place })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_wait_and_others_are_told_to_come_again() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let slots = WorkSlots::new(1);
            let held = slots.take("a").await.unwrap();
            let waits: Vec<_> = (0..WAITING)
                .map(|_| {
                    let slots = Arc::clone(&slots);
                    tokio::spawn(async move { slots.take("a").await.map(drop).is_ok() })
                })
                .collect();
            while slots.waiting() < WAITING {
                tokio::task::yield_now().await;
            }
            assert_eq!(slots.take("b").await.map(drop).unwrap_err().status().as_u16(), 429);
            drop(held);
            for wait in waits {
                assert!(wait.await.unwrap());
            }
            assert_eq!(slots.waiting(), 0);
            assert!(slots.callers().is_empty());
        });
    }

    #[test]
    fn one_caller_leaves_slots_to_others() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let slots = WorkSlots::new(4);
            let mut held = Vec::new();
            for _ in 0..3 {
                held.push(slots.take("a").await.unwrap());
            }
            let waits = {
                let slots = Arc::clone(&slots);
                tokio::spawn(async move { slots.take("a").await.map(drop).is_ok() })
            };
            while slots.waiting() == 0 {
                tokio::task::yield_now().await;
            }
            drop(slots.take("b").await.unwrap());
            assert!(!waits.is_finished());
            held.pop();
            assert!(waits.await.unwrap());
        });
    }
}
