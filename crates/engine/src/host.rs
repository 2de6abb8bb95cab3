//! Many deployments at the same time, in a process that stays: accepted, run, waited for, canceled, and resumed after a crash.
//!
//! Other processes may do the same on the same store. What is asked of a deployment (to wait for it, to cancel it) is answered wherever it runs.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use arm::budget::Budget;
use arm::deployment::{Deployment, DeploymentMode, Links, StepKind};
use arm::evaluate::Scope;
use machine::Failure;
use machine::core::{self, RunProgress};
use machine::records::DeploymentRecord;
use smol_str::SmolStr;
use store::{Claimed, CommitOutcome, Condition, DeploymentKey, Fence, ResourceId, RunId, Status};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::{Semaphore, watch};

use crate::attempts;
use crate::deploy::{AcceptedDeployment, DeploymentResult, Engine, StartError};
use crate::journal::Journal;
use crate::lease_keeper::{Keeper, LEASE, LeaseHandle, StopReason, monotonic, owner};
use crate::persist::Writers;
use crate::run_waiters::RunWaiters;
use crate::runtime::Watcher;
use crate::takeovers::{Probation, Takeovers};

/// How long the text of a template may be that is planned where it is asked for; others would keep requests waiting.
const LARGE: usize = 64 * 1024;

/// The code of a failure for which the budget is the reason.
const BUDGET_EXCEEDED: &str = "BudgetExceeded";

/// How many steps a deployment has that runs where requests are served; modules may have any number of them.
const FEW_STEPS: usize = 64;

/// How many deployments are read from the state at the same time.
const MOST_READ: usize = 4;

/// Whom the memory of deployments is counted for that are resumed.
const RESUMED: &str = "";
/// How long one that is resumed waits for memory, and how often it is looked.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(20);

/// How many deployments are resumed at a time.
const MOST_TAKEN_UP: usize = 256;

/// Makes who watches a deployment that begins.
pub type WatcherFactory = Box<dyn Fn(&AcceptedDeployment) -> Box<dyn Watcher> + Send + Sync>;

/// Runs deployments side by side.
pub struct Host {
    engine: Arc<Engine>,
    writers: Writers,
    keeper: Arc<Keeper>,
    running: Arc<Mutex<HashMap<DeploymentKey, RunningDeployment>>>,
    counts: Arc<Counts>,
    awaited: Arc<RunWaiters>,
    /// Makes an observer for each deployment that runs here; none if nobody watches.
    watch: OnceLock<WatcherFactory>,
    /// Whose turn it is to be read from the state: a plan takes many times the bytes of its text while it is made.
    reading: Semaphore,
    /// Who of those that are resumed begins when.
    takeovers: Takeovers,
    /// Where deployments run that compute much; none if that hinders nobody.
    aside: OnceLock<Handle>,
}

/// How many deployments ended, by how.
#[derive(Default)]
struct Counts {
    succeeded: AtomicU64,
    failed: AtomicU64,
    canceled: AtomicU64,
    /// Another process took them, or the state could not be written, or the task that ran them panicked.
    lost: AtomicU64,
    /// Those that failed because they exceeded their budget.
    over_budget: AtomicU64,
    /// Those of other processes that were resumed here.
    taken_over: AtomicU64,
}

impl Counts {
    fn add(&self, end: &End) {
        let counter = match end.as_ref().map(|ended| &ended.end) {
            Ok(core::RunEnd::Succeeded(_)) => &self.succeeded,
            Ok(core::RunEnd::Failed(_)) => &self.failed,
            Ok(core::RunEnd::Canceled) => &self.canceled,
            Ok(core::RunEnd::Lost) | Err(_) => &self.lost,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        let is_over = |failure: &Failure| failure.code == BUDGET_EXCEEDED;
        if matches!(end.as_ref().map(|ended| &ended.end), Ok(core::RunEnd::Failed(failure)) if is_over(failure) || failure.details.iter().any(is_over))
        {
            self.over_budget.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// A deployment that runs in this process.
struct RunningDeployment {
    run: RunId,
    cancel: UnboundedSender<()>,
    /// What is evaluated for it ends when it is canceled.
    budget: Budget,
    fence: Option<Fence>,
    ended: watch::Receiver<Option<Arc<End>>>,
}

/// How a deployment ended, for all who wait.
type End = Result<DeploymentResult, StartError>;

/// A deployment that was started.
pub struct DeploymentHandle {
    /// The run, by which it is found in the store once it is not here any more.
    pub run: RunId,
    /// Where it is found.
    pub key: DeploymentKey,
    ended: watch::Receiver<Option<Arc<End>>>,
}

/// The deployments that were interrupted.
#[derive(Default)]
pub struct TakenUp {
    /// Those that go on.
    pub started: Vec<DeploymentHandle>,
    /// Those that cannot be resumed, and why.
    pub refused: Vec<(DeploymentKey, StartError)>,
}

impl Host {
    /// Runs deployments on an engine.
    pub fn new(engine: Engine) -> Host {
        let journal = Arc::new(Journal::start(Arc::clone(&engine.store)));
        let keeper = Arc::new(Keeper::start(Arc::clone(&engine.store)));
        let writers = Writers { journal, keeper: Some(Arc::clone(&keeper)) };
        let awaited = Arc::new(RunWaiters::new(Arc::clone(&engine.store)));
        let (running, counts) = Default::default();
        Host {
            engine: Arc::new(engine),
            writers,
            keeper,
            running,
            counts,
            awaited,
            watch: OnceLock::new(),
            reading: Semaphore::new(MOST_READ),
            takeovers: Takeovers::default(),
            aside: OnceLock::new(),
        }
    }

    /// The engine that it runs deployments with.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    fn running(&self) -> MutexGuard<'_, HashMap<DeploymentKey, RunningDeployment>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has large deployments run on threads of another runtime, so that they do not keep those waiting that serve. The first one who says it decides.
    pub fn run_aside(&self, runtime: Handle) {
        let _ = self.aside.set(runtime);
    }

    /// Where what computes much runs; none if that hinders nobody.
    pub fn aside(&self) -> Option<&Handle> {
        self.aside.get()
    }

    /// Lets deployments that begin from now on be watched. The first one who says it decides.
    pub fn watch(&self, watch: WatcherFactory) {
        let _ = self.watch.set(watch);
    }

    /// Makes a deployment durable and begins to run it.
    pub async fn start(
        &self,
        deployment: Arc<Deployment>,
        mode: DeploymentMode,
    ) -> Result<DeploymentHandle, StartError> {
        self.start_beside(deployment, mode, None).await
    }

    /// The same for a deployment whose resource group has to be there: that it is, and that the deployment begins, are decided at once, so that
    /// nobody can delete the group between the two.
    pub async fn start_in_group(
        &self,
        deployment: Arc<Deployment>,
        mode: DeploymentMode,
    ) -> Result<DeploymentHandle, StartError> {
        let group = match &deployment.context().scope {
            scope @ Scope::ResourceGroup { .. } => Some(scope.id()),
            Scope::Unknown
            | Scope::Tenant
            | Scope::ManagementGroup(_)
            | Scope::Subscription(_)
            | Scope::Plane { .. } => None,
        };
        self.start_beside(deployment, mode, group).await
    }

    /// Makes a deployment durable and begins to run it, if the resource beside it is there.
    async fn start_beside(
        &self,
        deployment: Arc<Deployment>,
        mode: DeploymentMode,
        group: Option<SmolStr>,
    ) -> Result<DeploymentHandle, StartError> {
        let owner = Some(owner().to_owned());
        let (mut commit, planned) = if deployment.template().text().len() > LARGE {
            let engine = Arc::clone(&self.engine);
            blocking(move || engine.plan(deployment, mode, owner)).await?
        } else {
            self.engine.plan(deployment, mode, owner)?
        };
        let of_group = commit.conditions.len();
        commit.conditions.extend(group.iter().map(|id| Condition::Present(ResourceId::new(id))));
        let outcome = self.writers.journal.committed(commit).await;
        match group {
            Some(id) if outcome == (CommitOutcome::Conflict { condition: of_group }) => {
                let name = id.rsplit('/').next().unwrap_or_default();
                let message = format!("Resource group '{name}' could not be found.");
                Err(StartError::Failure(Failure::new("ResourceGroupNotFound", message)))
            }
            Some(_) | None => Ok(self.spawn(planned.accepted(Some(outcome))?)),
        }
    }

    /// Deletes a resource group, with its resources and the records of its deployments; refused while one of them is under way. One that was accepted
    /// after that was asked finds its group no more, and is asked to stop.
    pub async fn delete_group(&self, id: &str) -> Result<(), StartError> {
        self.engine.delete_group(id).await?;
        let active: Vec<store::Deployment> = store::scan_deployments(&*self.engine.store, Some(id))
            .filter(|found| found.as_ref().map_or(true, |found| found.status == Status::Active))
            .collect::<Result<_, _>>()?;
        for deployment in active {
            if deployment.status == Status::Active {
                self.cancel(&deployment).await?;
            }
        }
        Ok(())
    }

    /// Resumes the deployments that nobody works on: those of processes that died. Where links lead that nobody had
    /// followed yet is asked of `links`.
    pub async fn take_up(&self, links: &Links) -> Result<TakenUp, StartError> {
        let engine = Arc::clone(&self.engine);
        let asked = monotonic();
        let claimed =
            blocking(move || Ok(engine.store.claim_abandoned(owner(), LEASE, MOST_TAKEN_UP)?)).await?;
        let mut taken = TakenUp::default();
        for Claimed { deployment, lease } in claimed {
            let key = deployment.key.clone();
            match self.resume(deployment, LeaseHandle::Fresh { lease, asked }, links).await {
                Ok(started) => taken.started.push(started),
                Err(refused) => taken.refused.push((key, refused)),
            }
        }
        Ok(taken)
    }

    async fn resume(
        &self,
        deployment: store::Deployment,
        right: LeaseHandle,
        links: &Links,
    ) -> Result<DeploymentHandle, StartError> {
        // What nobody keeps the lease of cannot wait.
        let is_kept = matches!(right, LeaseHandle::Kept(_));
        let (engine, run) = (Arc::clone(&self.engine), deployment.run);
        let is_last = is_kept && blocking(move || Ok(attempts::is_last(&*engine.store, run)?)).await?;
        let probation = if is_kept { Some(self.takeovers.begin(is_last).await) } else { None };
        let (engine, links) = (Arc::clone(&self.engine), links.clone());
        // It is never closed.
        let _turn = self.reading.acquire().await;
        // Whoever ended before may have ended the process; a lease that nobody keeps cannot wait for memory.
        let asked = Instant::now();
        while is_kept && !self.engine.budgets.may_begin(RESUMED) && asked.elapsed() < PATIENCE {
            tokio::time::sleep(LOOK).await;
        }
        let accepted = blocking(move || engine.resume_claimed(deployment, right, &links)).await?;
        self.counts.taken_over.fetch_add(1, Ordering::Relaxed);
        Ok(self.spawn_on(accepted, probation))
    }

    /// Resumes what nobody works on, now and as soon as it is found, until the host is gone: what processes left that died or were
    /// stopped. Those that cannot be resumed are reported, and left alone for a while.
    pub fn keep_taking_up(
        self: &Arc<Self>,
        links: Links,
        tell: impl Fn(&DeploymentKey, &StartError) + Send + Sync + 'static,
    ) {
        let (host, runtime, tell) = (Arc::downgrade(self), tokio::runtime::Handle::current(), Arc::new(tell));
        self.keeper.take_up(Box::new(move |claimed| {
            let (host, links, tell) = (host.clone(), links.clone(), Arc::clone(&tell));
            runtime.spawn(async move {
                let Some(host) = host.upgrade() else { return };
                let Claimed { deployment, lease } = claimed;
                let (key, fence) = (deployment.key.clone(), lease.fence);
                if let Err(refused) = host.resume(deployment, LeaseHandle::Kept(lease), &links).await {
                    host.keeper.release(fence, StopReason::Parked);
                    tell(&key, &refused);
                }
            });
        }));
    }

    /// Gives back what still runs, so that other processes resume it at once, and resumes nothing more.
    pub async fn drain(&self) {
        let (keeper, engine) = (Arc::clone(&self.keeper), Arc::clone(&self.engine));
        let fences: Vec<Fence> = self.running().values().filter_map(|running| running.fence).collect();
        let drain = move || {
            // That this process ends is no fault of theirs.
            attempts::take_back(&*engine.store, &fences);
            keeper.drain();
        };
        let _ = tokio::task::spawn_blocking(drain).await;
    }

    fn spawn(&self, accepted: AcceptedDeployment) -> DeploymentHandle {
        self.spawn_on(accepted, None)
    }

    /// Runs a deployment, which may have to show that it ends no process.
    fn spawn_on(&self, accepted: AcceptedDeployment, probation: Option<Probation>) -> DeploymentHandle {
        let fence = accepted.fence();
        let (cancel, canceled) = unbounded_channel();
        let (tell, ended) = watch::channel(None);
        let (run, key) = (accepted.run, accepted.key.clone());
        let budget = accepted.program.plan().deployment().context().budget.clone();
        let running =
            RunningDeployment { run, cancel, budget, fence: accepted.fence(), ended: ended.clone() };
        self.running().insert(key.clone(), running);
        let (engine, writers) = (Arc::clone(&self.engine), self.writers.clone());
        let task = Task {
            key: key.clone(),
            running: Arc::clone(&self.running),
            counts: Arc::clone(&self.counts),
            tell,
            end: None,
        };
        let mut watcher: Box<dyn Watcher> = match self.watch.get() {
            Some(watch) => watch(&accepted),
            None => Box::new(|_: &RunProgress, _: i64| {}),
        };
        if let Some(probation) = probation {
            watcher = probation.watching(watcher);
            let store = Arc::clone(&self.engine.store);
            tokio::spawn(async move {
                if let (true, Some(fence)) = (probation.ended().await, fence) {
                    let _ = tokio::task::spawn_blocking(move || attempts::survived(&*store, fence)).await;
                }
            });
        }
        let steps = accepted.program.plan().steps();
        let is_large = steps.len() > FEW_STEPS || steps.iter().any(|step| step.kind == StepKind::Deployment);
        let runtime = self.aside.get().filter(|_| is_large).cloned().unwrap_or_else(Handle::current);
        runtime.spawn(async move {
            let end = engine.run_with(&writers, accepted, canceled, &mut *watcher).await;
            // Who watches knows of the end before those who wait.
            drop(watcher);
            task.ended(end);
        });
        DeploymentHandle { run, key, ended }
    }

    /// A deployment that runs in this process.
    pub fn find(&self, key: &DeploymentKey) -> Option<DeploymentHandle> {
        let running = self.running();
        let found = running.get(key)?;
        Some(DeploymentHandle { run: found.run, key: key.clone(), ended: found.ended.clone() })
    }

    /// Asks an outermost deployment to stop, wherever it runs; false if it is not under way. That it was asked is durable.
    pub async fn cancel(&self, deployment: &store::Deployment) -> Result<bool, StartError> {
        let (engine, run) = (Arc::clone(&self.engine), deployment.run);
        if !blocking(move || Ok(engine.store.cancel(run)?)).await? {
            return Ok(false);
        }
        // Another process hears of it when it renews the lease.
        if let Some(here) = self.running().get(&deployment.key).filter(|it| it.run == run) {
            let _ = here.cancel.send(());
            here.budget.cancel();
        }
        Ok(true)
    }

    /// Waits until a deployment is over, for a while, wherever it runs. Its record, if it is kept; none if it still runs.
    pub async fn outcome(
        &self,
        key: &DeploymentKey,
        run: RunId,
        patience: Duration,
    ) -> Result<Option<DeploymentRecord>, StartError> {
        let waiting = async {
            if let Some(here) = self.find(key).filter(|here| here.run == run) {
                match here.wait(Duration::MAX).await.as_deref() {
                    Some(Ok(DeploymentResult { end: core::RunEnd::Lost, .. }) | Err(_)) | None => {}
                    Some(Ok(ended)) => return Some(ended.record.clone()),
                }
            }
            self.awaited.wait_until_ended(run).await;
            None
        };
        let Ok(told) = tokio::time::timeout(patience, waiting).await else { return Ok(None) };
        if told.is_some() {
            return Ok(told);
        }
        let engine = Arc::clone(&self.engine);
        let kept = blocking(move || Ok(engine.store.run(run)?)).await?;
        let ended = kept.filter(|it| it.status == Status::Ended);
        Ok(ended.map(|ended| DeploymentRecord::from_store(&ended.body)).transpose()?)
    }

    /// How many deployments have ended in this process, by how.
    pub fn ended(&self) -> [(&'static str, u64); 4] {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let Counts { succeeded, failed, canceled, lost, .. } = &*self.counts;
        [
            ("succeeded", get(succeeded)),
            ("failed", get(failed)),
            ("canceled", get(canceled)),
            ("lost", get(lost)),
        ]
    }

    /// How many deployments failed in this process because they exceeded their budget.
    pub fn over_budget(&self) -> u64 {
        self.counts.over_budget.load(Ordering::Relaxed)
    }

    /// How many deployments of other processes were resumed here.
    pub fn taken_over(&self) -> u64 {
        self.counts.taken_over.load(Ordering::Relaxed)
    }

    /// How many deployments run in this process.
    pub fn count(&self) -> usize {
        self.running().len()
    }
}

/// A deployment that runs: whatever becomes of the task, it is told and no longer counted.
struct Task {
    key: DeploymentKey,
    running: Arc<Mutex<HashMap<DeploymentKey, RunningDeployment>>>,
    counts: Arc<Counts>,
    tell: watch::Sender<Option<Arc<End>>>,
    end: Option<End>,
}

impl Task {
    fn ended(mut self, end: End) {
        self.end = Some(end);
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        let stopped = || Err(StartError::State("the deployment stopped here before its end".to_owned()));
        let end = self.end.take().unwrap_or_else(stopped);
        self.counts.add(&end);
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        // The same deployment may have been lost and resumed meanwhile.
        if running.get(&self.key).is_some_and(|it| it.ended.same_channel(&self.tell.subscribe())) {
            running.remove(&self.key);
        }
        drop(running);
        let _ = self.tell.send(Some(Arc::new(end)));
    }
}

impl DeploymentHandle {
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
    work: impl FnOnce() -> Result<T, StartError> + Send + 'static,
) -> Result<T, StartError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(StartError::State(error.to_string())),
    }
}
