//! What a step costs as the history grows, which is made by bulk insert.

use std::time::{Duration, Instant};

use postgres_server::Server;
use store::{DeploymentKey, Page, Store};

use super::{Given, IN_FLIGHT, begin, confirm, end, open, server, write};
use crate::{Result, said};

/// How often each thing is done at each length.
const TIMES: u64 = 200;

pub(super) fn run(given: &Given) -> Result {
    let server = server()?;
    let store = open(&server, "")?;
    let mut there = 0;
    let mut rows = Vec::new();
    let lengths = [0, given.deployments / 100, given.deployments / 10, given.deployments];
    for (round, length) in lengths.into_iter().enumerate() {
        grow(&server, there, length)?;
        there = length;
        rows.push((length, measure(&store, round as u64)?));
    }
    println!(
        "What the store takes with a history of deployments that have ended, each with two steps, two operations, a blob,"
    );
    println!("three batches and a resource (median of {TIMES}; {IN_FLIGHT} in a group):\n");
    println!(
        "| deployments | a step in a group | a step alone | a new deployment | a record | newest 20 of a scope | a resource | looking for what to take over |"
    );
    println!("|--:|--:|--:|--:|--:|--:|--:|--:|");
    for (length, times) in rows {
        let cells: Vec<String> = times.iter().map(|time| format!("{time:.0?}")).collect();
        println!("| {length} | {} |", cells.join(" | "));
    }
    println!();
    Ok(())
}

/// Makes deployments that have ended.
fn grow(server: &Server, from: u64, upto: u64) -> Result {
    if from == upto {
        return Ok(());
    }
    let run = "('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid";
    let of = format!("FROM generate_series({from}::bigint, {}::bigint) AS n", upto - 1);
    let body = "'{\"text\":\"' || repeat('x', 200) || n || '\"}'";
    let scope = "'/subscriptions/s/resourcegroups/g' || n % 1000";
    for statement in [
        format!(
            "INSERT INTO bench.deployments SELECT {scope}, 'd' || n, {run}, {run}, false, n, 1, {body} {of}"
        ),
        format!("INSERT INTO bench.leases SELECT {run}, 'old', 1, 0, false {of}"),
        format!("INSERT INTO bench.steps SELECT {run}, s, 1, 1, {body} {of}, generate_series(1, 2) AS s"),
        format!("INSERT INTO bench.operations SELECT {run}, s, 1, {body} {of}, generate_series(1, 2) AS s"),
        format!("INSERT INTO bench.blobs SELECT {run}, 'inputs', '\\x00' {of}"),
        format!("INSERT INTO bench.batches SELECT {run}, s {of}, generate_series(1, 3) AS s"),
        format!(
            "INSERT INTO bench.resources SELECT {scope} || '/things/' || n, {scope} || '/things/' || n, 1, 1, {body} {of}"
        ),
        "VACUUM ANALYZE".to_owned(),
        "CHECKPOINT".to_owned(),
    ] {
        server.sql("postgres", &statement).map_err(said)?;
    }
    Ok(())
}

fn median(mut act: impl FnMut(u64) -> Result) -> Result<Duration> {
    let mut times = Vec::new();
    for time in 0..TIMES {
        let begun = Instant::now();
        act(time)?;
        times.push(begun.elapsed());
    }
    times.sort();
    times.get(times.len() / 2).copied().ok_or_else(|| "nothing was measured".to_owned())
}

fn measure(store: &dyn Store, round: u64) -> Result<[Duration; 7]> {
    // Deployments of this round; those of earlier rounds are done with.
    let first = round * 10_000;
    let deployments: Vec<_> = (first..first + IN_FLIGHT).map(begin).collect();
    write(store, &deployments)?;
    let group = median(|time| {
        let group: Vec<_> = (first..first + IN_FLIGHT).map(|number| confirm(number, 1 + time)).collect();
        write(store, &group)
    })?;
    let alone = median(|time| write(store, &[confirm(first, 10_000 + time)]))?;
    let new = median(|time| write(store, &[begin(first + 1_000 + time)]))?;
    let key = DeploymentKey::new("/subscriptions/s/resourcegroups/now", &format!("d{first}"));
    let record = median(|_| store.deployment(&key).map(drop).map_err(said))?;
    let page = Page { skip: 0, take: 20 };
    let listing = median(|_| store.deployments(Some(key.scope()), page).map(drop).map_err(said))?;
    let id = store::ResourceId::new(&format!("/subscriptions/s/resourcegroups/now/things/{first}"));
    let resource = median(|_| store.resource(&id).map(drop).map_err(said))?;
    let help = median(|_| store.claim_abandoned("bench", 1000, 100).map(drop).map_err(said))?;
    // As many are active in every round.
    let ends: Vec<_> =
        (first..first + IN_FLIGHT).chain(first + 1_000..first + 1_000 + TIMES).map(end).collect();
    write(store, &ends)?;
    Ok([group / u32::try_from(IN_FLIGHT).unwrap_or(1), alone, new, record, listing, resource, help])
}
