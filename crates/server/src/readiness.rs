//! Whether the state takes writes: something is written, with a deadline, and not more often than once in a while, whoever asks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use store::Store;
use tokio::sync::watch;

/// How long a write may take.
const DEADLINE: Duration = Duration::from_secs(2);
/// How long an answer is good.
const FRESH: Duration = Duration::from_secs(1);

type Found = Result<(), &'static str>;

/// Asks the state whether it takes writes, for all who want to know.
#[derive(Default)]
pub(crate) struct Readiness(Arc<Mutex<Probe>>);

#[derive(Default)]
struct Probe {
    /// What was found last, and when.
    found: Option<(Instant, Found)>,
    /// What is being found out.
    asking: Option<watch::Receiver<Option<Found>>>,
}

impl Readiness {
    fn probe(&self) -> MutexGuard<'_, Probe> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells whether a write becomes durable in time, now or a moment ago.
    pub(crate) async fn ask(&self, store: &Arc<dyn Store>) -> Found {
        let mut asking = {
            let mut probe = self.probe();
            if let Some((at, found)) = probe.found
                && at.elapsed() < FRESH
            {
                return found;
            }
            match &probe.asking {
                // A write that does not end is not begun once more.
                Some(asking) => asking.clone(),
                None => {
                    let asking = self.begin(Arc::clone(store));
                    probe.asking = Some(asking.clone());
                    asking
                }
            }
        };
        let late = Err("the state takes no writes: it does not answer in time");
        let waited = tokio::time::timeout(DEADLINE, asking.wait_for(Option::is_some)).await;
        waited.ok().and_then(|found| found.ok().and_then(|found| *found)).unwrap_or(late)
    }

    fn begin(&self, store: Arc<dyn Store>) -> watch::Receiver<Option<Found>> {
        let (tell, asking) = watch::channel(None);
        let probe = Arc::clone(&self.0);
        tokio::task::spawn_blocking(move || {
            let found = store.probe().map_err(|error| {
                tracing::error!(%error, "the state takes no writes");
                "the state takes no writes"
            });
            let mut probe = probe.lock().unwrap_or_else(PoisonError::into_inner);
            probe.found = Some((Instant::now(), found));
            probe.asking = None;
            drop(probe);
            let _ = tell.send(Some(found));
        });
        asking
    }
}
