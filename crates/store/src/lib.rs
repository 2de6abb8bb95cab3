//! Durable state of deployments behind one trait: in memory, SQLite in a folder, or PostgreSQL for many nodes.
//!
//! The store knows keys, leases and versions; what is in a record is its owner's business and comes as text or bytes with the
//! number of its format. [`Store`] promises what several nodes that share one state need:
//!
//! - [`Store::commit`] is atomic for each batch and idempotent by its id, so that a batch whose fate is unknown is sent again.
//! - A batch of a deployment carries the fence of the lease that it was made under. Who has lost the lease is [fenced](CommitOutcome::Fenced)
//!   and can change nothing any more.
//! - [`Store::claim`] and [`Store::claim_abandoned`] use the clock of the store alone and raise the fence.
//! - A wish to stop that [`Store::cancel`] has taken is durable, and whoever has the lease learns of it when it is renewed.
//! - Nothing rests on a [hint](Store::listen): a node that hears none finds everything by asking.
//! - There is one active deployment for a scope and a name.
//!
//! No closure and no open transaction crosses the trait: whatever runs in between can be killed at any time. The documents
//! in `resources/specs` say what every store does.
//!
//! Start reading at [`Commit`] for what is written, at [`Record`](record) for what is kept.

mod backup;
mod commit;
mod error;
mod key_check;
mod lease;
mod memory;
mod postgres;
pub mod record;
mod scan;
mod seal;
mod sqlite;

pub use backup::{Backup, BackupRecord, Rows, Take};
pub use commit::{BatchId, Commit, CommitOutcome, Condition, Like, Write};
pub use error::StoreError;
pub use key_check::{is_key_check, is_key_of, kept_key_check, key_check, key_check_record};
pub use lease::{Claim, Claimed, Fence, Lease};
pub use memory::MemoryStore;
pub use postgres::{Address, AddressError, Passwords, PostgresStore};
pub use record::{
    Deployment, DeploymentKey, Format, Operation, Page, PageAfter, Phase, Resource, ResourceId, RunId,
    ScopeUsage, Status, StepRecord,
};
pub use scan::{scan_deployments, scan_operations, scan_resources};
pub use seal::{Key, SealError};
pub use sqlite::SqliteStore;

/// What every store answers.
pub type Result<T> = std::result::Result<T, StoreError>;

/// Who hears hints. It must not wait.
pub type Hear = Box<dyn Fn() + Send + Sync>;

/// Durable state. Every method blocks until its answer is durable or known to be impossible.
pub trait Store: Send + Sync {
    /// Whether writing never waits for a disk or a network, so that it needs no thread of its own.
    fn is_instant(&self) -> bool {
        false
    }

    /// Writes something that nobody reads and waits until it is durable: whether the state takes writes now.
    fn probe(&self) -> Result<()> {
        Ok(())
    }

    /// Writes batches, each of them as a whole or not at all, and answers for each in the same order. Batches that come
    /// together become durable together, which costs one flush for all of them.
    fn commit(&self, batches: &[Commit]) -> Vec<CommitOutcome>;

    /// Takes the lease on a deployment that nobody has, or whose owner let it run out.
    fn claim(&self, run: RunId, owner: &str, milliseconds: u64) -> Result<Claim>;

    /// Takes the leases on outermost deployments that nobody works on, the oldest first, at most so many. Those that another node is
    /// about to take may be left out, so that nodes that ask at the same time do not wait for each other.
    fn claim_abandoned(&self, owner: &str, milliseconds: u64, limit: usize) -> Result<Vec<Claimed>>;

    /// Keeps leases for a while longer, and answers for each in the same order; none for one that was lost.
    fn renew(&self, leases: &[Lease], milliseconds: u64) -> Result<Vec<Option<Lease>>>;

    /// Gives leases back, so that others can have them at once. Those that were lost are left alone.
    fn release(&self, leases: &[Lease]) -> Result<()>;

    /// Asks an outermost deployment to stop, whoever works on it: the lease says so from now on. False if it is not under way.
    fn cancel(&self, run: RunId) -> Result<bool>;

    /// Has somebody told when there may be something to do: a lease was given back, a deployment was asked to stop. Hints may be
    /// late, lost or wrong; a store that has none gives none.
    fn listen(&self, _hear: Hear) {}

    /// Active deployments that nobody works on: those to take over, the oldest first.
    fn abandoned(&self, limit: usize) -> Result<Vec<Deployment>>;

    /// Whether runs are over, in the same order: they have ended, or are not kept any more.
    fn are_over(&self, runs: &[RunId]) -> Result<Vec<bool>>;

    /// A deployment by its scope and name.
    fn deployment(&self, key: &DeploymentKey) -> Result<Option<Deployment>>;

    /// A deployment by its run.
    fn run(&self, run: RunId) -> Result<Option<Deployment>>;

    /// An outermost run and all runs inside it, the oldest first.
    fn runs(&self, root: RunId) -> Result<Vec<Deployment>>;

    /// The deployments of a scope, the newest first; of all scopes without one.
    fn deployments(&self, scope: Option<&str>, page: Page) -> Result<Vec<Deployment>>;

    /// The steps of a run, by number.
    fn steps(&self, run: RunId) -> Result<Vec<StepRecord>>;

    /// The operations of a run, by number, from one on.
    fn operations(&self, run: RunId, page: Page) -> Result<Vec<Operation>>;

    /// A part of a run that is kept apart, such as its inputs.
    fn blob(&self, run: RunId, name: &str) -> Result<Option<Vec<u8>>>;

    /// Puts other bytes in the place of a part of a run, if it still has those that were read; whether it had.
    /// Needs no lease: what was erased meanwhile stays erased.
    fn replace_blob(&self, run: RunId, name: &str, was: &[u8], bytes: &[u8]) -> Result<bool>;

    /// A resource by its id, by whatever case.
    fn resource(&self, id: &ResourceId) -> Result<Option<Resource>>;

    /// The resources whose id begins with another id, in the order of their ids; all with an empty one.
    fn resources(&self, below: &str, page: Page) -> Result<Vec<Resource>>;

    /// What a scope has. Its length is that of the scope, so it is not asked for each write.
    fn usage(&self, scope: &str) -> Result<ScopeUsage> {
        let mut usage = ScopeUsage::default();
        for resource in self.resources(&format!("{scope}/"), Page::ALL)? {
            usage.resources += 1;
            usage.bytes += resource.body.len() as u64;
        }
        for deployment in self.deployments(Some(scope), Page::ALL)? {
            usage.active += u64::from(deployment.status == Status::Active);
            usage.bytes += deployment.body.len() as u64;
            let steps = self.steps(deployment.run)?;
            usage.bytes += steps.iter().map(|step| step.body.len() as u64).sum::<u64>();
            let operations = self.operations(deployment.run, Page::ALL)?;
            usage.bytes += operations.iter().map(|it| it.body.len() as u64).sum::<u64>();
        }
        Ok(usage)
    }

    /// The deployments of a scope behind a place, the newest first; of all scopes without one.
    fn deployments_after(&self, scope: Option<&str>, page: PageAfter) -> Result<Vec<Deployment>> {
        let all = self.deployments(scope, Page::ALL)?.into_iter();
        let is_behind = |it: &Deployment| page.after.is_none_or(|after| (it.order, it.run) < after);
        Ok(all.filter(is_behind).take(page.take).collect())
    }

    /// The resources whose id begins with another id and that are behind a third one, in the order of their ids.
    fn resources_after(&self, below: &str, after: &ResourceId, take: usize) -> Result<Vec<Resource>> {
        let all = self.resources(below, Page::ALL)?.into_iter();
        Ok(all.filter(|it| ResourceId::new(&it.id) > *after).take(take).collect())
    }
}
