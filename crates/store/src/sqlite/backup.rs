//! SQLite, carried elsewhere.

use rusqlite::{Connection, Row as SqlRow, Transaction, TransactionBehavior, params};

use super::read::{deployment_of, phase_of, resource_of, run_id};
use super::write::{phase_number, put_deployment};
use super::{SqliteStore, number};
use crate::backup::{Backup, BackupRecord, Rows, Take};
use crate::record::{Operation, ResourceId, StepRecord};
use crate::{Result, StoreError};

const TABLES: [&str; 8] =
    ["deployments", "leases", "batches", "steps", "operations", "blobs", "resources", "forgotten"];

const DEPLOYMENTS: &str = "SELECT scope, name, deployments.run, root, active, ordinal, format, body, COALESCE(fence, 0), COALESCE(canceled, 0)
     FROM deployments LEFT JOIN leases ON leases.run = deployments.run ORDER BY scope, name";

impl Backup for SqliteStore {
    fn export(&self, take: Take<'_>) -> Result<()> {
        let reader = self.reader();
        // What is read in a transaction is what was there when it began.
        let snapshot = reader.unchecked_transaction()?;
        each(&snapshot, DEPLOYMENTS, &mut |row| {
            let (fence, canceled): (i64, bool) = (row.get(8)?, row.get(9)?);
            take(BackupRecord::Deployment {
                deployment: deployment_of(row)?,
                fence: fence.unsigned_abs(),
                canceled,
            })
        })?;
        each(
            &snapshot,
            "SELECT run, number, phase, format, body FROM steps ORDER BY run, number",
            &mut |row| {
                let (run, phase) = (run_id(row.get(0)?), phase_of(row.get(2)?)?);
                take(BackupRecord::Step(StepRecord {
                    run,
                    number: row.get(1)?,
                    phase,
                    format: row.get(3)?,
                    body: row.get(4)?,
                }))
            },
        )?;
        each(
            &snapshot,
            "SELECT run, number, format, body FROM operations ORDER BY run, number",
            &mut |row| {
                let run = run_id(row.get(0)?);
                take(BackupRecord::Operation(Operation {
                    run,
                    number: row.get(1)?,
                    format: row.get(2)?,
                    body: row.get(3)?,
                }))
            },
        )?;
        each(&snapshot, "SELECT run, name, bytes FROM blobs ORDER BY run, name", &mut |row| {
            take(BackupRecord::Blob { run: run_id(row.get(0)?), name: row.get(1)?, bytes: row.get(2)? })
        })?;
        each(&snapshot, "SELECT id, version, format, body FROM resources ORDER BY key", &mut |row| {
            take(BackupRecord::Resource(resource_of(row)?))
        })
    }

    fn import(&self, rows: Rows<'_>, replace: bool) -> Result<u64> {
        let mut writer = self.writer();
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if replace {
            for table in TABLES {
                transaction.execute(&format!("DELETE FROM {table}"), [])?;
            }
        } else if !is_empty(&transaction)? {
            return Err(StoreError::NotEmpty);
        }
        let mut count = 0;
        for row in rows {
            import(&transaction, row?.into_inner())?;
            count += 1;
        }
        transaction.commit()?;
        Ok(count)
    }
}

fn is_empty(connection: &Connection) -> Result<bool> {
    let query = "SELECT NOT EXISTS (SELECT 1 FROM deployments) AND NOT EXISTS (SELECT 1 FROM resources)";
    Ok(connection.query_row(query, [], |row| row.get(0))?)
}

fn each(connection: &Connection, query: &str, take: &mut dyn FnMut(&SqlRow<'_>) -> Result<()>) -> Result<()> {
    let mut statement = connection.prepare(query)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        take(row)?;
    }
    Ok(())
}

fn import(transaction: &Transaction<'_>, row: BackupRecord) -> Result<()> {
    match row {
        BackupRecord::Deployment { deployment, fence, canceled } => {
            if fence > 0 || canceled {
                let put =
                    "INSERT INTO leases (run, owner, fence, until, canceled) VALUES (?1, NULL, ?2, 0, ?3)";
                let lease = params![deployment.run.bytes(), number(fence), canceled];
                transaction.prepare_cached(put)?.execute(lease)?;
            }
            let put = "INSERT INTO deployments (scope, name, run, root, active, ordinal, format, body)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
            put_deployment(transaction, put, &deployment)?;
        }
        BackupRecord::Step(step) => {
            let put = "INSERT INTO steps (run, number, phase, format, body) VALUES (?1, ?2, ?3, ?4, ?5)";
            let row =
                params![step.run.bytes(), step.number, phase_number(step.phase), step.format, step.body];
            transaction.prepare_cached(put)?.execute(row)?;
        }
        BackupRecord::Operation(operation) => {
            let put = "INSERT INTO operations (run, number, format, body) VALUES (?1, ?2, ?3, ?4)";
            let row = params![operation.run.bytes(), operation.number, operation.format, operation.body];
            transaction.prepare_cached(put)?.execute(row)?;
        }
        BackupRecord::Blob { run, name, bytes } => {
            let put = "INSERT INTO blobs (run, name, bytes) VALUES (?1, ?2, ?3)";
            transaction.prepare_cached(put)?.execute(params![run.bytes(), name, bytes])?;
        }
        BackupRecord::Resource(resource) => {
            let put = "INSERT INTO resources (key, id, version, format, body) VALUES (?1, ?2, ?3, ?4, ?5)";
            let key = ResourceId::new(&resource.id);
            let version = number(resource.version);
            let row = params![key.as_str(), resource.id, version, resource.format, resource.body];
            transaction.prepare_cached(put)?.execute(row)?;
        }
    }
    Ok(())
}
