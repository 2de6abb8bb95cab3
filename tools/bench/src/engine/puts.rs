//! Durable steps: many puts that do nothing, with each step on the disk before it is reported, against bare commits of SQLite.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arm::Value;
use arm::deployment::{Deployment, DeploymentContext, DeploymentMode};
use arm::template::{Template, TemplateLimits};
use engine::core::{Act, MachineSettings, ProviderReply, PutRequest, Response, RunEnd, RunProgress};
use engine::provider::{Pending, Provider};
use engine::{Clock, Engine};
use rusqlite::{Connection, params};
use store::{Key, Page, SqliteStore, Store};
use tokio::sync::mpsc::unbounded_channel;

use super::Given;
use crate::{Result, said};

/// How many resources are put.
const PUTS: usize = 10_000;

/// How many are under way at the same time.
const IN_FLIGHT: usize = 128;

/// How often both sides run.
const ROUNDS: usize = 5;

/// Whether a row is that of a step and not of an operation, its number, and its body.
type Row = (bool, u32, String);

pub(super) fn run(_: &Given) -> Result {
    let folder = std::env::temp_dir().join(format!("tendon-bench-{}", std::process::id()));
    let result = measure(&folder);
    let _ = std::fs::remove_dir_all(&folder);
    result
}

fn measure(folder: &Path) -> Result {
    let (mut engine, mut bare) = (Vec::new(), Vec::new());
    let mut rows = 0;
    for round in 0..ROUNDS {
        let own = folder.join(format!("engine-{round}"));
        let (time, bodies) = deploy(&own)?;
        engine.push(time);
        rows = bodies.len();
        bare.push(write_bare(&folder.join(format!("bare-{round}")), &bodies)?);
    }
    engine.sort();
    bare.sort();
    let (Some(least), Some(least_bare)) = (engine.first(), bare.first()) else { return Ok(()) };
    let (Some(middle), Some(middle_bare)) = (engine.get(ROUNDS / 2), bare.get(ROUNDS / 2)) else {
        return Ok(());
    };
    let each = |time: &Duration| *time / PUTS as u32;
    println!(
        "{PUTS} puts that do nothing, {IN_FLIGHT} in flight, each durable before it is reported, against bare commits of the"
    );
    println!(
        "same {rows} rows to SQLite, {IN_FLIGHT} steps to a commit (wall time, median and least of {ROUNDS} rounds):\n"
    );
    println!("| | median, each put | least, each put |\n|---|--:|--:|");
    println!("| bare SQLite | {:.2?} | {:.2?} |", each(middle_bare), each(least_bare));
    println!("| engine | {:.2?} | {:.2?} |", each(middle), each(least));
    let ratio = |one: &Duration, other: &Duration| one.as_secs_f64() / other.as_secs_f64();
    println!("| times | {:.2} | {:.2} |\n", ratio(middle, middle_bare), ratio(least, least_bare));
    Ok(())
}

/// A provider that says yes to everything and keeps nothing.
struct Idle;

impl Provider for Idle {
    fn get<'a>(&'a self, _: &'a str, _: &'a str) -> Pending<'a> {
        Box::pin(std::future::ready(ProviderReply::Missing))
    }

    fn put<'a>(&'a self, put: &'a PutRequest) -> Pending<'a> {
        Box::pin(std::future::ready(ProviderReply::Done(Response {
            body: put.body.get().clone(),
            writes: Vec::new(),
        })))
    }

    fn delete<'a>(&'a self, _: &'a str) -> Pending<'a> {
        Box::pin(std::future::ready(ProviderReply::Missing))
    }

    fn list<'a>(&'a self, _: &'a str) -> Pending<'a> {
        Box::pin(std::future::ready(ProviderReply::Missing))
    }

    fn action<'a>(&'a self, _: &'a Act) -> Pending<'a> {
        Box::pin(std::future::ready(ProviderReply::Missing))
    }
}

/// Deploys; how long the run took, and the bodies of all rows that it wrote for its steps.
fn deploy(folder: &Path) -> Result<(Duration, Vec<Row>)> {
    let text = format!(
        r#"{{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "languageVersion": "2.0",
        "contentVersion": "1.0.0.0", "resources": {{"things": {{"copy": {{"name": "things", "count": {PUTS}}}, "type": "Microsoft.Things/things",
        "apiVersion": "2025-01-01", "name": "[format('thing-{{0}}', copyIndex())]", "location": "westeurope", "properties": {{"at": "[copyIndex()]"}}}}}}}}"#
    );
    let limits = TemplateLimits { iterations: PUTS, ..TemplateLimits::DEFAULT };
    let template = Template::read(text, &limits).map_err(|errors| format!("{errors:?}"))?;
    let context = DeploymentContext::local(DeploymentContext::local_scope(template.scope), "main");
    let deployment =
        Deployment::with_values(Arc::new(template), [], context).map_err(|errors| format!("{errors:?}"))?;
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(folder).map_err(said)?);
    let engine = Engine {
        store: Arc::clone(&store),
        key: Key::random().map_err(said)?,
        provider: Arc::new(Idle),
        settings: MachineSettings { parallel: IN_FLIGHT },
        clock: Clock::Real,
        budgets: Default::default(),
    };
    let accepted = engine
        .accept(Arc::new(deployment), DeploymentMode::Incremental)
        .map_err(|error| format!("{error:?}"))?;
    let run = accepted.run;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().map_err(said)?;
    let (_open, cancel) = unbounded_channel();
    let mut reported = 0;
    let start = Instant::now();
    let ended = runtime.block_on(engine.run(accepted, cancel, &mut |_: &RunProgress, _: i64| reported += 1));
    let time = start.elapsed();
    let ended = ended.map_err(|error| format!("{error:?}"))?;
    if !matches!(ended.end, RunEnd::Succeeded(Value::Object(_))) || reported < PUTS {
        return Err(format!("the deployment did not succeed: {:?}", ended.end));
    }
    let steps = store.steps(run).map_err(said)?.into_iter().map(|step| (true, step.number, step.body));
    let operations = store.operations(run, Page::ALL).map_err(said)?.into_iter();
    let operations = operations.map(|operation| (false, operation.number, operation.body));
    let mut rows: Vec<Row> = steps.chain(operations).collect();
    rows.sort_by_key(|(is_step, number, _)| (*number, !is_step));
    Ok((time, rows))
}

/// Writes the same rows with nothing around them.
fn write_bare(folder: &Path, rows: &[Row]) -> Result<Duration> {
    std::fs::create_dir_all(folder).map_err(said)?;
    let mut connection = Connection::open(folder.join("bare.db")).map_err(said)?;
    connection.pragma_update(None, "journal_mode", "wal").map_err(said)?;
    connection.pragma_update(None, "synchronous", "full").map_err(said)?;
    connection
        .execute_batch(
            "CREATE TABLE rows (step INTEGER, number INTEGER, body TEXT, PRIMARY KEY (step, number)) WITHOUT ROWID",
        )
        .map_err(said)?;
    let start = Instant::now();
    let per_step = rows.len().div_ceil(PUTS);
    for chunk in rows.chunks(IN_FLIGHT * per_step) {
        let transaction = connection.transaction().map_err(said)?;
        for (is_step, number, body) in chunk {
            let put = "INSERT INTO rows (step, number, body) VALUES (?1, ?2, ?3)";
            let mut put = transaction.prepare_cached(put).map_err(said)?;
            put.execute(params![is_step, number, body]).map_err(said)?;
        }
        transaction.commit().map_err(said)?;
    }
    Ok(start.elapsed())
}
