//! Rows to records.

use rusqlite::{Connection, OptionalExtension as _, Params, Row, params};
use value::Caseless as _;

use super::NOW;
use crate::record::{
    Deployment, DeploymentKey, Operation, Page, PageAfter, Phase, Resource, ResourceId, RunId, ScopeUsage,
    Status, StepRecord,
};
use crate::{Result, StoreError};

const DEPLOYMENT: &str = "SELECT scope, name, run, root, active, ordinal, format, body FROM deployments";
const RESOURCE: &str = "SELECT id, version, format, body FROM resources";

pub(super) fn run_id(bytes: [u8; 16]) -> RunId {
    RunId(u128::from_be_bytes(bytes))
}

pub(super) fn deployment_of(row: &Row<'_>) -> rusqlite::Result<Deployment> {
    let (scope, name): (String, String) = (row.get(0)?, row.get(1)?);
    Ok(Deployment {
        key: DeploymentKey::new(&scope, &name),
        run: run_id(row.get(2)?),
        root: run_id(row.get(3)?),
        status: if row.get(4)? { Status::Active } else { Status::Ended },
        order: row.get(5)?,
        format: row.get(6)?,
        body: row.get(7)?,
    })
}

pub(super) fn resource_of(row: &Row<'_>) -> rusqlite::Result<Resource> {
    let version: i64 = row.get(1)?;
    Ok(Resource { id: row.get(0)?, version: version.unsigned_abs(), format: row.get(2)?, body: row.get(3)? })
}

fn all<T>(
    connection: &Connection,
    query: &str,
    with: impl Params,
    of: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>> {
    let mut statement = connection.prepare_cached(query)?;
    let rows = statement.query_map(with, of)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// A page as SQLite counts: -1 takes all.
fn bounds(page: Page) -> (i64, i64) {
    (i64::try_from(page.take).unwrap_or(-1), i64::try_from(page.skip).unwrap_or(i64::MAX))
}

pub(super) fn is_active(connection: &Connection, run: RunId) -> Result<bool> {
    let mut active = connection.prepare_cached("SELECT 1 FROM deployments WHERE run = ?1 AND active = 1")?;
    Ok(active.exists([run.bytes()])?)
}

pub(super) fn deployment(connection: &Connection, key: &DeploymentKey) -> Result<Option<Deployment>> {
    let mut statement = connection.prepare_cached(&format!("{DEPLOYMENT} WHERE scope = ?1 AND name = ?2"))?;
    Ok(statement.query_row(params![key.scope(), key.name()], deployment_of).optional()?)
}

pub(super) fn run(connection: &Connection, run: RunId) -> Result<Option<Deployment>> {
    let mut statement = connection.prepare_cached(&format!("{DEPLOYMENT} WHERE run = ?1"))?;
    Ok(statement.query_row([run.bytes()], deployment_of).optional()?)
}

pub(super) fn runs(connection: &Connection, root: RunId) -> Result<Vec<Deployment>> {
    all(connection, &format!("{DEPLOYMENT} WHERE root = ?1 ORDER BY ordinal"), [root.bytes()], deployment_of)
}

pub(super) fn abandoned(connection: &Connection, limit: usize) -> Result<Vec<Deployment>> {
    let query = format!(
        "{DEPLOYMENT} WHERE active = 1 AND run = root AND NOT EXISTS (
             SELECT 1 FROM leases WHERE leases.run = deployments.root AND owner IS NOT NULL AND until > {NOW}
         ) ORDER BY ordinal LIMIT ?1"
    );
    all(connection, &query, [i64::try_from(limit).unwrap_or(-1)], deployment_of)
}

pub(super) fn deployments(
    connection: &Connection,
    scope: Option<&str>,
    page: Page,
) -> Result<Vec<Deployment>> {
    let (take, skip) = bounds(page);
    match scope {
        Some(scope) => {
            let query =
                format!("{DEPLOYMENT} WHERE scope = ?1 ORDER BY ordinal DESC, run DESC LIMIT ?2 OFFSET ?3");
            all(connection, &query, params![scope.caseless(), take, skip], deployment_of)
        }
        None => {
            let query = format!("{DEPLOYMENT} ORDER BY ordinal DESC, run DESC LIMIT ?1 OFFSET ?2");
            all(connection, &query, params![take, skip], deployment_of)
        }
    }
}

pub(super) fn deployments_after(
    connection: &Connection,
    scope: Option<&str>,
    PageAfter { after, take }: PageAfter,
) -> Result<Vec<Deployment>> {
    let Some((order, run)) = after else {
        return deployments(connection, scope, Page { skip: 0, take });
    };
    let (take, _) = bounds(Page { skip: 0, take });
    let behind = "(ordinal, run) < (?1, ?2) ORDER BY ordinal DESC, run DESC LIMIT ?3";
    match scope {
        None => {
            let query = format!("{DEPLOYMENT} WHERE {behind}");
            all(connection, &query, params![order, run.bytes(), take], deployment_of)
        }
        Some(scope) => {
            let query = format!("{DEPLOYMENT} WHERE scope = ?4 AND {behind}");
            all(connection, &query, params![order, run.bytes(), take, scope.caseless()], deployment_of)
        }
    }
}

pub(super) fn steps(connection: &Connection, run: RunId) -> Result<Vec<StepRecord>> {
    let query = "SELECT number, phase, format, body FROM steps WHERE run = ?1 ORDER BY number";
    let rows = all(connection, query, [run.bytes()], |row| {
        Ok((row.get::<_, u8>(1)?, row.get(0)?, row.get(2)?, row.get(3)?))
    })?;
    rows.into_iter()
        .map(|(phase, number, format, body)| {
            Ok(StepRecord { run, number, phase: phase_of(phase)?, format, body })
        })
        .collect()
}

pub(super) fn phase_of(number: u8) -> Result<Phase> {
    [Phase::Intended, Phase::Confirmed]
        .into_iter()
        .find(|phase| super::write::phase_number(*phase) == number)
        .ok_or_else(|| StoreError::Damaged(format!("a step has the phase {number}")))
}

pub(super) fn operations(connection: &Connection, run: RunId, page: Page) -> Result<Vec<Operation>> {
    let query =
        "SELECT number, format, body FROM operations WHERE run = ?1 ORDER BY number LIMIT ?2 OFFSET ?3";
    let (take, skip) = bounds(page);
    all(connection, query, params![run.bytes(), take, skip], |row| {
        Ok(Operation { run, number: row.get(0)?, format: row.get(1)?, body: row.get(2)? })
    })
}

pub(super) fn blob(connection: &Connection, run: RunId, name: &str) -> Result<Option<Vec<u8>>> {
    let mut statement = connection.prepare_cached("SELECT bytes FROM blobs WHERE run = ?1 AND name = ?2")?;
    Ok(statement.query_row(params![run.bytes(), name], |row| row.get(0)).optional()?)
}

pub(super) fn resource(connection: &Connection, id: &ResourceId) -> Result<Option<Resource>> {
    let mut statement = connection.prepare_cached(&format!("{RESOURCE} WHERE key = ?1"))?;
    Ok(statement.query_row([id.as_str()], resource_of).optional()?)
}

pub(super) fn resources(connection: &Connection, below: &str, page: Page) -> Result<Vec<Resource>> {
    let below = ResourceId::new(below);
    found(connection, &format!("{RESOURCE} WHERE key >= ?1 ORDER BY key"), &below, &below, page)
}

pub(super) fn resources_after(
    connection: &Connection,
    below: &str,
    after: &ResourceId,
    take: usize,
) -> Result<Vec<Resource>> {
    let below = ResourceId::new(below);
    let page = Page { skip: 0, take };
    if *after < below {
        return found(connection, &format!("{RESOURCE} WHERE key >= ?1 ORDER BY key"), &below, &below, page);
    }
    found(connection, &format!("{RESOURCE} WHERE key > ?1 ORDER BY key"), after, &below, page)
}

/// The rows of a query from a key on, as long as they are below an id.
fn found(
    connection: &Connection,
    query: &str,
    from: &ResourceId,
    below: &ResourceId,
    page: Page,
) -> Result<Vec<Resource>> {
    // The primary key gives them in order, so reading stops behind the last one.
    let mut statement = connection.prepare_cached(query)?;
    let mut rows = statement.query([from.as_str()])?;
    let (mut found, mut skipped) = (Vec::new(), 0);
    while found.len() < page.take
        && let Some(row) = rows.next()?
    {
        let resource = resource_of(row)?;
        if !ResourceId::new(&resource.id).as_str().starts_with(below.as_str()) {
            break;
        }
        if skipped < page.skip {
            skipped += 1;
        } else {
            found.push(resource);
        }
    }
    Ok(found)
}

pub(super) fn usage(connection: &Connection, scope: &str) -> Result<ScopeUsage> {
    // `0` is the character behind the slash.
    let query = "SELECT
        (SELECT count(*) FROM resources WHERE key > ?1 || '/' AND key < ?1 || '0'),
        (SELECT coalesce(sum(length(body)), 0) FROM resources WHERE key > ?1 || '/' AND key < ?1 || '0'),
        (SELECT count(*) FROM deployments WHERE scope = ?1 AND active = 1),
        (SELECT coalesce(sum(length(body)), 0) FROM deployments WHERE scope = ?1),
        (SELECT coalesce(sum(length(s.body)), 0) FROM deployments d JOIN steps s ON s.run = d.run WHERE d.scope = ?1),
        (SELECT coalesce(sum(length(o.body)), 0) FROM deployments d JOIN operations o ON o.run = d.run WHERE d.scope = ?1),
        (SELECT coalesce(sum(length(b.bytes)), 0) FROM deployments d JOIN blobs b ON b.run = d.run WHERE d.scope = ?1)";
    let mut statement = connection.prepare_cached(query)?;
    let number = |row: &Row<'_>, at: usize| row.get::<_, i64>(at).map(i64::unsigned_abs);
    Ok(statement.query_row([scope.caseless()], |row| {
        let bytes = [1, 3, 4, 5, 6].iter().map(|at| number(row, *at)).sum::<rusqlite::Result<u64>>()?;
        Ok(ScopeUsage { resources: number(row, 0)?, active: number(row, 2)?, bytes })
    })?)
}
