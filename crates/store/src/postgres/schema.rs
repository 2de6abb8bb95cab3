//! The tables, and how an older database gets them while nodes of the version before still run.
//!
//! A migration is additive: tables, indexes, and columns that have a default. The statements of the version before go on working
//! while nodes are replaced one by one, in whatever order. Something is taken away only when no version that is still in use knows it;
//! such a migration says so in [`Migration::oldest`], and older programs are then refused.

use std::time::Duration;

use tokio_postgres::Client;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;

use super::pool::describe_error;
use crate::{Result, StoreError};

/// What makes a version of the schema of the version before.
#[derive(Debug)]
struct Migration {
    /// The oldest version whose programs can still use the database afterwards.
    oldest: i64,
    /// The statements; `@` stands for the schema.
    statements: &'static str,
}

/// One row for each version, from version 1 on. What is here is never changed.
const MIGRATIONS: &[Migration] = &[
    Migration {
        oldest: 1,
        statements: r#"
CREATE TABLE @deployments (
    scope text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, run uuid NOT NULL, root uuid NOT NULL,
    active boolean NOT NULL, ordinal bigint NOT NULL, format integer NOT NULL, body text NOT NULL,
    PRIMARY KEY (scope, name)
) WITH (fillfactor = 85);
CREATE UNIQUE INDEX deployments_by_run ON @deployments (run);
CREATE INDEX deployments_by_root ON @deployments (root);
CREATE INDEX deployments_by_order ON @deployments (ordinal, run);
CREATE INDEX deployments_active ON @deployments (ordinal) WHERE active;

CREATE TABLE @leases (
    run uuid PRIMARY KEY, owner text, fence bigint NOT NULL, until bigint NOT NULL, canceled boolean NOT NULL DEFAULT false
) WITH (fillfactor = 70);
CREATE TABLE @batches (run uuid NOT NULL, number bigint NOT NULL, PRIMARY KEY (run, number));
CREATE TABLE @steps (
    run uuid NOT NULL, number bigint NOT NULL, phase smallint NOT NULL, format integer NOT NULL, body text NOT NULL,
    PRIMARY KEY (run, number)
) WITH (fillfactor = 85);
CREATE TABLE @operations (
    run uuid NOT NULL, number bigint NOT NULL, format integer NOT NULL, body text NOT NULL, PRIMARY KEY (run, number)
);
CREATE TABLE @blobs (run uuid NOT NULL, name text COLLATE "C" NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (run, name));
CREATE TABLE @resources (
    key text COLLATE "C" PRIMARY KEY, id text NOT NULL, version bigint NOT NULL, format integer NOT NULL, body text NOT NULL
) WITH (fillfactor = 85);
"#,
    },
    // The deployments of a scope in the order of listings, without sorting them.
    Migration {
        oldest: 1,
        statements: "CREATE INDEX deployments_by_scope ON @deployments (scope, ordinal, run);",
    },
    // Runs that were forgotten, for a while.
    Migration {
        oldest: 1,
        statements: "CREATE TABLE @forgotten (run uuid PRIMARY KEY, at bigint NOT NULL);
CREATE INDEX forgotten_by_time ON @forgotten (at);",
    },
];

/// The first version that remembers which runs were forgotten.
const REMEMBERS: usize = 3;

/// The table with one row, which says what the others look like. Whoever changes them locks it.
const VERSION_TABLE: &str = "
CREATE TABLE IF NOT EXISTS @schema_version (
    one boolean PRIMARY KEY DEFAULT true CHECK (one), version bigint NOT NULL, oldest bigint NOT NULL
)";

/// How often it is tried again when another node does the same at the same moment.
const TRIES: u32 = 50;
/// How long is waited in between.
const PAUSE: Duration = Duration::from_millis(100);
/// A change of a table waits for those who use it, and those who come later wait for the change: not for long.
const LIMITS: &str = "SET LOCAL lock_timeout = '3s'; SET LOCAL statement_timeout = '0'";

/// Brings a database to the newest version that this program knows, or to `upto`; several nodes may do so at once.
pub(super) async fn migrate(client: &Client, schema: &str, upto: usize) -> Result<()> {
    let mut tries = 0;
    loop {
        match attempt(client, schema, upto).await {
            Ok(done) => return done,
            Err(error) if tries < TRIES && is_passing(&error) => {
                tries += 1;
                // What failed before a commit is undone; there may be nothing to undo.
                let _ = client.batch_execute("ROLLBACK").await;
                tokio::time::sleep(PAUSE).await;
            }
            Err(error) => return Err(StoreError::Remote(describe_error(&error))),
        }
    }
}

/// Whether a program that knows versions up to this one remembers which runs were forgotten.
pub(super) fn remembers(version: usize) -> bool {
    version >= REMEMBERS
}

/// The newest version that this program knows.
pub(super) fn newest() -> usize {
    MIGRATIONS.len()
}

/// Whether an error came of another node that did the same, or of somebody who used a table.
fn is_passing(error: &tokio_postgres::Error) -> bool {
    error.code().is_some_and(|code| {
        [
            SqlState::UNIQUE_VIOLATION,
            SqlState::DUPLICATE_TABLE,
            SqlState::DUPLICATE_OBJECT,
            SqlState::DUPLICATE_SCHEMA,
            SqlState::LOCK_NOT_AVAILABLE,
            SqlState::T_R_DEADLOCK_DETECTED,
            SqlState::T_R_SERIALIZATION_FAILURE,
        ]
        .contains(code)
    })
}

async fn attempt(
    client: &Client,
    schema: &str,
    upto: usize,
) -> std::result::Result<Result<()>, tokio_postgres::Error> {
    let known = i64::try_from(upto).unwrap_or(i64::MAX);
    let sql = |text: &str| text.replace('@', &format!("\"{schema}\"."));
    // Most starts find everything in place, and need no right to change anything.
    let table = sql("@schema_version");
    let exists = client.query_typed("SELECT to_regclass($1) IS NOT NULL", &[(&table, Type::TEXT)]).await?;
    let exists = exists.first().is_some_and(|row| row.try_get(0).unwrap_or(false));
    if exists
        && let Some((version, oldest)) =
            version(client, &sql("SELECT version, oldest FROM @schema_version")).await?
    {
        if oldest > known {
            return Ok(Err(StoreError::Newer { found: version, known }));
        }
        if version >= known {
            return Ok(Ok(()));
        }
    }
    if !exists {
        let find = "SELECT 1 FROM pg_namespace WHERE nspname = $1";
        if client.query_typed(find, &[(&schema, Type::TEXT)]).await?.is_empty() {
            client.batch_execute(&format!("CREATE SCHEMA IF NOT EXISTS \"{schema}\"")).await?;
        }
        client.batch_execute(&sql(VERSION_TABLE)).await?;
    }
    let begin = format!(
        "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; {LIMITS}; LOCK TABLE @schema_version IN EXCLUSIVE MODE"
    );
    client.batch_execute(&sql(&begin)).await?;
    let found = version(client, &sql("SELECT version, oldest FROM @schema_version")).await?;
    let (found, mut oldest) = found.unwrap_or((0, 0));
    if found < known {
        let missing = MIGRATIONS.iter().take(upto).skip(usize::try_from(found).unwrap_or(0));
        for migration in missing {
            oldest = oldest.max(migration.oldest);
            client.batch_execute(&sql(migration.statements)).await?;
        }
        let keep = format!(
            "INSERT INTO @schema_version (version, oldest) VALUES ({known}, {oldest})
             ON CONFLICT (one) DO UPDATE SET version = {known}, oldest = {oldest}"
        );
        client.batch_execute(&sql(&keep)).await?;
    }
    client.batch_execute("COMMIT").await?;
    // Another node may have done more than this program knows.
    if oldest > known {
        return Ok(Err(StoreError::Newer { found, known }));
    }
    Ok(Ok(()))
}

async fn version(
    client: &Client,
    query: &str,
) -> std::result::Result<Option<(i64, i64)>, tokio_postgres::Error> {
    let rows = client.query_typed(query, &[]).await?;
    rows.first().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).transpose()
}
