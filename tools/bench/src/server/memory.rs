//! Memory over very many requests.

use std::net::SocketAddr;

use super::Options;
use super::client::Client;
use super::served::{BODY, Served, clients, path};
use crate::{Result, said};

/// How many connections ask.
const CONNECTIONS: usize = 64;
/// How many different deployments there are: the rest replace them.
const NAMES: usize = 1_000;
/// How often memory is looked at.
const LOOKS: usize = 10;

pub(super) fn run(given: &Options) -> Result {
    println!("## Memory\n");
    let served = Served::start("memory")?;
    println!(
        "{} requests, of which one in ten deploys and the others read, over {NAMES} names (resident memory of server and clients):\n",
        given.requests
    );
    println!("| requests | MiB |\n|--:|--:|");
    println!("| 0 | {:.1} |", resident()?);
    for look in 0..LOOKS {
        ask(served.address, given.requests / LOOKS)?;
        println!("| {} | {:.1} |", (look + 1) * given.requests / LOOKS, resident()?);
    }
    println!();
    Ok(())
}

fn ask(address: SocketAddr, requests: usize) -> Result {
    clients()?.block_on(async {
        let mut tasks = Vec::new();
        for number in 0..CONNECTIONS {
            let mut client = Client::connect(address).await?;
            tasks.push(tokio::spawn(async move {
                // Names belong to one connection, so that no two deployments of one name meet.
                let own = NAMES / CONNECTIONS;
                for at in 0..requests / CONNECTIONS {
                    let name = path(&format!("m{number}-{}", at / 10 % own));
                    // The first request for a name deploys it.
                    if at % 10 == 0 {
                        client.ask("PUT", &name, BODY, 200).await?;
                    } else {
                        client.ask("GET", &name, "", 200).await?;
                    }
                }
                Ok::<_, String>(())
            }));
        }
        for task in tasks {
            task.await.map_err(said)??;
        }
        Ok(())
    })
}

/// The resident memory of this process, in MiB.
fn resident() -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status").map_err(said)?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kilobytes.map(|kilobytes| kilobytes / 1024.0).ok_or_else(|| "the system does not say".to_owned())
}
