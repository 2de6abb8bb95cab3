//! Nodes on PostgreSQL, the database and the clients on the same machine.

use std::time::Duration;

use cluster::figures::{IN_FLIGHT, Throughput, takeovers, throughput};
use postgres_server::Server;

use crate::{Result, processes, said};

/// How long each number of nodes is measured.
const LASTS: Duration = Duration::from_secs(10);

pub(crate) fn run(arguments: &[String]) -> Result {
    let kills = match arguments {
        [] => 50,
        [name, number] if name == "--kills" => number.parse().map_err(said)?,
        _ => return Err("the benchmark takes `--kills N`".to_owned()),
    };
    let program = processes::build()?;
    let server = Server::with_settings(&["max_connections=200"]).map_err(said)?;
    println!("## Deployments in a second, {IN_FLIGHT} in flight\n");
    println!("| nodes | deployments/s | processor time of nodes, each | of the database | of the clients |");
    println!("|--:|--:|--:|--:|--:|");
    for nodes in 1..=3 {
        let Throughput { per_second, nodes: used, database, clients } =
            throughput(&program, &server, nodes, LASTS)?;
        println!("| {nodes} | {per_second:.0} | {used:.0?} | {database:.0?} | {clients:.0?} |");
    }
    if kills == 0 {
        return Ok(());
    }
    let took = takeovers(&program, &server, kills)?;
    let at =
        |share: usize| took.get((took.len() * share / 100).min(took.len() - 1)).copied().unwrap_or_default();
    println!("\n## Takeover after a kill, {kills} times\n\n| median | worst |\n|---|---|");
    println!("| {:.1} s | {:.1} s |", at(50).as_secs_f64(), at(100).as_secs_f64());
    Ok(())
}
