//! Group commits through the store, against pgbench that sends the same statements in the same two trips.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use postgres_server::Server;

use super::{Given, IN_FLIGHT, begin, body, confirm, open, run_of, server, write};
use crate::{Result, said};

/// How long each side runs.
const SECONDS: u64 = 10;

/// How often the sides take turns.
const ROUNDS: usize = 3;

pub(super) fn run(_: &Given) -> Result {
    let server = server()?;
    let store = open(&server, "")?;
    let prepared = open(&server, "&prepare=yes")?;
    let deployments: Vec<_> = (0..IN_FLIGHT).map(begin).collect();
    write(&store, &deployments)?;
    write(&store, &(0..IN_FLIGHT).map(|number| confirm(number, 1)).collect::<Vec<_>>())?;
    let (mut batch, mut best) = (2, [0f64; 4]);
    for _ in 0..ROUNDS {
        for (at, store) in [&store, &prepared].into_iter().enumerate() {
            let begun = Instant::now();
            let mut groups = 0u32;
            while begun.elapsed() < Duration::from_secs(SECONDS) {
                let group: Vec<_> = (0..IN_FLIGHT).map(|number| confirm(number, batch)).collect();
                write(store, &group)?;
                (batch, groups) = (batch + 1, groups + 1);
            }
            keep(&mut best, at, f64::from(groups) / begun.elapsed().as_secs_f64());
        }
        for (at, mode) in ["extended", "prepared"].into_iter().enumerate() {
            keep(&mut best, 2 + at, pgbench(&server, mode)?);
        }
    }
    println!(
        "Groups of {IN_FLIGHT} confirmed steps, each with its operation and its resource, one after the other, against"
    );
    println!("pgbench with the same statements, pipelined alike (best of {ROUNDS} rounds of {SECONDS} s):\n");
    println!("| | groups a second | batches a second | of pgbench |\n|---|--:|--:|--:|");
    let [ours, ours_prepared, theirs, theirs_prepared] = best;
    for (name, groups, than) in [
        ("store", ours, theirs),
        ("store, `prepare=yes`", ours_prepared, theirs_prepared),
        ("pgbench", theirs, theirs),
        ("pgbench, prepared", theirs_prepared, theirs_prepared),
    ] {
        println!("| {name} | {groups:.0} | {:.0} | {:.2} |", groups * IN_FLIGHT as f64, groups / than);
    }
    println!();
    Ok(())
}

fn keep(best: &mut [f64; 4], at: usize, rate: f64) {
    if let Some(kept) = best.get_mut(at) {
        *kept = kept.max(rate);
    }
}

/// How many groups pgbench commits in a second.
fn pgbench(server: &Server, mode: &str) -> Result<f64> {
    let script = server.file("group.sql", &script()).map_err(said)?;
    let mut pgbench = server.program("pgbench");
    pgbench.args([
        "--no-vacuum",
        "--client",
        "1",
        "--protocol",
        mode,
        "--time",
        &SECONDS.to_string(),
        "--file",
    ]);
    let output = pgbench.arg(script).output().map_err(said)?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let rate = text.lines().find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse().ok());
    rate.filter(|_| output.status.success())
        .ok_or_else(|| format!("pgbench failed: {text}{}", String::from_utf8_lossy(&output.stderr)))
}

/// The statements of a group. Numbers of batches and steps are random, so that none comes twice.
fn script() -> String {
    let array = |of: &dyn Fn(u64) -> String| {
        let values: Vec<String> = (0..IN_FLIGHT).map(of).collect();
        format!("ARRAY[{}]", values.join(", "))
    };
    let runs = array(&|number| format!("'{:032x}'::uuid", run_of(number).0));
    let numbers = array(&|_| ":n::bigint".to_owned());
    let ones = array(&|_| "1".to_owned());
    let phases = array(&|_| "1::smallint".to_owned());
    let keys = array(&|number| format!("'/subscriptions/s/resourcegroups/now/things/{number}'"));
    let versions = array(&|_| "2::bigint".to_owned());
    let bodies = array(&|_| format!("'{}'", body()));
    let mut script = String::from("\\set n random(1000000000, 9000000000000)\n\\startpipeline\n");
    let begin = [
        "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
        "SET LOCAL lock_timeout = '10s'",
        "SET LOCAL statement_timeout = '60s'",
        "SET LOCAL idle_in_transaction_session_timeout = '5s'",
    ];
    let mut say = |statement: &str| {
        // Text can always be written to.
        let _ = writeln!(script, "{statement};");
    };
    begin.iter().for_each(|statement| say(statement));
    say(&format!(
        "SELECT l.run, l.fence FROM bench.leases l WHERE l.run = ANY ({runs}) AND l.owner IS NOT NULL ORDER BY l.run FOR UPDATE"
    ));
    say(&format!(
        "SELECT r.key, r.version FROM bench.resources r WHERE r.key = ANY ({keys}) ORDER BY r.key FOR UPDATE"
    ));
    say(&format!(
        "SELECT b.run, b.number FROM unnest({runs}, {numbers}) AS k (run, number) JOIN bench.batches b ON b.run = k.run AND b.number = k.number"
    ));
    say("\\endpipeline\n\\startpipeline");
    say(&format!(
        "INSERT INTO bench.steps (run, number, phase, format, body) SELECT * FROM unnest({runs}, {numbers}, {phases}, {ones}, {bodies}) ON CONFLICT (run, number) DO UPDATE SET phase = excluded.phase, format = excluded.format, body = excluded.body"
    ));
    say(&format!(
        "INSERT INTO bench.operations (run, number, format, body) SELECT * FROM unnest({runs}, {numbers}, {ones}, {bodies}) ON CONFLICT (run, number) DO UPDATE SET format = excluded.format, body = excluded.body"
    ));
    say(&format!(
        "UPDATE bench.resources r SET id = k.id, version = k.version, format = k.format, body = k.body FROM unnest({keys}, {keys}, {versions}, {ones}, {bodies}) AS k (key, id, version, format, body) WHERE r.key = k.key"
    ));
    say(&format!("INSERT INTO bench.batches (run, number) SELECT * FROM unnest({runs}, {numbers})"));
    say("COMMIT");
    script.push_str("\\endpipeline\n");
    // A command of pgbench has no semicolon.
    script.replace("\\endpipeline\n\\startpipeline;", "\\endpipeline\n\\startpipeline")
}
