//! A store in front of the one in memory, of which a test changes what it is about.

use store::{
    Claim, Claimed, Commit, CommitOutcome, Deployment, DeploymentKey, Hear, Lease, MemoryStore, Operation,
    Page, Resource, ResourceId, Result, RunId, StepRecord, Store,
};

/// What is different from the store behind it.
pub(crate) trait StoreLayer: Send + Sync {
    /// The store behind it.
    fn inner(&self) -> &MemoryStore;

    /// See [`Store::is_instant`].
    fn is_instant(&self) -> bool {
        self.inner().is_instant()
    }

    /// See [`Store::commit`].
    fn commit(&self, batches: &[Commit]) -> Vec<CommitOutcome> {
        self.inner().commit(batches)
    }

    /// See [`Store::listen`].
    fn listen(&self, _hear: Hear) {}

    /// A lease was given back, or a deployment was asked to stop.
    fn hint(&self) {}
}

/// A store with a layer in front of it.
pub(crate) struct LayeredStore<L>(pub(crate) L);

impl<L: StoreLayer> Store for LayeredStore<L> {
    fn is_instant(&self) -> bool {
        self.0.is_instant()
    }

    fn commit(&self, batches: &[Commit]) -> Vec<CommitOutcome> {
        self.0.commit(batches)
    }

    fn claim(&self, run: RunId, owner: &str, milliseconds: u64) -> Result<Claim> {
        self.0.inner().claim(run, owner, milliseconds)
    }

    fn claim_abandoned(&self, owner: &str, milliseconds: u64, limit: usize) -> Result<Vec<Claimed>> {
        self.0.inner().claim_abandoned(owner, milliseconds, limit)
    }

    fn renew(&self, leases: &[Lease], milliseconds: u64) -> Result<Vec<Option<Lease>>> {
        self.0.inner().renew(leases, milliseconds)
    }

    fn release(&self, leases: &[Lease]) -> Result<()> {
        let released = self.0.inner().release(leases);
        self.0.hint();
        released
    }

    fn cancel(&self, run: RunId) -> Result<bool> {
        let canceled = self.0.inner().cancel(run);
        self.0.hint();
        canceled
    }

    fn listen(&self, hear: Hear) {
        self.0.listen(hear);
    }

    fn abandoned(&self, limit: usize) -> Result<Vec<Deployment>> {
        self.0.inner().abandoned(limit)
    }

    fn are_over(&self, runs: &[RunId]) -> Result<Vec<bool>> {
        self.0.inner().are_over(runs)
    }

    fn deployment(&self, key: &DeploymentKey) -> Result<Option<Deployment>> {
        self.0.inner().deployment(key)
    }

    fn run(&self, run: RunId) -> Result<Option<Deployment>> {
        self.0.inner().run(run)
    }

    fn runs(&self, root: RunId) -> Result<Vec<Deployment>> {
        self.0.inner().runs(root)
    }

    fn deployments(&self, scope: Option<&str>, page: Page) -> Result<Vec<Deployment>> {
        self.0.inner().deployments(scope, page)
    }

    fn steps(&self, run: RunId) -> Result<Vec<StepRecord>> {
        self.0.inner().steps(run)
    }

    fn operations(&self, run: RunId, page: Page) -> Result<Vec<Operation>> {
        self.0.inner().operations(run, page)
    }

    fn blob(&self, run: RunId, name: &str) -> Result<Option<Vec<u8>>> {
        self.0.inner().blob(run, name)
    }

    fn replace_blob(&self, run: RunId, name: &str, was: &[u8], bytes: &[u8]) -> Result<bool> {
        self.0.inner().replace_blob(run, name, was, bytes)
    }

    fn resource(&self, id: &ResourceId) -> Result<Option<Resource>> {
        self.0.inner().resource(id)
    }

    fn resources(&self, below: &str, page: Page) -> Result<Vec<Resource>> {
        self.0.inner().resources(below, page)
    }
}
