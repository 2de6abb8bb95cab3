//! PostgreSQL: one state for many nodes.
//!
//! Correctness rests on rows alone: on locks that end with their transaction, on fences, and on unique keys. There is no state in a
//! session, no advisory lock, and statements have no names unless the [address](Address) asks for it, so that a connection pooler may
//! hand every transaction to another session.
//!
//! A group of batches is one transaction under READ COMMITTED. It locks what the batches depend on, in an order that is the same for
//! all, decides, writes, and commits (see `group` and `write`). Rows that are locked do not change until the commit, and rows
//! that are not there are kept away, so every batch happens as a whole at the moment of the commit: writes that skew each other cannot happen. A commit whose
//! answer is lost is [`CommitOutcome::Unknown`]; sent again, it is known by its id.

mod address;
mod backup;
mod blocking;
mod calls;
mod group;
mod hints;
mod lease;
mod limits;
mod pool;
mod query;
mod read;
mod read_batcher;
mod schema;
mod text;
mod tls;
mod value;
mod write;

pub use address::{Address, AddressError, Passwords};

use std::sync::Arc;

use blocking::Bridge;
use pool::Pool;
use read_batcher::Gather;
use tls::Tls;

use crate::commit::{Commit, CommitOutcome};
use crate::lease::{Claim, Claimed, Lease};
use crate::record::{
    Deployment, DeploymentKey, Operation, Page, PageAfter, Resource, ResourceId, RunId, ScopeUsage,
    StepRecord,
};
use crate::{Hear, Result, Store, StoreError};

/// State in a database that many nodes share.
pub struct PostgresStore {
    address: Address,
    // Connections are closed before the runtime that they live on.
    pool: Arc<Pool>,
    gather: Arc<Gather>,
    bridge: Bridge,
}

impl std::fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PostgresStore({})", self.address)
    }
}

impl PostgresStore {
    /// Opens the state in a database, whose tables are made or brought up to date.
    pub fn open(address: Address) -> Result<PostgresStore> {
        PostgresStore::open_as(address, schema::newest())
    }

    /// Opens the state as a program does that knows versions of the schema up to this one.
    #[doc(hidden)]
    pub fn open_as(address: Address, version: usize) -> Result<PostgresStore> {
        let bridge = Bridge::new()?;
        let pool = Arc::new(Pool::new(address.clone(), bridge.handle()?.clone(), version)?);
        bridge.wait(async {
            let client = pool.first().await?;
            is_durable(&client).await?;
            schema::migrate(&client, &address.schema, version).await?;
            Ok(())
        })?;
        Ok(PostgresStore { address, pool, gather: Arc::default(), bridge })
    }
}

/// Refuses a database that answers before a commit is on the disk.
async fn is_durable(client: &tokio_postgres::Client) -> Result<()> {
    let asked = client.query_typed("SELECT current_setting('synchronous_commit')", &[]).await;
    let rows = asked.map_err(|error| pool::failed(&error))?;
    if rows.first().and_then(|row| row.try_get::<_, String>(0).ok()).as_deref() == Some("off") {
        let message = "`synchronous_commit` is off, so that it could lose what it has confirmed; set it to `on` for this database or user";
        return Err(StoreError::Remote(message.to_owned()));
    }
    Ok(())
}

impl Store for PostgresStore {
    fn probe(&self) -> Result<()> {
        self.bridge.wait(write::probe(&self.pool))
    }

    fn commit(&self, batches: &[Commit]) -> Vec<CommitOutcome> {
        let committed = self.bridge.wait(async { Ok(write::commit(&self.pool, batches).await) });
        committed.unwrap_or_else(|error| {
            let message = error.to_string();
            batches.iter().map(|_| CommitOutcome::Unknown(message.clone())).collect()
        })
    }

    fn claim(&self, run: RunId, owner: &str, milliseconds: u64) -> Result<Claim> {
        self.bridge.wait(lease::claim(&self.pool, run, owner, milliseconds))
    }

    fn claim_abandoned(&self, owner: &str, milliseconds: u64, limit: usize) -> Result<Vec<Claimed>> {
        self.bridge.wait(lease::claim_abandoned(&self.pool, owner, milliseconds, limit))
    }

    fn renew(&self, leases: &[Lease], milliseconds: u64) -> Result<Vec<Option<Lease>>> {
        self.bridge.wait(lease::renew(&self.pool, leases, milliseconds))
    }

    fn release(&self, leases: &[Lease]) -> Result<()> {
        self.bridge.wait(async {
            lease::release(&self.pool, leases).await?;
            hints::notify_nodes(&self.pool, &self.address.schema).await;
            Ok(())
        })
    }

    fn cancel(&self, run: RunId) -> Result<bool> {
        self.bridge.wait(async {
            let is_open = lease::cancel(&self.pool, run).await?;
            if is_open {
                hints::notify_nodes(&self.pool, &self.address.schema).await;
            }
            Ok(is_open)
        })
    }

    fn listen(&self, hear: Hear) {
        // Without it everything is found by asking.
        if let (Ok(tls), Ok(handle)) =
            (Tls::trusting(self.address.authorities.as_deref()), self.bridge.handle())
        {
            handle.spawn(hints::listen(self.address.clone(), tls, hear));
        }
    }

    fn abandoned(&self, limit: usize) -> Result<Vec<Deployment>> {
        self.bridge.wait(read::abandoned(&self.pool, limit))
    }

    fn are_over(&self, runs: &[RunId]) -> Result<Vec<bool>> {
        self.bridge.wait(read::are_over(&self.pool, runs))
    }

    fn deployment(&self, key: &DeploymentKey) -> Result<Option<Deployment>> {
        self.bridge.wait(read::deployment(&self.pool, key))
    }

    fn run(&self, run: RunId) -> Result<Option<Deployment>> {
        self.bridge.wait(read::run(&self.pool, run))
    }

    fn runs(&self, root: RunId) -> Result<Vec<Deployment>> {
        self.bridge.wait(read::runs(&self.pool, root))
    }

    fn deployments(&self, scope: Option<&str>, page: Page) -> Result<Vec<Deployment>> {
        self.bridge.wait(read::deployments(&self.pool, scope, page))
    }

    fn steps(&self, run: RunId) -> Result<Vec<StepRecord>> {
        self.bridge.wait(read::steps(&self.pool, run))
    }

    fn operations(&self, run: RunId, page: Page) -> Result<Vec<Operation>> {
        self.bridge.wait(read::operations(&self.pool, run, page))
    }

    fn blob(&self, run: RunId, name: &str) -> Result<Option<Vec<u8>>> {
        self.bridge.wait(read::blob(&self.pool, run, name))
    }

    fn replace_blob(&self, run: RunId, name: &str, was: &[u8], bytes: &[u8]) -> Result<bool> {
        self.bridge.wait(lease::replace_blob(&self.pool, run, name, was, bytes))
    }

    fn resource(&self, id: &ResourceId) -> Result<Option<Resource>> {
        let runtime = self.bridge.handle()?;
        self.bridge.wait(self.gather.resource(&self.pool, runtime, id))
    }

    fn resources(&self, below: &str, page: Page) -> Result<Vec<Resource>> {
        self.bridge.wait(read::resources(&self.pool, below, page))
    }

    fn usage(&self, scope: &str) -> Result<ScopeUsage> {
        self.bridge.wait(read::usage(&self.pool, scope))
    }

    fn deployments_after(&self, scope: Option<&str>, page: PageAfter) -> Result<Vec<Deployment>> {
        self.bridge.wait(read::deployments_after(&self.pool, scope, page))
    }

    fn resources_after(&self, below: &str, after: &ResourceId, take: usize) -> Result<Vec<Resource>> {
        self.bridge.wait(read::resources_after(&self.pool, below, after, take))
    }
}
