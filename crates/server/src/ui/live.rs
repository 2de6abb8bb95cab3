//! What happens in deployments that run in this process: those who look at one see it as it happens. What other nodes run is known from what they
//! keep.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use engine::core::Progress;
use engine::{Accepted, Watcher};
use store::RunId;
use tokio::sync::{Semaphore, watch};

use super::picture::Pictures;
use super::shares::Shares;
use crate::recorder::Recorder;
use crate::watch::Traces;

/// How many deployments that have ended are remembered with their waits.
const ENDED: usize = 64;

/// How many pictures are drawn at the same time; others wait.
const DRAWING: usize = 4;

/// How many pages of deployments may be followed at the same time, and how many of them by one caller.
const STREAMS: usize = 1_024;
const OWN_STREAMS: usize = 256;

/// How many predictions are under way at least and at most; between them, as many as there are cores. A caller has half of them.
const FEWEST_PREDICTIONS: usize = 2;
const MOST_PREDICTIONS: usize = 4;

/// Deployments that run here, and the last that did.
pub(crate) struct Live {
    runs: Mutex<Runs>,
    traces: OnceLock<Traces>,
    /// The pictures that were drawn last.
    pub(super) pictures: Pictures,
    /// Room for those who draw.
    pub(super) drawing: Arc<Semaphore>,
    /// Room for those who predict.
    pub(super) predictions: Arc<Shares>,
    /// Room for those who follow.
    pub(super) streams: Arc<Shares>,
    stopping: watch::Sender<bool>,
}

#[derive(Default)]
struct Runs {
    all: HashMap<RunId, Arc<Run>>,
    ended: VecDeque<RunId>,
}

/// A deployment that is watched.
pub(super) struct Run {
    recorder: Mutex<Recorder>,
    changed: watch::Sender<u64>,
}

impl Default for Live {
    fn default() -> Live {
        Live {
            runs: Mutex::default(),
            traces: OnceLock::new(),
            pictures: Pictures::default(),
            drawing: Arc::new(Semaphore::new(DRAWING)),
            predictions: Arc::new(predictions()),
            streams: Arc::new(Shares::new(
                STREAMS,
                OWN_STREAMS,
                [
                    "too many pages of this caller are followed; this one shows what it was when it was loaded",
                    "too many pages are followed; this one shows what it was when it was loaded",
                ],
            )),
            stopping: watch::Sender::new(false),
        }
    }
}

fn predictions() -> Shares {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let most = cores.clamp(FEWEST_PREDICTIONS, MOST_PREDICTIONS);
    Shares::new(
        most,
        most / 2,
        [
            "predictions of this caller are under way; try again when they have ended",
            "too many predictions are under way; try again in some seconds",
        ],
    )
}

impl Live {
    fn runs(&self) -> MutexGuard<'_, Runs> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends spans of deployments that begin from now on.
    pub(crate) fn trace(&self, traces: Traces) {
        let _ = self.traces.set(traces);
    }

    /// What watches a deployment that begins.
    pub(crate) fn watcher(self: &Arc<Live>, accepted: &Accepted) -> Box<dyn Watcher> {
        let run =
            Arc::new(Run { recorder: Mutex::new(Recorder::new(accepted)), changed: watch::Sender::new(0) });
        self.runs().all.insert(accepted.run, Arc::clone(&run));
        let spans = self.traces.get().map(|traces| traces.watcher(accepted));
        Box::new(Watching { live: Arc::clone(self), id: accepted.run, run, spans })
    }

    /// A deployment that runs here, or did a while ago.
    pub(super) fn find(&self, run: RunId) -> Option<Arc<Run>> {
        self.runs().all.get(&run).cloned()
    }

    fn ended(&self, id: RunId, run: &Arc<Run>) {
        let mut runs = self.runs();
        // It may have been lost and resumed meanwhile.
        if !runs.all.get(&id).is_some_and(|it| Arc::ptr_eq(it, run)) {
            return;
        }
        runs.ended.push_back(id);
        if runs.ended.len() > ENDED
            && let Some(oldest) = runs.ended.pop_front()
            && !runs.ended.contains(&oldest)
        {
            runs.all.remove(&oldest);
        }
    }

    /// Tells those who follow that the server stops.
    pub(crate) fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Waits until the server stops.
    pub(super) async fn stopped(&self) {
        let _ = self.stopping.subscribe().wait_for(|stopping| *stopping).await;
    }
}

impl Run {
    /// What was seen.
    pub(super) fn recorder(&self) -> MutexGuard<'_, Recorder> {
        self.recorder.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hears of changes from now on.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }
}

/// Watches a deployment until it ends.
struct Watching {
    live: Arc<Live>,
    id: RunId,
    run: Arc<Run>,
    spans: Option<Box<dyn Watcher>>,
}

impl Watcher for Watching {
    fn see(&mut self, progress: &Progress, now: i64) {
        self.run.recorder().see(progress, now);
        self.run.changed.send_modify(|count| *count += 1);
        if let Some(spans) = &mut self.spans {
            spans.see(progress, now);
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.live.ended(self.id, &self.run);
        self.run.changed.send_modify(|count| *count += 1);
    }
}
