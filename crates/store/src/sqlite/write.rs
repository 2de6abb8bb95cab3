//! Batches to rows.

use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};

use super::{NOW, number, read};
use crate::Result;
use crate::commit::{Commit, CommitOutcome, Condition, REMEMBERED, Write};
use crate::lease::{Fence, Lease};
use crate::record::{Deployment, DeploymentKey, Phase, ResourceId, RunId, Status};

/// Writes batches in one transaction. Each is checked before any of it is written, so that a batch that is refused leaves
/// nothing behind; if anything fails after that, nothing of any batch is written.
pub(super) fn commit(connection: &mut Connection, batches: &[Commit]) -> Result<Vec<CommitOutcome>> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let outcomes = batches.iter().map(|batch| apply(&transaction, batch)).collect::<Result<_>>()?;
    transaction.commit()?;
    Ok(outcomes)
}

fn apply(transaction: &Transaction<'_>, batch: &Commit) -> Result<CommitOutcome> {
    let batch_row = params![batch.id.run.bytes(), number(batch.id.number)];
    let mut known = transaction.prepare_cached("SELECT 1 FROM batches WHERE run = ?1 AND number = ?2")?;
    if known.exists(batch_row)? {
        return Ok(CommitOutcome::Committed);
    }
    if let Some(fence) = batch.fence {
        let held = "SELECT 1 FROM leases WHERE run = ?1 AND fence = ?2 AND owner IS NOT NULL";
        let mut held = transaction.prepare_cached(held)?;
        if !held.exists(params![fence.run.bytes(), number(fence.number)])? {
            return Ok(CommitOutcome::Fenced);
        }
    } else {
        let mut forgotten = transaction.prepare_cached("SELECT 1 FROM forgotten WHERE run = ?1")?;
        if forgotten.exists([batch.id.run.bytes()])? {
            return Ok(CommitOutcome::Fenced);
        }
    }
    for (position, condition) in batch.conditions.iter().enumerate() {
        if !holds(transaction, condition)? {
            return Ok(CommitOutcome::Conflict { condition: position });
        }
    }
    for write in &batch.writes {
        perform(transaction, write)?;
    }
    transaction.prepare_cached("INSERT INTO batches (run, number) VALUES (?1, ?2)")?.execute(batch_row)?;
    Ok(CommitOutcome::Committed)
}

fn holds(transaction: &Transaction<'_>, condition: &Condition) -> Result<bool> {
    Ok(match condition {
        Condition::NotActive(key) => {
            read::deployment(transaction, key)?.is_none_or(|it| it.status != Status::Active)
        }
        Condition::Current(key, run) => {
            read::deployment(transaction, key)?.is_some_and(|deployment| deployment.run == *run)
        }
        Condition::ResourceVersion(id, version) => version_of(transaction, id)? == version.map(number),
        Condition::Present(id) => version_of(transaction, id)?.is_some(),
        Condition::NoResource(like) => {
            let find = "SELECT key FROM resources WHERE key >= ?1 AND substr(key, 1, length(?1)) = ?1 AND instr(key, ?2) > 0 LIMIT ?3";
            let enough = i64::try_from(like.enough()).unwrap_or(i64::MAX);
            let mut find = transaction.prepare_cached(find)?;
            let mut found = find.query(params![like.below().as_str(), like.part(), enough])?;
            let mut is_none = true;
            while let Some(row) = found.next()? {
                is_none &= !like.is(&ResourceId::new(&row.get::<_, String>(0)?));
            }
            is_none
        }
    })
}

fn version_of(transaction: &Transaction<'_>, id: &ResourceId) -> Result<Option<i64>> {
    let mut version = transaction.prepare_cached("SELECT version FROM resources WHERE key = ?1")?;
    Ok(version.query_row([id.as_str()], |row| row.get(0)).optional()?)
}

/// Writes the row of a deployment with a statement that takes all its columns.
pub(super) fn put_deployment(
    transaction: &Transaction<'_>,
    put: &str,
    deployment: &Deployment,
) -> Result<()> {
    transaction.prepare_cached(put)?.execute(params![
        deployment.key.scope(),
        deployment.key.name(),
        deployment.run.bytes(),
        deployment.root.bytes(),
        deployment.status == Status::Active,
        deployment.order,
        deployment.format,
        deployment.body,
    ])?;
    Ok(())
}

fn perform(transaction: &Transaction<'_>, write: &Write) -> Result<()> {
    match write {
        Write::Deployment(deployment) => {
            if let Some(old) = run_of(transaction, &deployment.key)?
                && old != deployment.run
            {
                forget(transaction, old)?;
            }
            let put =
                "INSERT OR REPLACE INTO deployments (scope, name, run, root, active, ordinal, format, body)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
            put_deployment(transaction, put, deployment)?;
        }
        Write::DeleteDeployment(key) => {
            if let Some(old) = run_of(transaction, key)? {
                forget(transaction, old)?;
            }
            let delete = "DELETE FROM deployments WHERE scope = ?1 AND name = ?2";
            transaction.prepare_cached(delete)?.execute(params![key.scope(), key.name()])?;
        }
        Write::Lease { run, owner, milliseconds } => {
            let put = format!(
                "INSERT OR REPLACE INTO leases (run, owner, fence, until) VALUES (?1, ?2, 1, {NOW} + ?3)"
            );
            let milliseconds = i64::try_from(*milliseconds).unwrap_or(i64::MAX / 4);
            transaction.prepare_cached(&put)?.execute(params![run.bytes(), owner, milliseconds])?;
        }
        Write::Step(step) => {
            let put =
                "INSERT OR REPLACE INTO steps (run, number, phase, format, body) VALUES (?1, ?2, ?3, ?4, ?5)";
            let phase = phase_number(step.phase);
            let row = params![step.run.bytes(), step.number, phase, step.format, step.body];
            transaction.prepare_cached(put)?.execute(row)?;
        }
        Write::Operation(operation) => {
            let put = "INSERT OR REPLACE INTO operations (run, number, format, body) VALUES (?1, ?2, ?3, ?4)";
            let row = params![operation.run.bytes(), operation.number, operation.format, operation.body];
            transaction.prepare_cached(put)?.execute(row)?;
        }
        Write::Blob { run, name, bytes } => {
            let put = "INSERT OR REPLACE INTO blobs (run, name, bytes) VALUES (?1, ?2, ?3)";
            transaction.prepare_cached(put)?.execute(params![run.bytes(), name, bytes])?;
        }
        Write::DeleteBlob { run, name } => {
            let delete = "DELETE FROM blobs WHERE run = ?1 AND name = ?2";
            transaction.prepare_cached(delete)?.execute(params![run.bytes(), name])?;
        }
        Write::Resource(resource) => {
            let put = "INSERT INTO resources (key, id, version, format, body) VALUES (?1, ?2, 1, ?3, ?4)
                 ON CONFLICT (key) DO UPDATE SET id = ?2, version = version + 1, format = ?3, body = ?4";
            let key = ResourceId::new(&resource.id);
            let row = params![key.as_str(), resource.id, resource.format, resource.body];
            transaction.prepare_cached(put)?.execute(row)?;
        }
        Write::DeleteResource(id) => {
            transaction.prepare_cached("DELETE FROM resources WHERE key = ?1")?.execute([id.as_str()])?;
        }
    }
    Ok(())
}

/// Gives the lease on a run to an owner, under the next fence.
pub(super) fn take(
    transaction: &Transaction<'_>,
    run: RunId,
    owner: &str,
    milliseconds: u64,
) -> Result<Lease> {
    let take = format!(
        "INSERT INTO leases (run, owner, fence, until) VALUES (?1, ?2, 1, {NOW} + ?3)
         ON CONFLICT (run) DO UPDATE SET owner = ?2, fence = fence + 1, until = {NOW} + ?3
         RETURNING fence, until, canceled"
    );
    let milliseconds = i64::try_from(milliseconds).unwrap_or(i64::MAX / 4);
    let row = params![run.bytes(), owner, milliseconds];
    Ok(transaction.prepare_cached(&take)?.query_row(row, |row| {
        let fence: i64 = row.get(0)?;
        let fence = Fence { run, number: fence.unsigned_abs() };
        Ok(Lease { run, owner: owner.to_owned(), fence, until: row.get(1)?, canceled: row.get(2)? })
    })?)
}

fn run_of(transaction: &Transaction<'_>, key: &DeploymentKey) -> Result<Option<RunId>> {
    Ok(read::deployment(transaction, key)?.map(|deployment| deployment.run))
}

fn forget(transaction: &Transaction<'_>, run: RunId) -> Result<()> {
    for delete in [
        "DELETE FROM steps WHERE run = ?1",
        "DELETE FROM operations WHERE run = ?1",
        "DELETE FROM blobs WHERE run = ?1",
        "DELETE FROM batches WHERE run = ?1",
        "DELETE FROM leases WHERE run = ?1",
    ] {
        transaction.prepare_cached(delete)?.execute([run.bytes()])?;
    }
    let old = format!("DELETE FROM forgotten WHERE at < {NOW} - ?1");
    transaction.prepare_cached(&old)?.execute([REMEMBERED])?;
    let remember = format!("INSERT OR REPLACE INTO forgotten (run, at) VALUES (?1, {NOW})");
    transaction.prepare_cached(&remember)?.execute([run.bytes()])?;
    Ok(())
}

pub(super) fn phase_number(phase: Phase) -> u8 {
    match phase {
        Phase::Intended => 0,
        Phase::Confirmed => 1,
    }
}
