//! The tables, and how an older database gets them.

use rusqlite::{Connection, TransactionBehavior};

use crate::{Result, StoreError};

/// One row for each version of the schema: what makes it of the version before.
const MIGRATIONS: &[&str] = &[
    "
CREATE TABLE deployments (
    scope TEXT NOT NULL, name TEXT NOT NULL, run BLOB NOT NULL, root BLOB NOT NULL, active INTEGER NOT NULL,
    ordinal INTEGER NOT NULL, format INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (scope, name)
) WITHOUT ROWID;
CREATE UNIQUE INDEX deployments_by_run ON deployments (run);
CREATE INDEX deployments_by_order ON deployments (ordinal);
CREATE INDEX deployments_active ON deployments (ordinal) WHERE active = 1;

CREATE TABLE leases (run BLOB PRIMARY KEY, owner TEXT, fence INTEGER NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE batches (run BLOB NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (run, number)) WITHOUT ROWID;
CREATE TABLE steps (
    run BLOB NOT NULL, number INTEGER NOT NULL, phase INTEGER NOT NULL, format INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (run, number)
) WITHOUT ROWID;
CREATE TABLE operations (
    run BLOB NOT NULL, number INTEGER NOT NULL, format INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (run, number)
) WITHOUT ROWID;
CREATE TABLE blobs (run BLOB NOT NULL, name TEXT NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (run, name));
CREATE TABLE resources (
    key TEXT PRIMARY KEY, id TEXT NOT NULL, version INTEGER NOT NULL, format INTEGER NOT NULL, body TEXT NOT NULL
) WITHOUT ROWID;
",
    "CREATE INDEX deployments_by_root ON deployments (root);",
    "ALTER TABLE leases ADD COLUMN canceled INTEGER NOT NULL DEFAULT 0;",
    "CREATE INDEX deployments_by_scope ON deployments (scope, ordinal, run);",
    // Runs that were forgotten, for a while.
    "CREATE TABLE forgotten (run BLOB PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX forgotten_by_time ON forgotten (at);",
];

/// Brings a database to the newest version; two processes may do so at once.
pub(super) fn migrate(connection: &mut Connection) -> Result<()> {
    let known = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    if version(connection)? == known {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = version(&transaction)?;
    if found > known {
        return Err(StoreError::Newer { found, known });
    }
    for migration in MIGRATIONS.iter().skip(usize::try_from(found).unwrap_or(0)) {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "user_version", known)?;
    transaction.commit()?;
    Ok(())
}

fn version(connection: &Connection) -> Result<i64> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}
