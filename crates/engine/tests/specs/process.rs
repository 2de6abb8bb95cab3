//! One process that runs deployments: it may crash at a commit, and tells what it asks of the provider.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use arm::deployment::{Deployment, DeploymentMode, Links};
use engine::core::{Act, MachineSettings, PutRequest, RunProgress};
use engine::provider::{Layer, Local, Pending, Provider, Script, ScriptedProvider};
use engine::{AcceptedDeployment, Clock, DeploymentResult, Engine, StartError};
use store::{Commit, CommitOutcome, Key, MemoryStore, RunId, Store};
use tokio::sync::mpsc::unbounded_channel;

use crate::layered_store::{LayeredStore, StoreLayer};

/// When a process crashes: at which commit, and whether that is durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Crash {
    pub(crate) commit: usize,
    pub(crate) is_durable: bool,
}

/// What outlives processes.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) key: Key,
    pub(crate) script: Arc<Script>,
    /// What the provider was asked.
    pub(crate) requests: Arc<Mutex<Vec<String>>>,
}

/// What became of a process.
pub(crate) enum ProcessEnd {
    Crashed,
    Rejected(StartError),
    Ended(Box<DeploymentResult>),
}

/// What a process is to do.
pub(crate) enum Task {
    Deploy(Arc<Deployment>, DeploymentMode),
    Resume(RunId),
}

impl World {
    pub(crate) fn new(script: Arc<Script>) -> World {
        let store = Arc::new(MemoryStore::new());
        World { store, key: Key::random().unwrap(), script, requests: Arc::default() }
    }

    /// Runs a process, and counts the commits that it has tried.
    pub(crate) fn run(&self, task: Task, crash: Option<Crash>) -> (ProcessEnd, usize) {
        let inner = Arc::clone(&self.store);
        let store = Arc::new(LayeredStore(CrashingWrites { inner, commits: 0.into(), crash }));
        let local = Local::new(Arc::<MemoryStore>::clone(&self.store), self.key.clone());
        let scripted = ScriptedProvider::new(Arc::new(local), Arc::clone(&self.script));
        let provider = Recorder { below: Arc::new(scripted), requests: Arc::clone(&self.requests) };
        let engine = Engine {
            store: Arc::<LayeredStore<CrashingWrites>>::clone(&store),
            key: self.key.clone(),
            provider: Arc::new(provider),
            settings: MachineSettings::default(),
            clock: Clock::Virtual,
            budgets: Default::default(),
        };
        let end = catch_unwind(AssertUnwindSafe(|| match perform(&engine, task) {
            Ok(ended) => ProcessEnd::Ended(Box::new(ended)),
            Err(rejected) => ProcessEnd::Rejected(rejected),
        }));
        let end =
            end.unwrap_or_else(
                |panic| {
                    if panic.is::<Crash>() { ProcessEnd::Crashed } else { resume_unwind(panic) }
                },
            );
        (end, store.0.commits.load(Ordering::Relaxed))
    }
}

fn perform(engine: &Engine, task: Task) -> Result<DeploymentResult, StartError> {
    let accepted: AcceptedDeployment = match task {
        Task::Deploy(deployment, mode) => engine.accept(deployment, mode)?,
        Task::Resume(run) => engine.resume(run, &Links::default())?,
    };
    let (_keep, cancel) = unbounded_channel();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(engine.run(accepted, cancel, &mut |_: &RunProgress, _: i64| {}))
}

/// A store that counts its commits, and takes its process along at one of them.
struct CrashingWrites {
    inner: Arc<MemoryStore>,
    commits: AtomicUsize,
    crash: Option<Crash>,
}

impl StoreLayer for CrashingWrites {
    fn inner(&self) -> &MemoryStore {
        &self.inner
    }

    fn commit(&self, batches: &[Commit]) -> Vec<CommitOutcome> {
        let commit = self.commits.fetch_add(1, Ordering::Relaxed) + 1;
        let crash = self.crash.filter(|crash| crash.commit == commit);
        // The panic hook has nothing to say of it: it is not a mistake.
        let crash_if = |is_durable| {
            if let Some(crash) = crash.filter(|crash| crash.is_durable == is_durable) {
                resume_unwind(Box::new(crash));
            }
        };
        crash_if(false);
        let outcomes = self.inner.commit(batches);
        crash_if(true);
        outcomes
    }
}

/// A provider that writes down what it is asked.
struct Recorder {
    below: Arc<dyn Provider>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Recorder {
    fn note(&self, what: &str, id: &str) {
        self.requests.lock().unwrap().push(format!("{what} {}", short(id)));
    }
}

/// An id without the scope.
pub(crate) fn short(id: &str) -> &str {
    id.rsplit_once("/providers/").map_or(id, |(_, short)| short)
}

impl Layer for Recorder {
    fn inner(&self) -> &dyn Provider {
        &*self.below
    }

    fn rebase_on(&self, below: Arc<dyn Provider>) -> Arc<dyn Provider> {
        below
    }

    fn get<'a>(&'a self, id: &'a str, api_version: &'a str) -> Pending<'a> {
        self.note("get", id);
        self.below.get(id, api_version)
    }

    fn put<'a>(&'a self, put: &'a PutRequest) -> Pending<'a> {
        self.note("put", &put.id);
        self.below.put(put)
    }

    fn delete<'a>(&'a self, id: &'a str) -> Pending<'a> {
        self.note("delete", id);
        self.below.delete(id)
    }

    fn list<'a>(&'a self, below: &'a str) -> Pending<'a> {
        self.note("list", below);
        self.below.list(below)
    }

    fn action<'a>(&'a self, act: &'a Act) -> Pending<'a> {
        self.note("action", &act.id);
        self.below.action(act)
    }
}
