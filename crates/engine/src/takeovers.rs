//! Deployments of processes that ended, apart from each other: one of them may be what ended the process, and the others must not end with it.
//!
//! Those that are taken over for the first time begin together. One for which the next start would be the last one begins alone: if the process lives
//! on, it was not this one, and its starts are counted anew.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use machine::core::RunProgress;
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

use crate::runtime::Watcher;

/// How long a deployment is watched that began together with others, and one that began alone.
const TOGETHER: Duration = Duration::from_secs(10);
const ALONE: Duration = Duration::from_secs(30);

/// Held shared while a deployment begins, and alone while a node takes deployments over.
#[derive(Clone, Default)]
pub(crate) struct Takeovers(Arc<RwLock<()>>);

/// A deployment that has to show that it ends no process. Dropped, it has.
pub(crate) struct Probation {
    guard: Arc<Mutex<Option<Guard>>>,
    lasts: Duration,
}

enum Guard {
    Together(#[expect(dead_code, reason = "it is held")] OwnedRwLockReadGuard<()>),
    Alone(#[expect(dead_code, reason = "it is held")] OwnedRwLockWriteGuard<()>),
}

impl Takeovers {
    /// Waits until a deployment may begin: alone, if the next start would be its last.
    pub(crate) async fn begin(&self, is_last: bool) -> Probation {
        let lock = Arc::clone(&self.0);
        let (guard, lasts) = if is_last {
            (Guard::Alone(lock.write_owned().await), ALONE)
        } else {
            (Guard::Together(lock.read_owned().await), TOGETHER)
        };
        Probation { guard: Arc::new(Mutex::new(Some(guard))), lasts }
    }
}

impl Probation {
    /// The watcher of a deployment that also ends its probation: with its first step, or with itself.
    pub(crate) fn watching(&self, watcher: Box<dyn Watcher>) -> Box<dyn Watcher> {
        Box::new(ProbationWatcher { watcher, guard: Arc::clone(&self.guard) })
    }

    /// Waits until it is over; whether the deployment began alone, and has done nothing by which that could be seen.
    pub(crate) async fn ended(self) -> bool {
        tokio::time::sleep(self.lasts).await;
        matches!(end(&self.guard), Some(Guard::Alone(_)))
    }
}

fn end(guard: &Mutex<Option<Guard>>) -> Option<Guard> {
    guard.lock().unwrap_or_else(PoisonError::into_inner).take()
}

struct ProbationWatcher {
    watcher: Box<dyn Watcher>,
    guard: Arc<Mutex<Option<Guard>>>,
}

impl Watcher for ProbationWatcher {
    fn on_progress(&mut self, progress: &RunProgress, now: i64) {
        if matches!(progress, RunProgress::Ended { .. }) {
            drop(end(&self.guard));
        }
        self.watcher.on_progress(progress, now);
    }
}

impl Drop for ProbationWatcher {
    fn drop(&mut self) {
        drop(end(&self.guard));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nobody() -> Box<dyn Watcher> {
        Box::new(|_: &RunProgress, _: i64| {})
    }

    #[test]
    fn one_whose_start_would_be_the_last_begins_alone() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let takeovers = Takeovers::default();
            let first = takeovers.begin(false).await;
            let second = takeovers.begin(false).await;
            let alone = takeovers.clone();
            let alone = tokio::spawn(async move { alone.begin(true).await });
            tokio::task::yield_now().await;
            assert!(!alone.is_finished());
            // One has ended, the other one is dropped by its watcher.
            drop((first.watching(nobody()), first));
            drop((second.watching(nobody()), second));
            let alone = alone.await.unwrap();
            let behind = takeovers.clone();
            let behind = tokio::spawn(async move { behind.begin(false).await });
            tokio::task::yield_now().await;
            assert!(!behind.is_finished());
            drop(alone.watching(nobody()));
            drop(behind.await.unwrap());
        });
    }
}
