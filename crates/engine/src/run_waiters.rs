//! Waiting for deployments that other processes run: one question to the store for all who wait.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use store::{RunId, Store};
use tokio::sync::watch;

/// How often the store is asked.
const LOOK: Duration = Duration::from_millis(50);

/// The runs that somebody waits for.
pub(crate) struct RunWaiters {
    store: Arc<dyn Store>,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    runs: BTreeMap<RunId, watch::Sender<bool>>,
    /// Whether somebody asks the store.
    is_asked: bool,
}

impl RunWaiters {
    pub(crate) fn new(store: Arc<dyn Store>) -> RunWaiters {
        RunWaiters { store, waiting: Mutex::default() }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a run is over.
    pub(crate) async fn wait_until_ended(self: &Arc<Self>, run: RunId) {
        let mut told = {
            let mut waiting = self.waiting();
            let told = waiting.runs.entry(run).or_insert_with(|| watch::Sender::new(false)).subscribe();
            if !std::mem::replace(&mut waiting.is_asked, true) {
                let asking = StorePoller(Arc::clone(self));
                tokio::spawn(async move { asking.run().await });
            }
            told
        };
        // An error is a runtime that ends.
        let _ = told.wait_for(|over| *over).await;
    }
}

/// Asks the store as long as somebody waits.
struct StorePoller(Arc<RunWaiters>);

impl StorePoller {
    async fn run(&self) {
        loop {
            let runs: Vec<RunId> = {
                let mut waiting = self.0.waiting();
                waiting.runs.retain(|_, told| told.receiver_count() > 0);
                if waiting.runs.is_empty() {
                    // Under the lock, so that whoever comes next asks anew.
                    waiting.is_asked = false;
                    return;
                }
                waiting.runs.keys().copied().collect()
            };
            let (store, asked) = (Arc::clone(&self.0.store), runs.clone());
            let over = tokio::task::spawn_blocking(move || store.are_over(&asked)).await;
            // A store that does not answer may the next time.
            let over = over.ok().and_then(Result::ok).unwrap_or_default();
            {
                let mut waiting = self.0.waiting();
                for (run, _) in runs.iter().zip(over).filter(|(_, over)| *over) {
                    if let Some(told) = waiting.runs.remove(run) {
                        let _ = told.send(true);
                    }
                }
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}
