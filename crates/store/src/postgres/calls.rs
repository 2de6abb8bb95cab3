//! What a group of batches changes, as statements: one for each table and kind of change, with a column of values for each column.

use std::borrow::Cow;
use std::collections::BTreeSet;

use tokio_postgres::types::ToSql;

use super::group::{Changes, ReadSnapshot};
use super::pool::PoolStatement;
use super::query;
use super::text::escape;
use super::value::Uuid;
use crate::commit::{BatchId, REMEMBERED};
use crate::record::{Deployment, DeploymentKey, Phase, ResourceId, RunId, Status};
use crate::{Result, StoreError};

pub(super) type Column<'a> = Box<dyn ToSql + Sync + Send + 'a>;

pub(super) fn column<'a>(values: impl ToSql + Sync + Send + 'a) -> Column<'a> {
    Box::new(values)
}

pub(super) fn call<'a, const N: usize>(
    query: &'static query::Query,
    columns: [Column<'a>; N],
) -> PoolStatement<'a> {
    PoolStatement::Query(query, columns.into())
}

pub(super) fn batches(query: &'static query::Query, ids: &BTreeSet<BatchId>) -> PoolStatement<'static> {
    let (runs, numbers): (Vec<_>, Vec<_>) = ids.iter().map(|id| (Uuid(id.run), integer(id.number))).unzip();
    call(query, [column(runs), column(numbers)])
}

/// A number as PostgreSQL keeps it; fences, versions and durations never come near the end.
pub(super) fn integer(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX / 4)
}

pub(super) fn phase_number(phase: Phase) -> i16 {
    match phase {
        Phase::Intended => 0,
        Phase::Confirmed => 1,
    }
}

/// The columns of rows of deployments.
#[derive(Default)]
struct Deployments<'a> {
    scopes: Vec<Cow<'a, str>>,
    names: Vec<Cow<'a, str>>,
    runs: Vec<Uuid>,
    roots: Vec<Uuid>,
    active: Vec<bool>,
    orders: Vec<i64>,
    formats: Vec<i32>,
    bodies: Vec<Cow<'a, str>>,
}

impl<'a> Deployments<'a> {
    fn push(&mut self, it: &'a Deployment) {
        self.place(&it.key, it.run, &it.body);
        self.roots.push(Uuid(it.root));
        self.active.push(it.status == Status::Active);
        self.orders.push(it.order);
        self.formats.push(it.format.into());
    }

    /// A row that is deleted again.
    fn push_nobody(&mut self, key: &'a DeploymentKey, nobody: RunId) {
        self.place(key, nobody, "");
        self.roots.push(Uuid(nobody));
        self.active.push(false);
        self.orders.push(0);
        self.formats.push(0);
    }

    fn place(&mut self, key: &'a DeploymentKey, run: RunId, body: &'a str) {
        self.scopes.push(escape(key.scope()));
        self.names.push(escape(key.name()));
        self.runs.push(Uuid(run));
        self.bodies.push(escape(body));
    }

    fn call(self, query: &'static query::Query) -> Option<PoolStatement<'a>> {
        (!self.runs.is_empty()).then(|| {
            let columns = [column(self.scopes), column(self.names), column(self.runs), column(self.roots)];
            let more = [column(self.active), column(self.orders), column(self.formats), column(self.bodies)];
            PoolStatement::Query(query, columns.into_iter().chain(more).collect())
        })
    }
}

/// The columns of rows of resources.
#[derive(Default)]
struct Resources<'a> {
    keys: Vec<Cow<'a, str>>,
    ids: Vec<Cow<'a, str>>,
    versions: Vec<i64>,
    formats: Vec<i32>,
    bodies: Vec<Cow<'a, str>>,
}

impl<'a> Resources<'a> {
    fn push(&mut self, key: &'a ResourceId, id: &'a str, version: u64, format: u16, body: &'a str) {
        self.keys.push(escape(key.as_str()));
        self.ids.push(escape(id));
        self.versions.push(integer(version));
        self.formats.push(format.into());
        self.bodies.push(escape(body));
    }

    fn call(self, query: &'static query::Query) -> Option<PoolStatement<'a>> {
        let Resources { keys, ids, versions, formats, bodies } = self;
        let is_empty = keys.is_empty();
        let columns = [column(keys), column(ids), column(versions), column(formats), column(bodies)];
        (!is_empty).then(|| call(query, columns))
    }
}

/// The statements that make changes.
pub(super) fn calls<'c>(
    changes: &'c Changes<'_>,
    there: &ReadSnapshot,
    remembers: bool,
) -> Result<Vec<PoolStatement<'c>>> {
    let mut calls = Vec::new();
    if !changes.forget.is_empty() {
        let runs: Vec<_> = changes.forget.iter().map(|run| Uuid(*run)).collect();
        calls.push(call(&query::FORGET, [column(runs.clone())]));
        if remembers {
            calls.push(call(&query::REMEMBER, [column(runs), column(REMEMBERED)]));
        }
    }
    let updated = deployment_calls(changes, there, &mut calls)?;
    if !changes.leases.is_empty() {
        let mut columns: (Vec<_>, Vec<_>, Vec<_>) = Default::default();
        for (run, (owner, milliseconds)) in &changes.leases {
            columns.0.push(Uuid(*run));
            columns.1.push(escape(owner));
            columns.2.push(integer(*milliseconds));
        }
        calls.push(call(&query::PUT_LEASES, [column(columns.0), column(columns.1), column(columns.2)]));
    }
    if !changes.steps.is_empty() {
        let steps = || changes.steps.values();
        calls.push(call(
            &query::PUT_STEPS,
            [
                column(steps().map(|step| Uuid(step.run)).collect::<Vec<_>>()),
                column(steps().map(|step| i64::from(step.number)).collect::<Vec<_>>()),
                column(steps().map(|step| phase_number(step.phase)).collect::<Vec<_>>()),
                column(steps().map(|step| i32::from(step.format)).collect::<Vec<_>>()),
                column(steps().map(|step| escape(&step.body)).collect::<Vec<_>>()),
            ],
        ));
    }
    if !changes.operations.is_empty() {
        let operations = || changes.operations.values();
        calls.push(call(
            &query::PUT_OPERATIONS,
            [
                column(operations().map(|operation| Uuid(operation.run)).collect::<Vec<_>>()),
                column(operations().map(|operation| i64::from(operation.number)).collect::<Vec<_>>()),
                column(operations().map(|operation| i32::from(operation.format)).collect::<Vec<_>>()),
                column(operations().map(|operation| escape(&operation.body)).collect::<Vec<_>>()),
            ],
        ));
    }
    blob_calls(changes, &mut calls);
    resource_calls(changes, there, &mut calls);
    // Their rows are locked already. Whoever watches the tables sees that a deployment has ended after its last step.
    calls.extend(updated);
    if !changes.batches.is_empty() {
        calls.push(batches(&query::INSERT_BATCHES, &changes.batches));
    }
    Ok(calls)
}

/// Those for new deployments and old ones; the one that changes deployments is given back.
fn deployment_calls<'c>(
    changes: &'c Changes<'_>,
    there: &ReadSnapshot,
    calls: &mut Vec<PoolStatement<'c>>,
) -> Result<Option<PoolStatement<'c>>> {
    let (mut inserted, mut updated) = (Deployments::default(), Deployments::default());
    let mut deleted: (Vec<_>, Vec<_>) = Default::default();
    let mut kept_away: (Vec<_>, Vec<_>) = Default::default();
    for key in &changes.asked.deployments {
        let is_there = there.deployments.contains_key(key);
        match changes.deployments.get(key) {
            Some(Some(it)) => {
                let rows = if is_there { &mut updated } else { &mut inserted };
                rows.push(it);
            }
            Some(None) if is_there => {
                deleted.0.push(escape(key.scope()));
                deleted.1.push(escape(key.name()));
            }
            Some(None) | None if !is_there => {
                let mut nobody = [0; 16];
                getrandom::fill(&mut nobody).map_err(|error| StoreError::Remote(error.to_string()))?;
                let nobody = RunId(u128::from_be_bytes(nobody));
                inserted.push_nobody(key, nobody);
                kept_away.0.push(escape(key.scope()));
                kept_away.1.push(escape(key.name()));
            }
            Some(None) | None => {}
        }
    }
    if !deleted.0.is_empty() {
        calls.push(call(&query::DELETE_DEPLOYMENTS, [column(deleted.0), column(deleted.1)]));
    }
    calls.extend(inserted.call(&query::INSERT_DEPLOYMENTS));
    if !kept_away.0.is_empty() {
        calls.push(call(&query::DELETE_DEPLOYMENTS, [column(kept_away.0), column(kept_away.1)]));
    }
    Ok(updated.call(&query::UPDATE_DEPLOYMENTS))
}

fn blob_calls<'c>(changes: &'c Changes<'_>, calls: &mut Vec<PoolStatement<'c>>) {
    let mut put: (Vec<_>, Vec<_>, Vec<&[u8]>) = Default::default();
    let mut deleted: (Vec<_>, Vec<_>) = Default::default();
    for ((run, name), bytes) in &changes.blobs {
        match bytes {
            Some(bytes) => {
                put.0.push(Uuid(*run));
                put.1.push(escape(name));
                put.2.push(bytes);
            }
            None => {
                deleted.0.push(Uuid(*run));
                deleted.1.push(escape(name));
            }
        }
    }
    if !put.0.is_empty() {
        calls.push(call(&query::PUT_BLOBS, [column(put.0), column(put.1), column(put.2)]));
    }
    if !deleted.0.is_empty() {
        calls.push(call(&query::DELETE_BLOBS, [column(deleted.0), column(deleted.1)]));
    }
}

fn resource_calls<'c>(changes: &'c Changes<'_>, there: &ReadSnapshot, calls: &mut Vec<PoolStatement<'c>>) {
    let (mut inserted, mut updated) = (Resources::default(), Resources::default());
    let mut deleted = Vec::new();
    for key in &changes.asked.resources {
        let is_there = there.resources.contains_key(key);
        match changes.resources.get(key) {
            Some(Some((version, it))) => {
                let rows = if is_there { &mut updated } else { &mut inserted };
                rows.push(key, &it.id, *version, it.format, &it.body);
            }
            Some(None) if is_there => deleted.push(escape(key.as_str())),
            Some(None) | None if !is_there => {
                inserted.push(key, "", 0, 0, "");
                deleted.push(escape(key.as_str()));
            }
            Some(None) | None => {}
        }
    }
    calls.extend(inserted.call(&query::INSERT_RESOURCES));
    if !deleted.is_empty() {
        calls.push(call(&query::DELETE_RESOURCES, [column(deleted)]));
    }
    calls.extend(updated.call(&query::UPDATE_RESOURCES));
}
