//! How long a deployment takes at half load, beside how long the disk takes to flush.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use super::client::Client;
use super::served::{BODY, Served, clients, path};
use super::{Options, quantile};
use crate::{Result, said};

/// Half of what the server has to carry, in deployments a second.
const RATE: u32 = 1_500;
/// How long it is sent.
const SECONDS: u32 = 8;
/// Over how many connections.
const CONNECTIONS: u32 = 64;
/// How many flushes are measured.
const FLUSHES: usize = 400;

pub(super) fn run(_: &Options) -> Result {
    println!("## Half load\n");
    let served = Served::start("latency")?;
    // The disk is asked before and after, alone: whatever else the machine does hits both.
    let mut flushes = flushes(&served.folder)?;
    let mut times = deploy(served.address)?;
    flushes.extend(self::flushes(&served.folder)?);
    times.sort_unstable();
    flushes.sort_unstable();
    let shown = |times: &[Duration], share: f64| quantile(times, share).unwrap_or_default();
    println!(
        "{RATE} deployments a second for {SECONDS} s over {CONNECTIONS} connections, each sent at its time:\n"
    );
    println!("| | p50 | p99 | most |\n|---|--:|--:|--:|");
    for (name, times) in [("deployment", &times), ("fdatasync alone", &flushes)] {
        println!(
            "| {name} | {:.2?} | {:.2?} | {:.2?} |",
            shown(times, 0.5),
            shown(times, 0.99),
            shown(times, 1.0)
        );
    }
    let bound = Duration::from_millis(20) + 2 * shown(&flushes, 0.99);
    println!("\n20 ms and twice the flush's p99: {bound:.2?}\n");
    Ok(())
}

/// Sends deployments at their times; how long each took from the moment at which it was due.
fn deploy(address: SocketAddr) -> Result<Vec<Duration>> {
    clients()?.block_on(async {
        let mut tasks = Vec::new();
        let start = Instant::now() + Duration::from_millis(100);
        for number in 0..CONNECTIONS {
            let mut client = Client::connect(address).await?;
            tasks.push(tokio::spawn(async move {
                let mut times = Vec::new();
                for at in (number..RATE * SECONDS).step_by(CONNECTIONS as usize) {
                    let due = start + Duration::from_secs(1) * at / RATE;
                    tokio::time::sleep_until(due.into()).await;
                    client.ask("PUT", &path(&format!("l{at}")), BODY, 200).await?;
                    times.push(due.elapsed());
                }
                Ok::<_, String>(times)
            }));
        }
        let mut times = Vec::new();
        for task in tasks {
            times.extend(task.await.map_err(said)??);
        }
        Ok(times)
    })
}

/// How long the disk takes to make a page durable.
fn flushes(folder: &Path) -> Result<Vec<Duration>> {
    let mut file = OpenOptions::new().create(true).append(true).open(folder.join("flush")).map_err(said)?;
    let mut times = Vec::new();
    for _ in 0..FLUSHES {
        file.write_all(&[7; 4096]).map_err(said)?;
        let start = Instant::now();
        file.sync_data().map_err(said)?;
        times.push(start.elapsed());
    }
    Ok(times)
}
