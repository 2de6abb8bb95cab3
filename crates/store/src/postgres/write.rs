//! Batches to rows: one transaction, two trips.

use std::error::Error as _;
use std::time::Duration;

use tokio_postgres::error::SqlState;

use super::calls::{batches, call, calls, column, integer};
use super::group::{ReadSet, ReadSnapshot, decide};
use super::pool::{Leased, Pool, PoolStatement, QueryResult, describe_error, failed, is_lost};
use super::query;
use super::read::{key_of, number, run_of};
use super::text::{escape, prefix_end};
use super::value::Uuid;
use crate::commit::{BatchId, Commit, CommitOutcome, Write};
use crate::record::ResourceId;
use crate::{Result, StoreError};

/// How long a group may take from beginning to end.
const PATIENCE: Duration = Duration::from_secs(90);

/// How often a group is tried again that other nodes came in the way of.
const TRIES: u32 = 20;

/// How many bytes go into one transaction, unless a single batch has more.
const MOST_BYTES: usize = 32 * 1024 * 1024;

/// Why a group was not written.
enum WriteError {
    /// Another node came in between, and nothing was written: it is decided again.
    Again(String),
    /// The connection was an old one and is gone; nothing was written.
    Stale(String),
    /// It may have been written, or trying again would not help.
    Unknown(String),
}

/// Writes batches, and answers for each.
pub(super) async fn commit(pool: &Pool, batches: &[Commit]) -> Vec<CommitOutcome> {
    let mut outcomes = Vec::with_capacity(batches.len());
    let mut rest = batches;
    while !rest.is_empty() {
        let (group, others) = rest.split_at(first_group(rest));
        outcomes.extend(commit_group(pool, group).await);
        rest = others;
    }
    outcomes
}

/// Writes a row that no batch has, and waits until it is durable.
pub(super) async fn probe(pool: &Pool) -> Result<()> {
    let link = pool.get().await?;
    let written = link.rows(&query::PROBE, &[]).await?;
    match written {
        Ok(_) => {
            link.done();
            Ok(())
        }
        Err(error) => Err(failed(&error)),
    }
}

/// How many batches go together.
fn first_group(batches: &[Commit]) -> usize {
    let mut bytes = 0usize;
    let small = batches.iter().take_while(|batch| {
        bytes = bytes.saturating_add(batch.writes.iter().map(size).sum());
        bytes <= MOST_BYTES
    });
    small.count().max(1)
}

fn size(write: &Write) -> usize {
    match write {
        Write::Deployment(deployment) => deployment.body.len(),
        Write::Step(step) => step.body.len(),
        Write::Operation(operation) => operation.body.len(),
        Write::Blob { bytes, .. } => bytes.len(),
        Write::Resource(resource) => resource.body.len(),
        Write::DeleteDeployment(_)
        | Write::Lease { .. }
        | Write::DeleteBlob { .. }
        | Write::DeleteResource(_) => 0,
    }
}

async fn commit_group(pool: &Pool, batches: &[Commit]) -> Vec<CommitOutcome> {
    let unknown = |why: &str| batches.iter().map(|_| CommitOutcome::Unknown(why.to_owned())).collect();
    let wanted = ReadSet::by(batches);
    let mut tries = 0;
    loop {
        let attempt = tokio::time::timeout(PATIENCE, attempt(pool, batches, &wanted)).await;
        match attempt.unwrap_or_else(|_| Err(WriteError::Unknown("the database does not answer".to_owned())))
        {
            Ok(outcomes) => return outcomes,
            Err(WriteError::Unknown(why)) => return unknown(&why),
            Err(WriteError::Again(why) | WriteError::Stale(why)) if tries >= TRIES => return unknown(&why),
            Err(WriteError::Stale(_)) => pool.forget(),
            Err(WriteError::Again(_)) => tokio::time::sleep(pause(tries)).await,
        }
        tries += 1;
    }
}

/// A little longer each time, and not the same for all.
pub(super) fn pause(tries: u32) -> Duration {
    let mut random = [0; 1];
    // Without random bytes all wait alike.
    let _ = getrandom::fill(&mut random);
    let [random] = random;
    Duration::from_micros((500 + u64::from(random) * 8) << tries.min(6))
}

async fn attempt(
    pool: &Pool,
    batches: &[Commit],
    wanted: &ReadSet,
) -> std::result::Result<Vec<CommitOutcome>, WriteError> {
    let broken = |error: StoreError| WriteError::Unknown(error.to_string());
    let link = pool.get().await.map_err(broken)?;
    let seen = match look(&link, wanted, pool).await.map_err(broken)? {
        Ok(seen) => seen,
        Err(error) => return Err(before_commit(link, &error).await),
    };
    let there = seen.clone();
    let (outcomes, changes) = decide(seen, batches);
    let mut calls = calls(&changes, &there, pool.remembers()).map_err(broken)?;
    if calls.is_empty() {
        // Nothing is to be written, and nothing was.
        let ended = link.flight(&[PoolStatement::Text("ROLLBACK")]).await.map_err(broken)?;
        if ended.iter().all(QueryResult::is_ok) {
            link.done();
        }
        return Ok(outcomes);
    }
    calls.push(PoolStatement::Text("COMMIT"));
    let mut answers = link.flight(&calls).await.map_err(broken)?;
    let committed = answers.pop();
    if let Some(error) = answers.into_iter().find_map(QueryResult::err) {
        // A statement that failed has undone all of it, and the commit has ended the transaction.
        let is_ours = error.as_db_error().is_some() && committed.is_some_and(|answer| answer.is_ok());
        if is_ours {
            link.done();
        }
        return Err(if is_ours && is_passing(&error) {
            WriteError::Again(describe_error(&error))
        } else {
            WriteError::Unknown(describe_error(&error))
        });
    }
    match committed {
        Some(Ok(_)) => {
            link.done();
            Ok(outcomes)
        }
        Some(Err(error)) if is_passing(&error) => Err(WriteError::Again(describe_error(&error))),
        Some(Err(error)) => Err(WriteError::Unknown(describe_error(&error))),
        None => Err(WriteError::Unknown("the database did not answer".to_owned())),
    }
}

/// What an error means before the commit was sent: nothing was written.
async fn before_commit(link: Leased<'_>, error: &tokio_postgres::Error) -> WriteError {
    let why = describe_error(error);
    let is_fresh = link.is_fresh();
    if !is_lost(error) {
        let ended = link.flight(&[PoolStatement::Text("ROLLBACK")]).await;
        if ended.is_ok_and(|answers| answers.iter().all(QueryResult::is_ok)) {
            link.done();
            return if is_passing(error) { WriteError::Again(why) } else { WriteError::Unknown(why) };
        }
    }
    if is_fresh { WriteError::Unknown(why) } else { WriteError::Stale(why) }
}

/// Whether an error came of what another node did at the same time.
pub(super) fn is_passing(error: &tokio_postgres::Error) -> bool {
    error.code().is_some_and(|code| {
        [SqlState::UNIQUE_VIOLATION, SqlState::T_R_DEADLOCK_DETECTED, SqlState::T_R_SERIALIZATION_FAILURE]
            .contains(code)
    })
}

/// Begins a transaction, locks what batches depend on, and reads it.
async fn look(
    link: &Leased<'_>,
    wanted: &ReadSet,
    pool: &Pool,
) -> Result<std::result::Result<ReadSnapshot, tokio_postgres::Error>> {
    let mut calls = vec![PoolStatement::Text(pool.begin())];
    if !wanted.deployments.is_empty() {
        let keys = wanted.deployments.iter();
        let (scopes, names): (Vec<_>, Vec<_>) =
            keys.map(|key| (escape(key.scope()), escape(key.name()))).unzip();
        calls.push(call(&query::LOCK_DEPLOYMENTS, [column(scopes), column(names)]));
    }
    if !wanted.leases.is_empty() {
        calls.push(call(
            &query::LOCK_LEASES,
            [column(wanted.leases.iter().map(|run| Uuid(*run)).collect::<Vec<_>>())],
        ));
    }
    let present: Vec<_> =
        wanted.present.difference(&wanted.resources).map(|id| escape(id.as_str())).collect();
    if !present.is_empty() {
        calls.push(call(&query::SHARE_RESOURCES, [column(present)]));
    }
    if !wanted.resources.is_empty() {
        let keys: Vec<_> = wanted.resources.iter().map(|id| escape(id.as_str())).collect();
        calls.push(call(&query::LOCK_RESOURCES, [column(keys)]));
    }
    // Behind the locks, so that it sees what those have written who had them before.
    if !wanted.likes.is_empty() {
        let below: Vec<_> = wanted.likes.iter().map(|like| escape(like.below().as_str())).collect();
        let upto: Vec<_> = below.iter().map(|below| prefix_end(below)).collect();
        let parts: Vec<_> = wanted.likes.iter().map(|like| escape(like.part())).collect();
        let enough: Vec<_> = wanted.likes.iter().map(|like| integer(like.enough() as u64)).collect();
        calls.push(call(&query::LIKES, [column(below), column(upto), column(parts), column(enough)]));
    }
    // Behind the locks: who sent the same batch before us and still writes it has what we wait for.
    calls.push(batches(&query::KNOWN_BATCHES, &wanted.batches));
    if pool.remembers() && !wanted.begun.is_empty() {
        let runs: Vec<_> = wanted.begun.iter().map(|run| Uuid(*run)).collect();
        calls.push(call(&query::FORGOTTEN, [column(runs)]));
    }
    let answers = link.flight(&calls).await?;
    let mut seen = ReadSnapshot::default();
    for (call, answer) in calls.iter().zip(answers) {
        let rows = match answer {
            Ok(rows) => rows,
            Err(error) => return Ok(Err(error)),
        };
        let PoolStatement::Query(query, _) = call else { continue };
        for row in &rows {
            if std::ptr::eq(*query, &query::LOCK_DEPLOYMENTS) {
                seen.deployments.insert(key_of(row, 0)?, (run_of(row, 2)?, value(row.try_get(3))?));
            } else if std::ptr::eq(*query, &query::LOCK_LEASES) {
                seen.leases.insert(run_of(row, 0)?, number(row, 1)?);
            } else if [&query::LOCK_RESOURCES, &query::SHARE_RESOURCES]
                .iter()
                .any(|it| std::ptr::eq(*query, *it))
            {
                seen.resources.insert(ResourceId::new(&super::read::text(row, 0)?), number(row, 1)?);
            } else if std::ptr::eq(*query, &query::LIKES) {
                let at = usize::try_from(number(row, 0)?).unwrap_or(usize::MAX);
                let id = ResourceId::new(&super::read::text(row, 1)?);
                seen.likes.extend(wanted.likes.iter().nth(at).filter(|like| like.is(&id)).cloned());
            } else if std::ptr::eq(*query, &query::FORGOTTEN) {
                seen.forgotten.insert(run_of(row, 0)?);
            } else {
                seen.batches.insert(BatchId { run: run_of(row, 0)?, number: number(row, 1)? });
            }
        }
    }
    Ok(Ok(seen))
}

fn value<T>(got: std::result::Result<T, tokio_postgres::Error>) -> Result<T> {
    got.map_err(|error| {
        StoreError::Damaged(error.source().map_or_else(|| error.to_string(), ToString::to_string))
    })
}

/// Runs one statement that changes something by itself, again if another node came in between.
pub(super) async fn alone(
    pool: &Pool,
    query: &'static query::Query,
    parameters: &[super::pool::Parameter<'_>],
) -> Result<Vec<tokio_postgres::Row>> {
    let mut tries = 0;
    loop {
        let link = pool.get().await?;
        match link.rows(query, parameters).await? {
            Ok(rows) => {
                link.done();
                return Ok(rows);
            }
            Err(error) if tries < TRIES && is_passing(&error) => {
                link.done();
                tokio::time::sleep(pause(tries)).await;
            }
            // An old connection had been cut while nobody used it.
            Err(error) if tries < TRIES && is_lost(&error) && !link.is_fresh() => pool.forget(),
            Err(error) => {
                if !is_lost(&error) {
                    link.done();
                }
                return Err(failed(&error));
            }
        }
        tries += 1;
    }
}
