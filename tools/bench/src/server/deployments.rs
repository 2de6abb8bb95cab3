//! Small deployments from end to end: sent, accepted, run, durable, answered.

use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::Options;
use super::client::Client;
use super::served::{BODY, Served, clients, path};
use crate::{Result, said};

/// How many are in flight.
const IN_FLIGHT: usize = 64;
/// How many are deployed in a round.
const DEPLOYMENTS: usize = 6_400;
/// How many rounds there are.
const ROUNDS: usize = 5;
/// How many commits bare SQLite makes in a round.
const COMMITS: u32 = 500;

pub(super) fn run(_: &Options) -> Result {
    println!("## Small deployments\n");
    let served = Served::start("deployments")?;
    let (mut rates, mut bare) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        bare.push(commits(&served.folder)?);
        let time = deploy(served.address, round)?;
        rates.push(DEPLOYMENTS as f64 / time.as_secs_f64());
    }
    rates.sort_unstable_by(f64::total_cmp);
    bare.sort_unstable_by(f64::total_cmp);
    let middle = |values: &[f64]| values.get(values.len() / 2).copied().unwrap_or(f64::NAN);
    let most = |values: &[f64]| values.last().copied().unwrap_or(f64::NAN);
    println!(
        "{DEPLOYMENTS} deployments a round, {IN_FLIGHT} in flight, one resource and one output each, every step durable before it \
         counts; beside it, commits of one row to bare SQLite with the same durability ({ROUNDS} rounds in turns):\n"
    );
    println!("| | median | most |\n|---|--:|--:|");
    println!("| deployments a second | {:.0} | {:.0} |", middle(&rates), most(&rates));
    println!("| bare commits a second | {:.0} | {:.0} |", middle(&bare), most(&bare));
    println!("| times | {:.2} | {:.2} |\n", middle(&rates) / middle(&bare), most(&rates) / most(&bare));
    Ok(())
}

/// Deploys from many connections; how long all of it took.
fn deploy(address: SocketAddr, round: usize) -> Result<Duration> {
    clients()?.block_on(async {
        let mut connections = Vec::new();
        for _ in 0..IN_FLIGHT {
            connections.push(Client::connect(address).await?);
        }
        let start = Instant::now();
        let tasks: Vec<_> = connections
            .into_iter()
            .enumerate()
            .map(|(number, mut client)| {
                tokio::spawn(async move {
                    for at in 0..DEPLOYMENTS / IN_FLIGHT {
                        let path = path(&format!("r{round}-c{number}-{at}"));
                        let answer = client.ask("PUT", &path, BODY, 200).await?;
                        if !answer.contains(r#""provisioningState":"Succeeded""#) {
                            return Err(answer.to_owned());
                        }
                    }
                    Ok(())
                })
            })
            .collect();
        for task in tasks {
            task.await.map_err(said)??;
        }
        Ok(start.elapsed())
    })
}

/// Commits of one small row each, a second.
fn commits(folder: &Path) -> Result<f64> {
    let connection = Connection::open(folder.join("bare.db")).map_err(said)?;
    connection.pragma_update(None, "journal_mode", "wal").map_err(said)?;
    connection.pragma_update(None, "synchronous", "full").map_err(said)?;
    let table = "CREATE TABLE IF NOT EXISTS rows (number INTEGER PRIMARY KEY, body TEXT)";
    connection.execute_batch(table).map_err(said)?;
    let start = Instant::now();
    for _ in 0..COMMITS {
        let mut put = connection.prepare_cached("INSERT INTO rows (body) VALUES (?1)").map_err(said)?;
        put.execute(["a small row"]).map_err(said)?;
    }
    Ok(f64::from(COMMITS) / start.elapsed().as_secs_f64())
}
