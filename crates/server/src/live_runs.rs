//! What happens in deployments that run in this process: those who look at one see it as it happens. What other nodes run is known from what they
//! keep.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use engine::core::RunProgress;
use engine::{AcceptedDeployment, Watcher};
use store::RunId;
use tokio::sync::watch;

use crate::recorder::Recorder;
use crate::watch::Traces;

/// How many deployments that have ended are remembered with their waits.
const ENDED: usize = 64;

/// Deployments that run here, and the last that did.
#[derive(Default)]
pub(crate) struct LiveRuns {
    runs: Mutex<RunTable>,
    traces: OnceLock<Traces>,
    stopping: watch::Sender<bool>,
}

#[derive(Default)]
struct RunTable {
    all: HashMap<RunId, Arc<LiveRun>>,
    ended: VecDeque<RunId>,
}

/// A deployment that is watched.
pub(crate) struct LiveRun {
    recorder: Mutex<Recorder>,
    changed: watch::Sender<u64>,
}

impl LiveRuns {
    fn runs(&self) -> MutexGuard<'_, RunTable> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends spans of deployments that begin from now on.
    pub(crate) fn trace(&self, traces: Traces) {
        let _ = self.traces.set(traces);
    }

    /// What watches a deployment that begins.
    pub(crate) fn watcher(self: &Arc<LiveRuns>, accepted: &AcceptedDeployment) -> Box<dyn Watcher> {
        let run = Arc::new(LiveRun {
            recorder: Mutex::new(Recorder::new(accepted)),
            changed: watch::Sender::new(0),
        });
        self.runs().all.insert(accepted.run, Arc::clone(&run));
        let spans = self.traces.get().map(|traces| traces.watcher(accepted));
        Box::new(RunWatcher { runs: Arc::clone(self), id: accepted.run, run, spans })
    }

    /// A deployment that runs here, or did a while ago.
    pub(crate) fn find(&self, run: RunId) -> Option<Arc<LiveRun>> {
        self.runs().all.get(&run).cloned()
    }

    fn ended(&self, id: RunId, run: &Arc<LiveRun>) {
        let mut runs = self.runs();
        // It may have been lost and resumed meanwhile.
        if !runs.all.get(&id).is_some_and(|it| Arc::ptr_eq(it, run)) {
            return;
        }
        if !run.recorder().end() {
            runs.all.remove(&id);
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
    pub(crate) async fn stopped(&self) {
        let _ = self.stopping.subscribe().wait_for(|stopping| *stopping).await;
    }
}

impl LiveRun {
    pub(crate) fn recorder(&self) -> MutexGuard<'_, Recorder> {
        self.recorder.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hears of changes from now on.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }
}

/// Watches a deployment until it ends.
struct RunWatcher {
    runs: Arc<LiveRuns>,
    id: RunId,
    run: Arc<LiveRun>,
    spans: Option<Box<dyn Watcher>>,
}

impl Watcher for RunWatcher {
    fn on_progress(&mut self, progress: &RunProgress, now: i64) {
        self.run.recorder().on_progress(progress, now);
        self.run.changed.send_modify(|count| *count += 1);
        if let Some(spans) = &mut self.spans {
            spans.on_progress(progress, now);
        }
    }
}

impl Drop for RunWatcher {
    fn drop(&mut self) {
        self.runs.ended(self.id, &self.run);
        self.run.changed.send_modify(|count| *count += 1);
    }
}
