//! The store with a clock: how long its answers take, and how many are errors. What is measured is what callers wait for.

use std::sync::Arc;
use std::time::Instant;

use metrics::{Counter, Histogram};
use store::{
    Claim, Claimed, Commit, CommitOutcome, Deployment, DeploymentKey, Hear, Lease, Operation, Page,
    PageAfter, Resource, ResourceId, Result, RunId, ScopeUsage, StepRecord, Store,
};

/// How long reads and writes took, and how many of them failed.
#[derive(Debug, Default)]
pub struct StoreTimes {
    pub(crate) reads: Histogram,
    pub(crate) writes: Histogram,
    pub(crate) read_errors: Counter,
    pub(crate) write_errors: Counter,
}

/// A store whose answers are measured.
pub struct MeteredStore {
    store: Arc<dyn Store>,
    times: Arc<StoreTimes>,
}

impl MeteredStore {
    /// Measures every call of a store; the times are read apart.
    pub fn new(store: Arc<dyn Store>) -> (Arc<MeteredStore>, Arc<StoreTimes>) {
        let times = Arc::new(StoreTimes::default());
        (Arc::new(MeteredStore { store, times: Arc::clone(&times) }), times)
    }

    fn read<T>(&self, ask: impl FnOnce(&dyn Store) -> Result<T>) -> Result<T> {
        timed(&self.times.reads, &self.times.read_errors, || ask(&*self.store))
    }

    fn write<T>(&self, ask: impl FnOnce(&dyn Store) -> Result<T>) -> Result<T> {
        timed(&self.times.writes, &self.times.write_errors, || ask(&*self.store))
    }
}

fn timed<T>(times: &Histogram, errors: &Counter, ask: impl FnOnce() -> Result<T>) -> Result<T> {
    let begun = Instant::now();
    let answer = ask();
    times.observe(begun.elapsed());
    if answer.is_err() {
        errors.add(1);
    }
    answer
}

impl Store for MeteredStore {
    fn is_instant(&self) -> bool {
        self.store.is_instant()
    }

    fn probe(&self) -> Result<()> {
        self.write(|store| store.probe())
    }

    fn commit(&self, batches: &[Commit]) -> Vec<CommitOutcome> {
        let begun = Instant::now();
        let outcomes = self.store.commit(batches);
        self.times.writes.observe(begun.elapsed());
        let is_lost = |outcome: &&CommitOutcome| matches!(outcome, CommitOutcome::Unknown(_));
        self.times.write_errors.add(outcomes.iter().filter(is_lost).count() as u64);
        outcomes
    }

    fn claim(&self, run: RunId, owner: &str, milliseconds: u64) -> Result<Claim> {
        self.write(|store| store.claim(run, owner, milliseconds))
    }

    fn claim_abandoned(&self, owner: &str, milliseconds: u64, limit: usize) -> Result<Vec<Claimed>> {
        self.write(|store| store.claim_abandoned(owner, milliseconds, limit))
    }

    fn renew(&self, leases: &[Lease], milliseconds: u64) -> Result<Vec<Option<Lease>>> {
        self.write(|store| store.renew(leases, milliseconds))
    }

    fn release(&self, leases: &[Lease]) -> Result<()> {
        self.write(|store| store.release(leases))
    }

    fn cancel(&self, run: RunId) -> Result<bool> {
        self.write(|store| store.cancel(run))
    }

    fn listen(&self, hear: Hear) {
        self.store.listen(hear);
    }

    fn abandoned(&self, limit: usize) -> Result<Vec<Deployment>> {
        self.read(|store| store.abandoned(limit))
    }

    fn are_over(&self, runs: &[RunId]) -> Result<Vec<bool>> {
        self.read(|store| store.are_over(runs))
    }

    fn deployment(&self, key: &DeploymentKey) -> Result<Option<Deployment>> {
        self.read(|store| store.deployment(key))
    }

    fn run(&self, run: RunId) -> Result<Option<Deployment>> {
        self.read(|store| store.run(run))
    }

    fn runs(&self, root: RunId) -> Result<Vec<Deployment>> {
        self.read(|store| store.runs(root))
    }

    fn deployments(&self, scope: Option<&str>, page: Page) -> Result<Vec<Deployment>> {
        self.read(|store| store.deployments(scope, page))
    }

    fn steps(&self, run: RunId) -> Result<Vec<StepRecord>> {
        self.read(|store| store.steps(run))
    }

    fn operations(&self, run: RunId, page: Page) -> Result<Vec<Operation>> {
        self.read(|store| store.operations(run, page))
    }

    fn blob(&self, run: RunId, name: &str) -> Result<Option<Vec<u8>>> {
        self.read(|store| store.blob(run, name))
    }

    fn replace_blob(&self, run: RunId, name: &str, was: &[u8], bytes: &[u8]) -> Result<bool> {
        self.write(|store| store.replace_blob(run, name, was, bytes))
    }

    fn resource(&self, id: &ResourceId) -> Result<Option<Resource>> {
        self.read(|store| store.resource(id))
    }

    fn resources(&self, below: &str, page: Page) -> Result<Vec<Resource>> {
        self.read(|store| store.resources(below, page))
    }

    fn usage(&self, scope: &str) -> Result<ScopeUsage> {
        self.read(|store| store.usage(scope))
    }

    fn deployments_after(&self, scope: Option<&str>, page: PageAfter) -> Result<Vec<Deployment>> {
        self.read(|store| store.deployments_after(scope, page))
    }

    fn resources_after(&self, below: &str, after: &ResourceId, take: usize) -> Result<Vec<Resource>> {
        self.read(|store| store.resources_after(below, after, take))
    }
}
