//! SQLite in a folder: one file, a write-ahead log, every commit flushed.
//!
//! Writers of several threads and processes take turns; a group of batches is one transaction, so that they share one flush.

mod backup;
mod read;
mod schema;
mod space;
mod write;

use std::fs;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OptionalExtension as _, TransactionBehavior, params};

use crate::commit::{Commit, CommitOutcome, Write};
use crate::lease::{Claim, Claimed, Lease};
use crate::record::{
    Deployment, DeploymentKey, Operation, Page, PageAfter, Resource, ResourceId, RunId, ScopeUsage,
    StepRecord,
};
use crate::{Result, Store};

/// The file in the folder.
const FILE: &str = "state.db";

/// How long a writer waits for the one before it.
const PATIENCE: Duration = Duration::from_secs(30);

/// How much of the database a connection keeps in memory.
const CACHE_KIB: i64 = 32 * 1024;

/// How many pages the log has before they are moved to the file: 16 MiB.
const LOG_PAGES: i64 = 4096;

/// The store's clock, in milliseconds since 1970. It is the database that is asked, so that all who share it agree.
const NOW: &str = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

/// State in a folder.
#[derive(Debug)]
pub struct SqliteStore {
    writer: Mutex<Connection>,
    reader: Mutex<Connection>,
}

impl SqliteStore {
    /// Opens the state in a folder, which is made if it is not there.
    pub fn open(folder: &Path) -> Result<SqliteStore> {
        make(folder)?;
        let file = folder.join(FILE);
        begin(&file)?;
        let mut writer = connect(&file)?;
        schema::migrate(&mut writer)?;
        let reader = connect(&file)?;
        reader.pragma_update(None, "query_only", true)?;
        Ok(SqliteStore { writer: Mutex::new(writer), reader: Mutex::new(reader) })
    }

    /// A panic in another thread left no transaction open: it is rolled back when it is dropped.
    fn writer(&self) -> MutexGuard<'_, Connection> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reader(&self) -> MutexGuard<'_, Connection> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes a folder that only its owner can look into.
fn make(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Makes the file, so that only its owner can read it also in a folder that others can look into. What is made beside it is like it.
fn begin(file: &Path) -> Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(file) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error.into()),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Has changes written to a log beside the file, which is how the file stays from then on. SQLite does not wait for others here, whatever patience it has: of
/// two that meet, one is told at once that the file is busy.
fn enter_log(connection: &Connection) -> Result<()> {
    let start = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "wal") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && start.elapsed() < PATIENCE =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            other => return Ok(other?),
        }
    }
}

fn connect(file: &Path) -> Result<Connection> {
    let connection = Connection::open(file)?;
    connection.busy_timeout(PATIENCE)?;
    // Room that is free can be given back while others work; only a file without tables can be made so.
    connection.pragma_update(None, "auto_vacuum", "incremental")?;
    enter_log(&connection)?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "foreign_keys", false)?;
    // What is erased is overwritten: sealed or not, secrets do not stay in free pages.
    connection.pragma_update(None, "secure_delete", true)?;
    // Pages that are written again and again stay here, and go from the log to the file together.
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

impl Store for SqliteStore {
    fn probe(&self) -> Result<()> {
        let mut writer = self.writer();
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // The number of the version is written as it is, which takes a page in the log and a flush, as every write does.
        let version: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
        transaction.pragma_update(None, "user_version", version)?;
        Ok(transaction.commit()?)
    }

    fn commit(&self, batches: &[Commit]) -> Vec<CommitOutcome> {
        let mut writer = self.writer();
        let outcomes = write::commit(&mut writer, batches).unwrap_or_else(|error| {
            let message = error.to_string();
            batches.iter().map(|_| CommitOutcome::Unknown(message.clone())).collect()
        });
        let has_deleted = |it: &Commit| {
            it.writes
                .iter()
                .any(|write| matches!(write, Write::DeleteDeployment(_) | Write::DeleteResource(_)))
        };
        if batches.iter().any(has_deleted) {
            // What was written is written; room that is not given back now is given back another time.
            let _ = space::give_back(&writer);
        }
        outcomes
    }

    fn claim(&self, run: RunId, owner: &str, milliseconds: u64) -> Result<Claim> {
        let mut writer = self.writer();
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if !read::is_active(&transaction, run)? {
            return Ok(Claim::Gone);
        }
        let now: i64 = transaction.query_row(&format!("SELECT {NOW}"), [], |row| row.get(0))?;
        let held = "SELECT owner, until FROM leases WHERE run = ?1";
        let held: Option<(Option<String>, i64)> =
            transaction.query_row(held, [run.bytes()], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        if let Some((Some(owner), until)) = held.filter(|(_, until)| *until > now) {
            return Ok(Claim::Taken { owner, remaining: until.abs_diff(now) });
        }
        let lease = write::take(&transaction, run, owner, milliseconds)?;
        transaction.commit()?;
        Ok(Claim::Granted(lease))
    }

    fn claim_abandoned(&self, owner: &str, milliseconds: u64, limit: usize) -> Result<Vec<Claimed>> {
        // Mostly there is nothing, and then nobody has to wait for the writers.
        if read::abandoned(&self.reader(), 1)?.is_empty() {
            return Ok(Vec::new());
        }
        let mut writer = self.writer();
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut claimed = Vec::new();
        for deployment in read::abandoned(&transaction, limit)? {
            let lease = write::take(&transaction, deployment.run, owner, milliseconds)?;
            claimed.push(Claimed { deployment, lease });
        }
        transaction.commit()?;
        Ok(claimed)
    }

    fn renew(&self, leases: &[Lease], milliseconds: u64) -> Result<Vec<Option<Lease>>> {
        let mut writer = self.writer();
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let renew = format!(
            "UPDATE leases SET until = {NOW} + ?3 WHERE run = ?1 AND fence = ?2 AND owner IS NOT NULL
             RETURNING until, canceled"
        );
        let milliseconds = i64::try_from(milliseconds).unwrap_or(i64::MAX / 4);
        let mut renewed = Vec::with_capacity(leases.len());
        for lease in leases {
            let row = params![lease.run.bytes(), number(lease.fence.number), milliseconds];
            let kept = transaction
                .prepare_cached(&renew)?
                .query_row(row, |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            renewed.push(kept.map(|(until, canceled)| Lease { until, canceled, ..lease.clone() }));
        }
        transaction.commit()?;
        Ok(renewed)
    }

    fn release(&self, leases: &[Lease]) -> Result<()> {
        let mut writer = self.writer();
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for lease in leases {
            let release = "UPDATE leases SET owner = NULL WHERE run = ?1 AND fence = ?2";
            let row = params![lease.run.bytes(), number(lease.fence.number)];
            transaction.prepare_cached(release)?.execute(row)?;
        }
        transaction.commit()?;
        Ok(())
    }

    fn cancel(&self, run: RunId) -> Result<bool> {
        let writer = self.writer();
        let cancel = "INSERT INTO leases (run, owner, fence, until, canceled)
             SELECT run, NULL, 0, 0, 1 FROM deployments WHERE run = ?1 AND root = run AND active = 1
             ON CONFLICT (run) DO UPDATE SET canceled = 1";
        Ok(writer.execute(cancel, [run.bytes()])? > 0)
    }

    fn abandoned(&self, limit: usize) -> Result<Vec<Deployment>> {
        read::abandoned(&self.reader(), limit)
    }

    fn are_over(&self, runs: &[RunId]) -> Result<Vec<bool>> {
        let reader = self.reader();
        runs.iter().map(|run| Ok(!read::is_active(&reader, *run)?)).collect()
    }

    fn deployment(&self, key: &DeploymentKey) -> Result<Option<Deployment>> {
        read::deployment(&self.reader(), key)
    }

    fn run(&self, run: RunId) -> Result<Option<Deployment>> {
        read::run(&self.reader(), run)
    }

    fn runs(&self, root: RunId) -> Result<Vec<Deployment>> {
        read::runs(&self.reader(), root)
    }

    fn deployments(&self, scope: Option<&str>, page: Page) -> Result<Vec<Deployment>> {
        read::deployments(&self.reader(), scope, page)
    }

    fn steps(&self, run: RunId) -> Result<Vec<StepRecord>> {
        read::steps(&self.reader(), run)
    }

    fn operations(&self, run: RunId, page: Page) -> Result<Vec<Operation>> {
        read::operations(&self.reader(), run, page)
    }

    fn blob(&self, run: RunId, name: &str) -> Result<Option<Vec<u8>>> {
        read::blob(&self.reader(), run, name)
    }

    fn replace_blob(&self, run: RunId, name: &str, was: &[u8], bytes: &[u8]) -> Result<bool> {
        let replace = "UPDATE blobs SET bytes = ?4 WHERE run = ?1 AND name = ?2 AND bytes = ?3";
        Ok(self.writer().execute(replace, params![run.bytes(), name, was, bytes])? > 0)
    }

    fn resource(&self, id: &ResourceId) -> Result<Option<Resource>> {
        read::resource(&self.reader(), id)
    }

    fn resources(&self, below: &str, page: Page) -> Result<Vec<Resource>> {
        read::resources(&self.reader(), below, page)
    }

    fn usage(&self, scope: &str) -> Result<ScopeUsage> {
        read::usage(&self.reader(), scope)
    }

    fn deployments_after(&self, scope: Option<&str>, page: PageAfter) -> Result<Vec<Deployment>> {
        read::deployments_after(&self.reader(), scope, page)
    }

    fn resources_after(&self, below: &str, after: &ResourceId, take: usize) -> Result<Vec<Resource>> {
        read::resources_after(&self.reader(), below, after, take)
    }
}

/// A number as SQLite keeps it; fences and versions never come near the end.
fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
