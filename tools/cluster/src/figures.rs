//! What nodes cost: deployments in a second, and how long it takes until another node goes on with those of a dead one.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use postgres_server::Server;

use crate::client::{deployment, ended, template};
use crate::nodes::{Cluster, DATABASE};
use crate::{Result, processor, said};

/// How many deployments are under way at the same time.
pub const IN_FLIGHT: usize = 64;

/// How much was done, and what it took.
#[derive(Clone, Copy, Debug)]
pub struct Throughput {
    /// How many deployments ended in a second.
    pub per_second: f64,
    /// The processor time of the nodes for each of them.
    pub nodes: Duration,
    /// The same of the database.
    pub database: Duration,
    /// The same of the clients.
    pub clients: Duration,
}

/// Sends deployments to all nodes for a while.
pub fn throughput(program: &Path, server: &Server, nodes: usize, lasts: Duration) -> Result<Throughput> {
    let cluster = Cluster::start(program, server, nodes)?;
    let body = template(1);
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let warm = lasts / 4;
    let began = Instant::now();
    let database = server.process().map_err(said)?;
    let used = || {
        let nodes = cluster.processes().into_iter().map(|node| processor::time(node, false)).sum();
        [nodes, processor::time(database, true), processor::time(std::process::id(), false)]
    };
    thread::scope(|scope| -> Result<Throughput> {
        let clients: Vec<_> = (0..IN_FLIGHT)
            .map(|number| {
                let (cluster, next, done, body) = (&cluster, &next, &done, &body);
                scope.spawn(move || -> Result {
                    let mut client = cluster.client(number % nodes);
                    while began.elapsed() < warm + lasts {
                        let name = format!("d{}", next.fetch_add(1, Ordering::Relaxed));
                        let reply = client.ask("PUT", &deployment(&name, ""), body)?;
                        let mut end = ended(&reply.body);
                        while end.is_none() {
                            if !matches!(reply.status, 200 | 201) {
                                return Err(format!("{} {}", reply.status, reply.body));
                            }
                            thread::sleep(Duration::from_millis(5));
                            end = ended(&client.ask("GET", &deployment(&name, ""), "")?.body);
                        }
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                    Ok(())
                })
            })
            .collect();
        thread::sleep(warm);
        let (first, before, at) = (done.load(Ordering::Relaxed), used(), Instant::now());
        thread::sleep(lasts.saturating_sub(Duration::from_millis(50)));
        let (count, after, took): (usize, [Duration; 3], Duration) =
            (done.load(Ordering::Relaxed) - first, used(), at.elapsed());
        for client in clients {
            client.join().map_err(|_| "a client panicked".to_owned())??;
        }
        let each = u32::try_from(count).unwrap_or(u32::MAX).max(1);
        let [nodes, database, clients] = after.map(|after| after / each);
        let [nodes_before, database_before, clients_before] = before.map(|before| before / each);
        Ok(Throughput {
            per_second: count as f64 / took.as_secs_f64(),
            nodes: nodes.saturating_sub(nodes_before),
            database: database.saturating_sub(database_before),
            clients: clients.saturating_sub(clients_before),
        })
    })
}

/// Kills the node that runs deployments, so many times, and measures how long it takes until another one has them; sorted.
pub fn takeovers(program: &Path, server: &Server, times: usize) -> Result<Vec<Duration>> {
    let cluster = Cluster::start(program, server, 2)?;
    let mut took = Vec::new();
    // It waits for something that never comes.
    let body = waiting();
    for number in 0..times {
        let victim = number % 2;
        let name = format!("t{number}");
        let reply = cluster.client(victim).ask("PUT", &deployment(&name, ""), &body)?;
        if reply.status != 201 {
            return Err(format!("{} {}", reply.status, reply.body));
        }
        let owner = || owner(server, &name);
        let (before, fence) = owner()?;
        // Anywhere between two renewals.
        thread::sleep(Duration::from_millis((number as u64 * 377) % 1_300));
        cluster.kill(victim);
        let killed = Instant::now();
        while owner()?.1 == fence {
            if killed.elapsed() > Duration::from_secs(60) {
                return Err(format!("nobody took `{name}` over from {before}"));
            }
            thread::sleep(Duration::from_millis(10));
        }
        took.push(killed.elapsed());
        cluster.client(1 - victim).ask("POST", &deployment(&name, "/cancel"), "")?;
        cluster.revive(victim)?;
    }
    took.sort();
    Ok(took)
}

/// A deployment that is under way until it is canceled.
fn waiting() -> String {
    template(1).replace(
        "\"properties\": {\"size\": 0}",
        "\"@options\": {\"waitUntil\": [\"[lambda('x', equals(lambdaVariables('x').name, 'never'))]\", \"PT1H\"]}, \"properties\": {\"size\": 0}",
    )
}

fn owner(server: &Server, name: &str) -> Result<(String, u64)> {
    let statement = format!(
        "SELECT l.owner, l.fence FROM tendon.leases l JOIN tendon.deployments d ON d.run = l.run WHERE d.name = '{name}'"
    );
    let text = server.sql(DATABASE, &statement).map_err(said)?;
    let (owner, fence) = text.trim().split_once('|').ok_or_else(|| format!("`{name}` has no lease"))?;
    Ok((owner.to_owned(), fence.parse().unwrap_or(0)))
}
