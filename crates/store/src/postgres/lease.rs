//! Leases: each change is one statement, which the database makes as a whole.

use std::collections::BTreeMap;

use tokio_postgres::Row;

use super::calls::integer;
use super::pool::Pool;
use super::query;
use super::read::{self, deployment_of, number, run_of};
use super::text::escape;
use super::value::Uuid;
use super::write::alone;
use crate::lease::{Claim, Claimed, Fence, Lease};
use crate::record::RunId;
use crate::{Result, StoreError};

/// How often a claim is tried again that was refused by a lease that nobody has a moment later.
const TRIES: u32 = 10;

/// The lease in the columns `fence`, `until` and `canceled`.
fn lease_of(row: &Row, column: usize, run: RunId, owner: &str) -> Result<Lease> {
    let damaged = |error: tokio_postgres::Error| StoreError::Damaged(error.to_string());
    let fence = Fence { run, number: number(row, column)? };
    let until = row.try_get(column + 1).map_err(damaged)?;
    let canceled = row.try_get(column + 2).map_err(damaged)?;
    Ok(Lease { run, owner: owner.to_owned(), fence, until, canceled })
}

pub(super) async fn claim(pool: &Pool, run: RunId, owner: &str, milliseconds: u64) -> Result<Claim> {
    let damaged = |error: tokio_postgres::Error| StoreError::Damaged(error.to_string());
    for _ in 0..TRIES {
        let granted =
            alone(pool, &query::CLAIM, &[&Uuid(run), &escape(owner), &integer(milliseconds)]).await?;
        if let Some(row) = granted.first() {
            return Ok(Claim::Granted(lease_of(row, 1, run, owner)?));
        }
        let holder = read::rows(pool, &query::HOLDER, &[&Uuid(run)]).await?;
        let Some(row) = holder.first() else { return Ok(Claim::Gone) };
        let owner: Option<String> = row.try_get(0).map_err(damaged)?;
        let remaining: Option<i64> = row.try_get(1).map_err(damaged)?;
        if let (Some(owner), Some(remaining)) = (owner, remaining.and_then(|left| u64::try_from(left).ok()))
            && remaining > 0
        {
            let owner = super::text::unescape(owner).unwrap_or_default();
            return Ok(Claim::Taken { owner, remaining });
        }
    }
    Err(StoreError::Remote("the lease changes all the time".to_owned()))
}

pub(super) async fn claim_abandoned(
    pool: &Pool,
    owner: &str,
    milliseconds: u64,
    limit: usize,
) -> Result<Vec<Claimed>> {
    let limit = i64::try_from(limit).ok();
    let rows =
        alone(pool, &query::CLAIM_ABANDONED, &[&escape(owner), &integer(milliseconds), &limit]).await?;
    let claimed = |row: &Row| {
        let deployment = deployment_of(row)?;
        let lease = lease_of(row, 8, deployment.run, owner)?;
        Ok(Claimed { deployment, lease })
    };
    rows.iter().map(claimed).collect()
}

pub(super) async fn renew(pool: &Pool, leases: &[Lease], milliseconds: u64) -> Result<Vec<Option<Lease>>> {
    let (runs, fences) = columns(leases);
    let rows = alone(pool, &query::RENEW, &[&runs, &fences, &integer(milliseconds)]).await?;
    let mut kept = BTreeMap::new();
    for row in &rows {
        let run = run_of(row, 0)?;
        kept.insert(run, lease_of(row, 1, run, "")?);
    }
    let renewed = |lease: &Lease| {
        let now = kept.get(&lease.run).filter(|now| now.fence == lease.fence)?;
        Some(Lease { until: now.until, canceled: now.canceled, ..lease.clone() })
    };
    Ok(leases.iter().map(renewed).collect())
}

pub(super) async fn release(pool: &Pool, leases: &[Lease]) -> Result<()> {
    let (runs, fences) = columns(leases);
    alone(pool, &query::RELEASE, &[&runs, &fences]).await.map(drop)
}

pub(super) async fn cancel(pool: &Pool, run: RunId) -> Result<bool> {
    Ok(!alone(pool, &query::CANCEL, &[&Uuid(run)]).await?.is_empty())
}

/// Puts other bytes in the place of a part of a run, if it has those that were read.
pub(super) async fn replace_blob(
    pool: &Pool,
    run: RunId,
    name: &str,
    was: &[u8],
    bytes: &[u8],
) -> Result<bool> {
    let found = alone(pool, &query::REPLACE_BLOB, &[&Uuid(run), &escape(name), &was, &bytes]).await?;
    Ok(!found.is_empty())
}

fn columns(leases: &[Lease]) -> (Vec<Uuid>, Vec<i64>) {
    leases.iter().map(|lease| (Uuid(lease.run), integer(lease.fence.number))).unzip()
}
