//! Deployments to nodes that are killed at random, on a database that is restarted and then lost, with a synchronous standby that is promoted in its place:
//! every promise is checked afterwards, on what the standby has.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use postgres_server::Server;

use crate::check::{self, ClientObservation, ClusterSummary, POISON};
use crate::client::{Client, deployment, ended, run_of, template};
use crate::nodes::Cluster;
use crate::random::Random;
use crate::{Result, said};

/// How many nodes there are.
const NODES: usize = 3;
/// How many resources a deployment has.
const RESOURCES: usize = 4;
/// How many clients there are.
const CLIENTS: usize = 48;
/// How often a deployment is asked to stop: one of so many.
const CANCELED: usize = 20;
/// How long a deployment may take, with everything that is killed meanwhile.
const PATIENCE: Duration = Duration::from_secs(180);

/// How often the database is restarted before it is lost.
const RESTARTS: usize = 2;
/// How long nodes may take to go on once the standby is promoted.
const HELD_UP: Duration = Duration::from_secs(10);

/// How many deployments end every node that works on them.
const POISONED: usize = 4;

/// What the proof came to.
#[derive(Clone, Copy, Debug)]
pub struct Proof {
    /// What the record says.
    pub found: ClusterSummary,
    /// How often a node was killed.
    pub kills: usize,
    /// How often because of a deployment that ends its node.
    pub poisonings: usize,
    /// How often the database was restarted.
    pub restarts: usize,
    /// How long it took from the promotion of the standby to the end of the next deployment.
    pub followed: Duration,
    /// How long it took.
    pub took: Duration,
}

/// Sends so many deployments; an error is the promise that was broken.
pub fn run(program: &Path, deployments: usize, seed: u64) -> Result<Proof> {
    let began = Instant::now();
    let primary = Server::with_settings(&["max_connections=200"]).map_err(said)?;
    let standby = primary.with_standby().map_err(said)?;
    let cluster = Cluster::with_standby(program, &primary, &standby, NODES)?;
    check::record(&primary)?;
    let (server, mut standby) = (Mutex::new(primary), Some(standby));
    let (next, done, over) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    let told = Mutex::new(Vec::new());
    let (kills, poisonings, (restarts, followed)) = thread::scope(|scope| -> Result<_> {
        let standby = &mut standby;
        let (cluster, next, done, told, over, server) = (&cluster, &next, &done, &told, &over, &server);
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                scope.spawn(move || -> Result {
                    let mut user = User::new(cluster, seed ^ (client as u64 + 1));
                    if client < POISONED {
                        // It is among the first of the honest ones, and nobody waits for it but this client.
                        user.body = poison();
                        let it = user.deploy(&format!("{POISON}{client}"), false)?;
                        told.lock().map_err(said)?.push(it);
                        user.body = template(RESOURCES);
                    }
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= deployments {
                            return Ok(());
                        }
                        let it = user.deploy(&format!("d{number}"), number.is_multiple_of(CANCELED))?;
                        told.lock().map_err(said)?.push(it);
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                })
            })
            .collect();
        let killer = scope.spawn(move || -> Result<(usize, usize)> {
            let mut random = Random::new(seed);
            let (mut kills, mut poisonings) = (0, 0);
            while !over.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(200 + random.below(1_300) as u64));
                let poisoned = {
                    let server = server.lock().map_err(said)?;
                    check::workers(&server, POISON).unwrap_or_default()
                };
                let mut dead = cluster.nodes_of(&poisoned);
                poisonings += dead.len();
                if dead.is_empty() {
                    dead.push(random.below(NODES));
                    kills += 1;
                }
                dead.iter().for_each(|node| cluster.kill(*node));
                thread::sleep(Duration::from_millis(random.below(1_000) as u64));
                dead.iter().try_for_each(|node| cluster.revive(*node))?;
            }
            Ok((kills, poisonings))
        });
        let restarter = scope.spawn(move || -> Result<(usize, Duration)> {
            let reached = |count: usize| {
                while done.load(Ordering::Relaxed) < count {
                    if over.load(Ordering::Relaxed) {
                        return Err("the deployments ended before the database was lost".to_owned());
                    }
                    thread::sleep(Duration::from_millis(20));
                }
                Ok(())
            };
            for share in 1..=RESTARTS {
                reached(deployments * share / (RESTARTS + 2))?;
                server.lock().map_err(said)?.restart().map_err(said)?;
            }
            reached(deployments * (RESTARTS + 1) / (RESTARTS + 2))?;
            // The machine of the primary is gone, and somebody takes a moment to find that out.
            let mut lost = server.lock().map_err(said)?;
            lost.kill().map_err(said)?;
            thread::sleep(Duration::from_secs(1));
            let next = standby.take().ok_or("there is no standby")?;
            next.promote().map_err(said)?;
            *lost = next;
            drop(lost);
            let (promoted, before) = (Instant::now(), done.load(Ordering::Relaxed));
            reached(before + 1)?;
            let followed = promoted.elapsed();
            if followed > HELD_UP {
                return Err(format!("no deployment ended for {followed:?} after the standby was promoted"));
            }
            Ok((RESTARTS, followed))
        });
        let sent: Vec<Result> = clients
            .into_iter()
            .map(|it| it.join().unwrap_or_else(|_| Err("a client panicked".to_owned())))
            .collect();
        over.store(true, Ordering::Relaxed);
        let panicked = || "a thread panicked".to_owned();
        let restarted = restarter.join().map_err(|_| panicked())?;
        let (kills, poisonings) = killer.join().map_err(|_| panicked())??;
        sent.into_iter().collect::<Result<Vec<()>>>()?;
        Ok((kills, poisonings, restarted?))
    })?;
    let told = told.into_inner().map_err(said)?;
    let server = server.into_inner().map_err(said)?;
    let found = check::check(&server, &told, RESOURCES)?;
    if poisonings == 0 {
        return Err("no node was ended by a deployment that ends nodes".to_owned());
    }
    Ok(Proof { found, kills, poisonings, restarts, followed, took: began.elapsed() })
}

/// A deployment whose only step waits for longer than everything takes: whoever works on it is killed, as if it had ended the process.
fn poison() -> String {
    let resource = r#"{"type": "Our.Poison/things", "apiVersion": "2025-01-01", "name": "[deployment().name]", "@options": {"waitUntil": ["[lambda('x', equals(lambdaVariables('x').size, 2))]", "PT1H"]}, "properties": {"size": 1}}"#;
    format!(
        r#"{{"properties": {{"mode": "Incremental", "template": {{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0", "resources": [{resource}]}}}}}}"#
    )
}

/// Somebody who deploys, asking any node.
struct User {
    clients: Vec<Client>,
    random: Random,
    body: String,
}

impl User {
    fn new(cluster: &Cluster, seed: u64) -> User {
        let clients = (0..cluster.count()).map(|node| cluster.client(node)).collect();
        User { clients, random: Random::new(seed), body: template(RESOURCES) }
    }

    fn ask(&mut self, method: &str, path: &str, body: &str) -> Result<(u16, String)> {
        let node = self.random.below(self.clients.len());
        let client = self.clients.get_mut(node).ok_or("there is no node")?;
        client.ask(method, path, body).map(|reply| (reply.status, reply.body))
    }

    /// Sends a deployment until some node has it, and asks until some node says how it ended.
    fn deploy(&mut self, name: &str, cancels: bool) -> Result<ClientObservation> {
        let began = Instant::now();
        let mut told = ClientObservation {
            name: name.to_owned(),
            acknowledged: None,
            run: String::new(),
            canceled: false,
            end: String::new(),
            why: String::new(),
        };
        let (path, body) = (deployment(&told.name, ""), self.body.clone());
        loop {
            if began.elapsed() > PATIENCE {
                return Err(format!("`{}` was not accepted for {PATIENCE:?}", told.name));
            }
            match self.ask("PUT", &path, &body) {
                Ok((200 | 201, body)) => {
                    told.acknowledged = Some(run_of(&body).ok_or_else(|| format!("no run in {body}"))?);
                    break;
                }
                // An answer was lost: it is under way.
                Ok((409, _)) => break,
                Ok((status, body)) if (400..500).contains(&status) && status != 429 => {
                    return Err(format!("`{}` was refused: {status} {body}", told.name));
                }
                Ok(_) | Err(_) => thread::sleep(Duration::from_millis(20 + self.random.below(80) as u64)),
            }
        }
        if cancels {
            // It may be durable although the answer is lost with the database.
            told.canceled = true;
            let _ = self.ask("POST", &deployment(&told.name, "/cancel"), "");
        }
        loop {
            if began.elapsed() > PATIENCE {
                return Err(format!("`{}` did not end for {PATIENCE:?}", told.name));
            }
            match self.ask("GET", &path, "") {
                Ok((200, body)) => match ended(&body) {
                    Some(end) => {
                        told.end = end.to_owned();
                        told.why = body
                            .split_once("\"error\":")
                            .map_or("", |(_, why)| why)
                            .chars()
                            .take(600)
                            .collect();
                        told.run = run_of(&body).ok_or_else(|| format!("no run in {body}"))?;
                        return Ok(told);
                    }
                    None => thread::sleep(Duration::from_millis(50)),
                },
                Ok((404, body)) => return Err(format!("`{}` is not there: {body}", told.name)),
                Ok(_) | Err(_) => thread::sleep(Duration::from_millis(20 + self.random.below(80) as u64)),
            }
        }
    }
}
