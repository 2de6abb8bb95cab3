//! Nodes: processes of the real program on one database, which are killed and started again.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use postgres_server::Server;

use crate::client::{Client, GROUP};
use crate::{Result, said};

/// The database that the nodes share.
pub const DATABASE: &str = "state";

/// Nodes, and the database below them.
#[derive(Debug)]
pub struct Cluster {
    program: PathBuf,
    folder: PathBuf,
    url: String,
    nodes: Vec<Mutex<Node>>,
    addresses: Vec<SocketAddr>,
}

/// A node; it lives as long as this, or until it is killed.
#[derive(Debug)]
struct Node {
    process: Option<Child>,
}

impl Cluster {
    /// Starts so many nodes on a new database of a server.
    pub fn start(program: &Path, server: &Server, count: usize) -> Result<Cluster> {
        Cluster::with_address(program, server, server.url(DATABASE), count)
    }

    /// The same with nodes that know a standby, too, and follow whichever of both takes writes.
    pub fn with_standby(program: &Path, server: &Server, standby: &Server, count: usize) -> Result<Cluster> {
        let hosts = format!("127.0.0.1:{},127.0.0.1:{}", server.port(), standby.port());
        let url = format!("postgres://{}@{hosts}/{DATABASE}", postgres_server::USER);
        Cluster::with_address(program, server, url, count)
    }

    fn with_address(program: &Path, server: &Server, url: String, count: usize) -> Result<Cluster> {
        server.sql("postgres", &format!("DROP DATABASE IF EXISTS {DATABASE}")).map_err(said)?;
        server.create_database(DATABASE).map_err(said)?;
        let folder = std::env::temp_dir().join(format!("tendon-cluster-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).map_err(said)?;
        let program = program.to_owned();
        let mut cluster = Cluster { program, folder, url, nodes: Vec::new(), addresses: Vec::new() };
        // All of them find an empty database, and make its tables at the same time.
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let started: Vec<Result<(Child, SocketAddr)>> = std::thread::scope(|scope| {
            let cluster = &cluster;
            let starting: Vec<_> =
                (0..count).map(|number| scope.spawn(move || cluster.serve(number, any))).collect();
            starting
                .into_iter()
                .map(|it| it.join().unwrap_or_else(|_| Err("a node was not started".to_owned())))
                .collect()
        });
        for started in started {
            let (process, address) = started?;
            cluster.nodes.push(Mutex::new(Node { process: Some(process) }));
            cluster.addresses.push(address);
        }
        let reply = cluster.client(0).ask(
            "PUT",
            &format!("{GROUP}?api-version=2024-11-01"),
            r#"{"location": "westeurope"}"#,
        )?;
        if reply.status != 201 {
            return Err(format!("the group was not made: {} {}", reply.status, reply.body));
        }
        Ok(cluster)
    }

    /// Starts a node and waits until it listens.
    fn serve(&self, number: usize, address: SocketAddr) -> Result<(Child, SocketAddr)> {
        let mut command = Command::new(&self.program);
        command.args(["serve", "--http", "--log", "off", "--database", &self.url]);
        // Every deployment is looked at in the end.
        command.args(["--history", "0"]);
        command.arg("--listen").arg(address.to_string());
        command.arg("--state").arg(self.folder.join(format!("node{number}")));
        command.arg("--seal-key").arg(self.folder.join("seal.key"));
        let mut process = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().map_err(said)?;
        let mut line = String::new();
        if let Some(output) = process.stdout.take() {
            BufReader::new(output).read_line(&mut line).map_err(said)?;
        }
        let listening = line.trim_end().strip_prefix("listening on http://").and_then(|it| it.parse().ok());
        match listening {
            Some(address) => Ok((process, address)),
            None => {
                let _ = process.kill();
                let _ = process.wait();
                Err(format!("node {number} did not start: {line}"))
            }
        }
    }

    fn node(&self, number: usize) -> Option<MutexGuard<'_, Node>> {
        self.nodes.get(number).map(|node| node.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// How many nodes there are.
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// The numbers of the processes that run.
    pub(crate) fn processes(&self) -> Vec<u32> {
        let running = |number| self.node(number)?.process.as_ref().map(Child::id);
        (0..self.nodes.len()).filter_map(running).collect()
    }

    /// Where a node listens.
    pub fn address(&self, number: usize) -> SocketAddr {
        self.addresses.get(number).copied().unwrap_or(SocketAddr::from(([127, 0, 0, 1], 0)))
    }

    /// The nodes by whose processes leases are held, as their owners are called.
    pub(crate) fn nodes_of(&self, owners: &[String]) -> Vec<usize> {
        let is_owner = |number: &usize| {
            let process = self.node(*number).and_then(|node| node.process.as_ref().map(Child::id));
            process.is_some_and(|id| owners.iter().any(|owner| owner.contains(&format!(" process {id} "))))
        };
        (0..self.nodes.len()).filter(is_owner).collect()
    }

    /// A client of a node.
    pub fn client(&self, number: usize) -> Client {
        Client::new(self.address(number))
    }

    /// The nodes that have ended and that nobody killed.
    pub fn ended(&self) -> Vec<usize> {
        let has_ended = |number: &usize| {
            let node = self.node(*number);
            node.and_then(|mut node| node.process.as_mut()?.try_wait().ok()?).is_some()
        };
        (0..self.nodes.len()).filter(has_ended).collect()
    }

    /// Kills a node, as a machine does that loses its power.
    pub fn kill(&self, number: usize) {
        if let Some(mut process) = self.node(number).and_then(|mut node| node.process.take()) {
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    /// Starts a node again that was killed, at the same address; tries until the database is there.
    pub fn revive(&self, number: usize) -> Result {
        let Some(address) = self.addresses.get(number).copied() else { return Ok(()) };
        let mut last = String::new();
        for _ in 0..100 {
            match self.serve(number, address) {
                Ok((process, _)) => {
                    if let Some(mut node) = self.node(number) {
                        node.process = Some(process);
                    }
                    return Ok(());
                }
                Err(error) => last = error,
            }
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
        Err(last)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for number in 0..self.nodes.len() {
            self.kill(number);
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
