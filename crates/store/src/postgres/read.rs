//! Rows to records.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::error::Error as _;
use std::time::Duration;

use tokio_postgres::Row;
use tokio_postgres::types::FromSql;
use value::Caseless as _;

use super::calls::phase_number;
use super::pool::{Parameter, Pool, failed, is_lost};
use super::query::{self, Query};
use super::text::{escape, prefix_end, unescape};
use super::value::Uuid;
use crate::record::{
    Deployment, DeploymentKey, Operation, Page, PageAfter, Phase, Resource, ResourceId, RunId, ScopeUsage,
    Status, StepRecord,
};
use crate::{Result, StoreError};

/// How long reading may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often it is tried on another connection.
const TRIES: u32 = 3;

pub(super) fn cell<'r, T: FromSql<'r>>(row: &'r Row, column: usize) -> Result<T> {
    row.try_get(column).map_err(|error| {
        StoreError::Damaged(error.source().map_or_else(|| error.to_string(), ToString::to_string))
    })
}

pub(super) fn run_of(row: &Row, column: usize) -> Result<RunId> {
    Ok(cell::<Uuid>(row, column)?.0)
}

pub(super) fn text(row: &Row, column: usize) -> Result<String> {
    unescape(cell(row, column)?)
        .ok_or_else(|| StoreError::Damaged("a text is not as it was written".to_owned()))
}

pub(super) fn key_of(row: &Row, column: usize) -> Result<DeploymentKey> {
    Ok(DeploymentKey::new(&text(row, column)?, &text(row, column + 1)?))
}

pub(super) fn number(row: &Row, column: usize) -> Result<u64> {
    Ok(cell::<i64>(row, column)?.unsigned_abs())
}

/// A number that is small when it is right.
pub(super) fn small<T: TryFrom<i64>>(number: i64) -> Result<T> {
    T::try_from(number).map_err(|_| StoreError::Damaged(format!("{number} is out of range")))
}

pub(super) fn format(row: &Row, column: usize) -> Result<u16> {
    small(cell::<i32>(row, column)?.into())
}

pub(super) fn deployment_of(row: &Row) -> Result<Deployment> {
    Ok(Deployment {
        key: key_of(row, 0)?,
        run: run_of(row, 2)?,
        root: run_of(row, 3)?,
        status: if cell(row, 4)? { Status::Active } else { Status::Ended },
        order: cell(row, 5)?,
        format: format(row, 6)?,
        body: text(row, 7)?,
    })
}

pub(super) fn resource_of(row: &Row) -> Result<Resource> {
    Ok(Resource { id: text(row, 0)?, version: number(row, 1)?, format: format(row, 2)?, body: text(row, 3)? })
}

/// Reads, on another connection if the first one was cut.
pub(super) async fn rows(
    pool: &Pool,
    query: &'static Query,
    parameters: &[Parameter<'_>],
) -> Result<Vec<Row>> {
    let mut tries = 0;
    loop {
        tries += 1;
        let link = pool.get().await?;
        let late = |_| StoreError::Remote("the database does not answer".to_owned());
        let answer = tokio::time::timeout(PATIENCE, link.rows(query, parameters)).await.map_err(late)??;
        match answer {
            Ok(rows) => {
                link.done();
                return Ok(rows);
            }
            Err(error) if tries < TRIES && is_lost(&error) => pool.forget(),
            Err(error) => {
                if !is_lost(&error) {
                    link.done();
                }
                return Err(failed(&error));
            }
        }
    }
}

async fn all<T>(
    pool: &Pool,
    query: &'static Query,
    parameters: &[Parameter<'_>],
    of: impl Fn(&Row) -> Result<T>,
) -> Result<Vec<T>> {
    rows(pool, query, parameters).await?.iter().map(of).collect()
}

/// A page as PostgreSQL counts: NULL takes all.
fn bounds(page: Page) -> (Option<i64>, i64) {
    (i64::try_from(page.take).ok(), i64::try_from(page.skip).unwrap_or(i64::MAX))
}

pub(super) async fn abandoned(pool: &Pool, limit: usize) -> Result<Vec<Deployment>> {
    all(pool, &query::ABANDONED, &[&i64::try_from(limit).ok()], deployment_of).await
}

pub(super) async fn are_over(pool: &Pool, runs: &[RunId]) -> Result<Vec<bool>> {
    let asked: Vec<Uuid> = runs.iter().map(|run| Uuid(*run)).collect();
    let active = all(pool, &query::ACTIVE, &[&asked], |row| run_of(row, 0)).await?;
    let active: std::collections::BTreeSet<RunId> = active.into_iter().collect();
    Ok(runs.iter().map(|run| !active.contains(run)).collect())
}

pub(super) async fn deployment(pool: &Pool, key: &DeploymentKey) -> Result<Option<Deployment>> {
    let found =
        all(pool, &query::DEPLOYMENT, &[&escape(key.scope()), &escape(key.name())], deployment_of).await?;
    Ok(found.into_iter().next())
}

pub(super) async fn run(pool: &Pool, run: RunId) -> Result<Option<Deployment>> {
    Ok(all(pool, &query::RUN, &[&Uuid(run)], deployment_of).await?.into_iter().next())
}

pub(super) async fn runs(pool: &Pool, root: RunId) -> Result<Vec<Deployment>> {
    all(pool, &query::RUNS, &[&Uuid(root)], deployment_of).await
}

pub(super) async fn deployments(pool: &Pool, scope: Option<&str>, page: Page) -> Result<Vec<Deployment>> {
    let (take, skip) = bounds(page);
    match scope {
        Some(scope) => {
            let scope = scope.caseless();
            all(pool, &query::DEPLOYMENTS_OF, &[&escape(&scope), &take, &skip], deployment_of).await
        }
        None => all(pool, &query::DEPLOYMENTS, &[&take, &skip], deployment_of).await,
    }
}

pub(super) async fn steps(pool: &Pool, run: RunId) -> Result<Vec<StepRecord>> {
    all(pool, &query::STEPS, &[&Uuid(run)], |row| {
        let (number, phase) = (small(cell(row, 0)?)?, phase_of(cell(row, 1)?)?);
        Ok(StepRecord { run, number, phase, format: format(row, 2)?, body: text(row, 3)? })
    })
    .await
}

pub(super) fn phase_of(number: i16) -> Result<Phase> {
    [Phase::Intended, Phase::Confirmed]
        .into_iter()
        .find(|phase| phase_number(*phase) == number)
        .ok_or_else(|| StoreError::Damaged(format!("a step has the phase {number}")))
}

pub(super) async fn operations(pool: &Pool, run: RunId, page: Page) -> Result<Vec<Operation>> {
    let (take, skip) = bounds(page);
    all(pool, &query::OPERATIONS, &[&Uuid(run), &take, &skip], |row| {
        Ok(Operation { run, number: small(cell(row, 0)?)?, format: format(row, 1)?, body: text(row, 2)? })
    })
    .await
}

pub(super) async fn blob(pool: &Pool, run: RunId, name: &str) -> Result<Option<Vec<u8>>> {
    let found = all(pool, &query::BLOB, &[&Uuid(run), &escape(name)], |row| cell(row, 0)).await?;
    Ok(found.into_iter().next())
}

/// Those of some resources that there are.
pub(super) async fn resources_of(pool: &Pool, ids: &[&ResourceId]) -> Result<BTreeMap<ResourceId, Resource>> {
    let keys: Vec<Cow<'_, str>> = ids.iter().map(|id| escape(id.as_str())).collect();
    let found = all(pool, &query::RESOURCES_OF, &[&keys], resource_of).await?;
    Ok(found.into_iter().map(|found| (ResourceId::new(&found.id), found)).collect())
}

pub(super) async fn resources(pool: &Pool, below: &str, page: Page) -> Result<Vec<Resource>> {
    let below = ResourceId::new(below);
    let from = escape(below.as_str());
    let (take, skip) = bounds(page);
    match prefix_end(&from) {
        Some(upto) => all(pool, &query::RESOURCES_BELOW, &[&from, &upto, &take, &skip], resource_of).await,
        // Nothing lies behind: the prefix is empty, or it has the last character alone.
        None => all(pool, &query::RESOURCES, &[&from, &take, &skip], resource_of).await,
    }
}

pub(super) async fn resources_after(
    pool: &Pool,
    below: &str,
    after: &ResourceId,
    take: usize,
) -> Result<Vec<Resource>> {
    let below = ResourceId::new(below);
    if *after < below {
        return resources(pool, below.as_str(), Page { skip: 0, take }).await;
    }
    let from = escape(after.as_str());
    let (take, _) = bounds(Page { skip: 0, take });
    match prefix_end(&escape(below.as_str())) {
        Some(upto) => all(pool, &query::RESOURCES_AFTER, &[&from, &upto, &take], resource_of).await,
        None => all(pool, &query::RESOURCES_AFTER_ALL, &[&from, &take], resource_of).await,
    }
}

pub(super) async fn deployments_after(
    pool: &Pool,
    scope: Option<&str>,
    PageAfter { after, take }: PageAfter,
) -> Result<Vec<Deployment>> {
    let Some((order, run)) = after else {
        return deployments(pool, scope, Page { skip: 0, take }).await;
    };
    let (take, _) = bounds(Page { skip: 0, take });
    let Some(scope) = scope else {
        let parameters: [Parameter<'_>; 3] = [&order, &Uuid(run), &take];
        return all(pool, &query::ALL_DEPLOYMENTS_AFTER, &parameters, deployment_of).await;
    };
    let scope = scope.caseless();
    let parameters: [Parameter<'_>; 4] = [&escape(&scope), &order, &Uuid(run), &take];
    all(pool, &query::DEPLOYMENTS_AFTER, &parameters, deployment_of).await
}

pub(super) async fn usage(pool: &Pool, scope: &str) -> Result<ScopeUsage> {
    let scope = scope.caseless();
    let scope = escape(&scope);
    // `0` is the character behind the slash.
    let (from, upto) = (format!("{scope}/"), format!("{scope}0"));
    let rows = rows(pool, &query::USAGE, &[&scope, &from, &upto]).await?;
    let row = rows.first().ok_or_else(|| StoreError::Damaged("a count has no row".to_owned()))?;
    let bytes = [1, 3, 4, 5, 6].iter().map(|at| number(row, *at)).sum::<Result<u64>>()?;
    Ok(ScopeUsage { resources: number(row, 0)?, active: number(row, 2)?, bytes })
}
