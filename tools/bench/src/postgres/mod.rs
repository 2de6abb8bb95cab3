//! The state in PostgreSQL: group commits against pgbench with the same statements, and what a long history costs.
//!
//! `postgres [PART...] [--deployments N]`: all parts, or those that are named. The server is started for the benchmark, in a temporary
//! folder, with `fsync` on, and shares the machine.

mod groups;
mod history;

use postgres_server::Server;
use store::{
    Address, BatchId, Commit, CommitOutcome, Deployment, DeploymentKey, Fence, Operation, Passwords, Phase,
    PostgresStore, Resource, RunId, Status, StepRecord, Store, Write,
};

use crate::parts::{self, Part};
use crate::{Result, said};

/// How many batches are in flight.
const IN_FLIGHT: u64 = 64;

/// What a step says: about as much as a small resource.
const BODY: usize = 300;

/// What is measured with.
struct Given {
    /// How long the history becomes.
    deployments: u64,
}

/// Every part.
const PARTS: &[Part<Given>] = &[("groups", groups::run), ("history", history::run)];

pub(crate) fn run(arguments: &[String]) -> Result {
    let mut given = Given { deployments: 1_000_000 };
    let mut wanted = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--deployments" => {
                let number = arguments.next().and_then(|value| value.parse().ok());
                given.deployments = number.ok_or("`--deployments` needs a number")?;
            }
            part => wanted.push(part),
        }
    }
    parts::run(PARTS, &wanted, &given)
}

/// A server with room in memory for what is measured.
fn server() -> Result<Server> {
    Server::with_settings(&["shared_buffers=512MB", "max_wal_size=4GB"]).map_err(said)
}

fn open(server: &Server, parameters: &str) -> Result<PostgresStore> {
    let url = format!("{}?schema=bench{parameters}", server.url("postgres"));
    PostgresStore::open(Address::parse(&url, &Passwords::default()).map_err(said)?).map_err(said)
}

fn body() -> String {
    format!("{{\"text\":\"{}\"}}", "x".repeat(BODY - 11))
}

/// The run of a deployment that is under way. Such runs sort behind those of the history, as newer ones do.
fn run_of(number: u64) -> RunId {
    RunId(u128::from(u64::MAX) << 64 | u128::from(number))
}

/// A deployment that begins, with its lease.
fn begin(number: u64) -> Commit {
    let run = run_of(number);
    let deployment = Deployment {
        key: DeploymentKey::new("/subscriptions/s/resourcegroups/now", &format!("d{number}")),
        run,
        root: run,
        status: Status::Active,
        order: i64::MAX / 2 + i64::try_from(number).unwrap_or_default(),
        format: 1,
        body: body(),
    };
    let lease = Write::Lease { run, owner: "bench".to_owned(), milliseconds: 86_400_000 };
    let conditions = vec![store::Condition::NotActive(deployment.key.clone())];
    let writes = vec![Write::Deployment(deployment), lease];
    Commit { id: BatchId { run, number: 0 }, fence: None, conditions, writes }
}

/// A deployment that ends.
fn end(number: u64) -> Commit {
    let mut end = begin(number);
    end.conditions.clear();
    end.writes.retain_mut(|write| match write {
        Write::Deployment(deployment) => {
            deployment.status = Status::Ended;
            true
        }
        _ => false,
    });
    Commit {
        id: BatchId { run: run_of(number), number: u64::MAX / 4 },
        fence: Some(Fence { run: run_of(number), number: 1 }),
        ..end
    }
}

/// A step that is confirmed: the step, its operation and its resource.
fn confirm(number: u64, batch: u64) -> Commit {
    let run = run_of(number);
    let id = format!("/subscriptions/s/resourcegroups/now/things/{number}");
    let step = u32::try_from(batch).unwrap_or(u32::MAX);
    let writes = vec![
        Write::Step(StepRecord { run, number: step, phase: Phase::Confirmed, format: 1, body: body() }),
        Write::Operation(Operation { run, number: step, format: 1, body: body() }),
        Write::Resource(Resource { id, version: 0, format: 1, body: body() }),
    ];
    let fence = Some(Fence { run, number: 1 });
    Commit { id: BatchId { run, number: batch }, fence, conditions: Vec::new(), writes }
}

fn write(store: &dyn Store, batches: &[Commit]) -> Result {
    match store.commit(batches).into_iter().find(|outcome| *outcome != CommitOutcome::Committed) {
        Some(outcome) => Err(format!("{outcome:?}")),
        None => Ok(()),
    }
}
