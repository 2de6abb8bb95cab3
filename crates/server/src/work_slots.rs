//! How many requests evaluate templates at the same time. What one allocates is counted by its budget only once it is there, so that only so many may
//! be on their way there; others wait for a moment, and beyond that are told to come again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::api_error::ApiError;

/// How many wait for each slot, and how long.
const WAITING: usize = 16;
const PATIENCE: Duration = Duration::from_secs(10);

/// The slots of a kind of work.
pub(crate) struct WorkSlots {
    slots: Arc<Semaphore>,
    count: usize,
    waiting: AtomicUsize,
}

/// Counts who waits, until it is dropped.
struct WaitingMark<'s>(&'s AtomicUsize);

impl Drop for WaitingMark<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl WorkSlots {
    pub(crate) fn new(count: usize) -> WorkSlots {
        let count = count.max(1);
        WorkSlots { slots: Arc::new(Semaphore::new(count)), count, waiting: AtomicUsize::new(0) }
    }

    /// How many wait.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// A slot, as soon as there is one.
    pub(crate) async fn take(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        if let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() {
            return Ok(slot);
        }
        let busy =
            || ApiError::new("TooManyRequests", "too many templates are evaluated; try again in a second");
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let _mark = WaitingMark(&self.waiting);
        if before >= self.count.saturating_mul(WAITING) {
            return Err(busy());
        }
        let slot = tokio::time::timeout(PATIENCE, Arc::clone(&self.slots).acquire_owned()).await;
        slot.map_err(|_| busy())?.map_err(|_| busy())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_wait_and_others_are_told_to_come_again() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let slots = Arc::new(WorkSlots::new(1));
            let held = slots.take().await.unwrap();
            let waits: Vec<_> = (0..WAITING)
                .map(|_| {
                    let slots = Arc::clone(&slots);
                    tokio::spawn(async move { slots.take().await.map(drop).is_ok() })
                })
                .collect();
            while slots.waiting() < WAITING {
                tokio::task::yield_now().await;
            }
            assert_eq!(slots.take().await.unwrap_err().status().as_u16(), 429);
            drop(held);
            for wait in waits {
                assert!(wait.await.unwrap());
            }
            assert_eq!(slots.waiting(), 0);
        });
    }
}
