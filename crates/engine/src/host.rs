//! Many deployments at the same time, in a process that stays: accepted, run, waited for, canceled, and taken up after a crash.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arm::deployment::{Deployment, Links, Mode};
use store::{DeploymentKey, RunId};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::watch;

use crate::core::{self, Progress};
use crate::deploy::{Accepted, Ended, Engine, Refused};
use crate::journal::{self, Journal, LEASE};

/// How long the text of a template may be that is planned where it is asked for; others would keep requests waiting.
const LARGE: usize = 64 * 1024;

/// How many deployments are taken up at a time.
const MOST_TAKEN_UP: usize = 256;

/// Runs deployments side by side.
pub struct Host {
    engine: Arc<Engine>,
    journal: Arc<Journal>,
    running: Arc<Mutex<HashMap<DeploymentKey, Running>>>,
    counts: Arc<Counts>,
}

/// How many deployments ended, by how.
#[derive(Default)]
struct Counts {
    succeeded: AtomicU64,
    failed: AtomicU64,
    canceled: AtomicU64,
    /// Another process took them, or the state could not be written.
    lost: AtomicU64,
}

impl Counts {
    fn add(&self, end: &End) {
        let counter = match end.as_ref().map(|ended| &ended.end) {
            Ok(core::End::Succeeded(_)) => &self.succeeded,
            Ok(core::End::Failed(_)) => &self.failed,
            Ok(core::End::Canceled) => &self.canceled,
            Ok(core::End::Lost) | Err(_) => &self.lost,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// A deployment that runs in this process.
struct Running {
    run: RunId,
    cancel: UnboundedSender<()>,
    ended: watch::Receiver<Option<Arc<End>>>,
}

/// How a deployment ended, for all who wait.
type End = Result<Ended, Refused>;

/// A deployment that was started.
pub struct Started {
    /// The run.
    pub run: RunId,
    /// Where it is found.
    pub key: DeploymentKey,
    ended: watch::Receiver<Option<Arc<End>>>,
}

/// The deployments that were cut off.
#[derive(Default)]
pub struct TakenUp {
    /// Those that go on.
    pub started: Vec<Started>,
    /// Those that cannot.
    pub refused: Vec<(DeploymentKey, Refused)>,
}

impl Host {
    /// Runs deployments on an engine.
    pub fn new(engine: Engine) -> Host {
        let journal = Arc::new(Journal::start(Arc::clone(&engine.store)));
        Host { engine: Arc::new(engine), journal, running: Arc::default(), counts: Arc::default() }
    }

    /// The engine.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    fn running(&self) -> MutexGuard<'_, HashMap<DeploymentKey, Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a deployment durable and begins to run it.
    pub async fn start(&self, deployment: Arc<Deployment>, mode: Mode) -> Result<Started, Refused> {
        let owner = Some(journal::owner());
        let (commit, planned) = if deployment.template().text().len() > LARGE {
            let engine = Arc::clone(&self.engine);
            blocking(move || engine.plan(deployment, mode, owner)).await?
        } else {
            self.engine.plan(deployment, mode, owner)?
        };
        let outcome = self.journal.committed(commit).await;
        Ok(self.spawn(planned.accepted(Some(outcome))?))
    }

    /// Takes up the deployments that nobody works on: those of processes that died. Where links lead that nobody had
    /// followed yet is asked of `links`.
    pub async fn take_up(&self, links: &Links) -> Result<TakenUp, Refused> {
        let (engine, links) = (Arc::clone(&self.engine), links.clone());
        let found = blocking(move || {
            let abandoned = engine.store.abandoned(MOST_TAKEN_UP)?;
            let resume = |it: store::Deployment| (it.key, engine.resume(it.run, &links));
            Ok(abandoned.into_iter().map(resume).collect::<Vec<_>>())
        })
        .await?;
        let mut taken = TakenUp::default();
        for (key, resumed) in found {
            match resumed {
                Ok(accepted) => taken.started.push(self.spawn(accepted)),
                Err(refused) => taken.refused.push((key, refused)),
            }
        }
        Ok(taken)
    }

    /// Takes up what processes that died have left, now and from time to time, until the host is gone. Those that cannot be taken up are told.
    pub fn keep_taking_up(
        self: &Arc<Self>,
        links: Links,
        tell: impl Fn(&DeploymentKey, &Refused) + Send + 'static,
    ) {
        let host = Arc::downgrade(self);
        tokio::spawn(async move {
            while let Some(host) = host.upgrade() {
                // A store that does not answer may the next time; requests say so meanwhile.
                if let Ok(taken) = host.take_up(&links).await {
                    taken.refused.iter().for_each(|(key, refused)| tell(key, refused));
                }
                drop(host);
                tokio::time::sleep(Duration::from_millis(LEASE)).await;
            }
        });
    }

    fn spawn(&self, accepted: Accepted) -> Started {
        let (cancel, canceled) = unbounded_channel();
        let (tell, ended) = watch::channel(None);
        let (run, key) = (accepted.run, accepted.key.clone());
        self.running().insert(key.clone(), Running { run, cancel, ended: ended.clone() });
        let (engine, running) = (Arc::clone(&self.engine), Arc::clone(&self.running));
        let journal = Arc::clone(&self.journal);
        let (of, counts) = (key.clone(), Arc::clone(&self.counts));
        tokio::spawn(async move {
            let end = engine.run_with(&journal, accepted, canceled, &mut |_: &Progress, _: i64| {}).await;
            counts.add(&end);
            let mut running = running.lock().unwrap_or_else(PoisonError::into_inner);
            if running.get(&of).is_some_and(|it| it.run == run) {
                running.remove(&of);
            }
            drop(running);
            let _ = tell.send(Some(Arc::new(end)));
        });
        Started { run, key, ended }
    }

    /// A deployment that runs in this process.
    pub fn find(&self, key: &DeploymentKey) -> Option<Started> {
        let running = self.running();
        let found = running.get(key)?;
        Some(Started { run: found.run, key: key.clone(), ended: found.ended.clone() })
    }

    /// Cancels a deployment that runs in this process; false if there is none.
    pub fn cancel(&self, key: &DeploymentKey) -> bool {
        self.running().get(key).is_some_and(|found| found.cancel.send(()).is_ok())
    }

    /// How many deployments have ended in this process, by how.
    pub fn ended(&self) -> [(&'static str, u64); 4] {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let Counts { succeeded, failed, canceled, lost } = &*self.counts;
        [
            ("succeeded", get(succeeded)),
            ("failed", get(failed)),
            ("canceled", get(canceled)),
            ("lost", get(lost)),
        ]
    }

    /// How many deployments run in this process.
    pub fn count(&self) -> usize {
        self.running().len()
    }
}

impl Started {
    /// Waits for the end, for a while; none if it has not come.
    pub async fn wait(&self, patience: Duration) -> Option<Arc<End>> {
        let mut ended = self.ended.clone();
        let told = tokio::time::timeout(patience, ended.wait_for(Option::is_some)).await;
        match told {
            Ok(Ok(end)) => end.clone(),
            // Whoever ran it is gone, or it takes longer.
            Ok(Err(_)) | Err(_) => None,
        }
    }
}

/// Does something that waits for the disk, where that hinders nobody.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refused> + Send + 'static,
) -> Result<T, Refused> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(Refused::State(error.to_string())),
    }
}
