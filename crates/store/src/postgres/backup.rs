//! PostgreSQL, carried elsewhere.

use tokio_postgres::Row as SqlRow;

use super::PostgresStore;
use super::calls::{call, calls, column, integer};
use super::group::{Changes, ReadSnapshot};
use super::pool::{Leased, PoolStatement, QueryResult, failed};
use super::query::{self, Query};
use super::read::{cell, deployment_of, format, number, phase_of, resource_of, run_of, small, text};
use super::value::Uuid;
use crate::backup::{Backup, BackupRecord, Rows, Take};
use crate::record::{Operation, ResourceId, StepRecord};
use crate::{Result, StoreError};

/// How many rows are on their way at once.
const ROWS: usize = 500;
/// How many bytes are on their way at once, unless a single row has more.
const BYTES: usize = 8 * 1024 * 1024;

/// What is read in such a transaction is what was there when it began.
const SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = '0'; \
     SET LOCAL idle_in_transaction_session_timeout = '0'";
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL statement_timeout = '0'; \
     SET LOCAL idle_in_transaction_session_timeout = '0'; SET LOCAL lock_timeout = '30s'";

impl Backup for PostgresStore {
    fn export(&self, take: Take<'_>) -> Result<()> {
        self.bridge.wait(async {
            let link = self.pool.get().await?;
            run(&link, PoolStatement::Text(SNAPSHOT)).await?;
            each(&link, &query::EXPORT_DEPLOYMENTS, &mut |row| {
                let (fence, canceled) = (number(row, 8)?, cell(row, 9)?);
                take(BackupRecord::Deployment { deployment: deployment_of(row)?, fence, canceled })
            })
            .await?;
            each(&link, &query::EXPORT_STEPS, &mut |row| {
                let (number, phase) = (small(cell(row, 1)?)?, phase_of(cell(row, 2)?)?);
                let (format, body) = (format(row, 3)?, text(row, 4)?);
                take(BackupRecord::Step(StepRecord { run: run_of(row, 0)?, number, phase, format, body }))
            })
            .await?;
            each(&link, &query::EXPORT_OPERATIONS, &mut |row| {
                let (number, format, body) = (small(cell(row, 1)?)?, format(row, 2)?, text(row, 3)?);
                take(BackupRecord::Operation(Operation { run: run_of(row, 0)?, number, format, body }))
            })
            .await?;
            each(&link, &query::EXPORT_BLOBS, &mut |row| {
                take(BackupRecord::Blob { run: run_of(row, 0)?, name: text(row, 1)?, bytes: cell(row, 2)? })
            })
            .await?;
            each(&link, &query::EXPORT_RESOURCES, &mut |row| take(BackupRecord::Resource(resource_of(row)?)))
                .await?;
            run(&link, PoolStatement::Text("COMMIT")).await?;
            link.done();
            Ok(())
        })
    }

    fn import(&self, rows: Rows<'_>, replace: bool) -> Result<u64> {
        self.bridge.wait(async {
            let link = self.pool.get().await?;
            run(&link, PoolStatement::Text(BEGIN)).await?;
            // Writers wait, so that nothing comes in between.
            run(&link, call(&query::LOCK_ALL, [])).await?;
            if replace {
                run(&link, call(&query::EMPTY, [])).await?;
            } else if !run(&link, call(&query::IS_USED, [])).await?.is_empty() {
                return Err(StoreError::NotEmpty);
            }
            let (mut count, mut part, mut bytes) = (0, Vec::new(), 0);
            for row in rows {
                let row = row?.into_inner();
                bytes += size(&row);
                part.push(row);
                count += 1;
                if part.len() >= ROWS || bytes >= BYTES {
                    put(&link, &part).await?;
                    part.clear();
                    bytes = 0;
                }
            }
            put(&link, &part).await?;
            run(&link, PoolStatement::Text("COMMIT")).await?;
            link.done();
            Ok(count)
        })
    }
}

/// Runs a statement. A connection on which one fails is not used again, which undoes what was done.
async fn run(link: &Leased<'_>, call: PoolStatement<'_>) -> Result<Vec<SqlRow>> {
    let answers = link.flight(&[call]).await?;
    answers.into_iter().next().unwrap_or(Ok(Vec::new())).map_err(|error| failed(&error))
}

/// Reads through a query part by part.
async fn each(
    link: &Leased<'_>,
    query: &'static Query,
    take: &mut (dyn FnMut(&SqlRow) -> Result<()> + Send),
) -> Result<()> {
    run(link, call(query, [])).await?;
    loop {
        let rows = run(link, call(&query::FETCH, [])).await?;
        rows.iter().try_for_each(&mut *take)?;
        if rows.is_empty() {
            run(link, PoolStatement::Text("CLOSE export")).await?;
            return Ok(());
        }
    }
}

fn size(row: &BackupRecord) -> usize {
    match row {
        BackupRecord::Deployment { deployment, .. } => deployment.body.len(),
        BackupRecord::Step(step) => step.body.len(),
        BackupRecord::Operation(operation) => operation.body.len(),
        BackupRecord::Blob { bytes, .. } => bytes.len(),
        BackupRecord::Resource(resource) => resource.body.len(),
    }
}

/// Writes rows, as a group of batches does that finds nothing.
async fn put(link: &Leased<'_>, rows: &[BackupRecord]) -> Result<()> {
    let mut changes = Changes::default();
    let mut leases: (Vec<Uuid>, Vec<i64>, Vec<bool>) = Default::default();
    for row in rows {
        match row {
            BackupRecord::Deployment { deployment, fence, canceled } => {
                if *fence > 0 || *canceled {
                    leases.0.push(Uuid(deployment.run));
                    leases.1.push(integer(*fence));
                    leases.2.push(*canceled);
                }
                changes.asked.deployments.insert(deployment.key.clone());
                changes.deployments.insert(&deployment.key, Some(deployment));
            }
            BackupRecord::Step(step) => {
                changes.steps.insert((step.run, step.number), step);
            }
            BackupRecord::Operation(operation) => {
                changes.operations.insert((operation.run, operation.number), operation);
            }
            BackupRecord::Blob { run, name, bytes } => {
                changes.blobs.insert((*run, name), Some(bytes));
            }
            BackupRecord::Resource(resource) => {
                let id = ResourceId::new(&resource.id);
                changes.asked.resources.insert(id.clone());
                changes.resources.insert(id, Some((resource.version, resource)));
            }
        }
    }
    let mut calls = calls(&changes, &ReadSnapshot::default(), false)?;
    if !leases.0.is_empty() {
        calls.push(call(&query::IMPORT_LEASES, [column(leases.0), column(leases.1), column(leases.2)]));
    }
    let answers = link.flight(&calls).await?;
    answers.into_iter().find_map(QueryResult::err).map_or(Ok(()), |error| Err(failed(&error)))
}
