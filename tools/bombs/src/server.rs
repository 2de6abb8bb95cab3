//! Bombs at a server in little memory, while somebody else goes on working with it.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use cluster::client::{self, Reply};

use crate::table::Bomb;
use crate::{Result, confined};

/// How often it is asked whether a deployment has ended.
const ASKED: usize = 600;
/// How long is waited in between.
const PAUSE: Duration = Duration::from_millis(100);
/// What is refused: wrong, too large, or too much at the moment.
pub(crate) const REFUSED: &[u16] = &[400, 413, 429];

/// Somebody who asks the server, each time anew: a connection on which nothing is said is closed.
#[derive(Clone, Copy)]
pub(crate) struct Client(pub(crate) SocketAddr);

impl Client {
    pub(crate) fn ask(self, method: &str, path: &str, body: &str) -> Result<Reply> {
        client::Client::new(self.0).ask(method, path, body)
    }
}

/// A server.
pub(crate) struct Server {
    process: Child,
    pub(crate) address: SocketAddr,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Server {
    pub(crate) fn start(program: &Path, folder: &Path) -> Result<Server> {
        let mut process = confined(program)
            .args(["serve", "--http", "--listen", "127.0.0.1:0", "--log", "error", "--state"])
            .arg(folder)
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start the server: {error}"))?;
        let mut line = String::new();
        if let Some(said) = process.stdout.take() {
            BufReader::new(said).read_line(&mut line).map_err(|error| error.to_string())?;
        }
        let address = line.trim_end().strip_prefix("listening on http://").and_then(|text| text.parse().ok());
        match address {
            Some(address) => Ok(Server { process, address }),
            None => {
                let _ = process.kill();
                let _ = process.wait();
                Err(format!("the server did not start: `{}`", line.trim_end()))
            }
        }
    }

    /// Tells whether the process still runs; if not, another one begins on the same state, so that one bomb does not hide the next.
    pub(crate) fn revived(&mut self, program: &Path, folder: &Path, after: &str) -> Result<Option<String>> {
        let Err(why) = self.check(after) else { return Ok(None) };
        *self = Server::start(program, folder)?;
        Ok(Some(why))
    }

    /// Tells whether the process still runs.
    pub(crate) fn check(&mut self, after: &str) -> Result {
        match self.process.try_wait() {
            Ok(None) => Ok(()),
            Ok(Some(status)) => Err(format!("the server ended after `{after}`: {status}")),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// The body of a request that deploys a template.
pub(crate) fn body(template: &str) -> String {
    format!(r#"{{"properties": {{"mode": "Incremental", "template": {template}}}}}"#)
}

pub(crate) fn expect(reply: Result<Reply>, what: &str, statuses: &[u16]) -> Result<Reply> {
    let reply = reply.map_err(|error| format!("{what}: {error}"))?;
    if statuses.contains(&reply.status) {
        return Ok(reply);
    }
    let shown: String = reply.body.chars().take(600).collect();
    Err(format!("{what}: answered with {}: {shown}", reply.status))
}

/// How long another caller may wait while somebody sends bombs, on a machine that does nothing else.
const LONGEST: Duration = Duration::from_secs(1);
/// How many times longer it may be on a machine that builds and tests beside.
const PATIENCE: u32 = 20;

static IS_PATIENT: AtomicBool = AtomicBool::new(false);

/// Lets other callers wait longer from now on: something else runs beside.
pub fn be_patient() {
    IS_PATIENT.store(true, Ordering::Relaxed);
}

/// How often they ask.
const ASKS: Duration = Duration::from_millis(50);

/// Another caller, who asks again and again for something small.
pub(crate) struct Watch {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Result<Duration>>,
}

impl Watch {
    /// Begins to ask.
    pub(crate) fn start(address: SocketAddr, path: &str) -> Watch {
        let (stop, path) = (Arc::new(AtomicBool::new(false)), path.to_owned());
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let mut longest = Duration::ZERO;
            while !stopped.load(Ordering::Relaxed) {
                let started = Instant::now();
                expect(Client(address).ask("GET", &path, ""), "another caller", &[200])?;
                longest = longest.max(started.elapsed());
                std::thread::sleep(ASKS);
            }
            Ok(longest)
        });
        Watch { stop, thread }
    }

    /// Ends, and tells how long the longest answer took; too long is wrong.
    pub(crate) fn end(self) -> Result<Duration> {
        self.stop.store(true, Ordering::Relaxed);
        let longest = self.thread.join().map_err(|_| "the other caller panicked".to_owned())??;
        let most = if IS_PATIENT.load(Ordering::Relaxed) { LONGEST * PATIENCE } else { LONGEST };
        if longest > most {
            Err(format!("another caller waited {} ms", longest.as_millis()))
        } else {
            Ok(longest)
        }
    }
}

/// The end of a deployment.
pub(crate) fn end(client: Client, name: &str) -> Result<String> {
    for _ in 0..ASKED {
        let reply = expect(client.ask("GET", &client::deployment(name, ""), ""), name, &[200])?;
        if client::ended(&reply.body).is_some() {
            return Ok(reply.body);
        }
        std::thread::sleep(PAUSE);
    }
    Err(format!("`{name}` does not end"))
}

/// Sends all bombs, one after the other: each fails or is refused, the process lives, and another caller is served. What was acknowledged is there at
/// the end, also for the next process.
pub fn run(program: &Path, folder: &Path, bombs: &[Bomb], tell: &dyn Fn(&str)) -> Result {
    let state: PathBuf = folder.join("state");
    let mut server = Server::start(program, &state)?;
    let (bomber, other) = (Client(server.address), Client(server.address));
    let group = format!("{}?api-version=2025-04-01", client::GROUP);
    expect(other.ask("PUT", &group, r#"{"location": "eastus"}"#), "the group", &[200, 201])?;
    let mut honest = Vec::new();
    let mut wrong = Vec::new();
    for (number, bomb) in bombs.iter().enumerate() {
        let name = &bomb.name;
        tell(name);
        let watch = Watch::start(server.address, &group);
        // Each is predicted as well, one way or the other.
        let prediction = if number % 2 == 0 { "/validate" } else { "/whatIf" };
        let predicted = bomber.ask("POST", &client::deployment(name, prediction), &body(&bomb.template));
        if let Err(why) = predicted {
            server.check(name)?;
            wrong.push(format!("{name}{prediction}: {why}"));
        }
        server.check(&format!("{name}{prediction}"))?;
        let sent = bomber.ask("PUT", &client::deployment(name, ""), &body(&bomb.template));
        server.check(name)?;
        // Somebody else is served meanwhile.
        let own = format!("honest-{number}");
        if number % 8 == 0 {
            expect(other.ask("PUT", &client::deployment(&own, ""), &client::template(2)), &own, &[200, 201])?;
            honest.push(own);
        }
        wrong.extend(watch.end().err().map(|why| format!("{name}: {why}")));
        match sent {
            Ok(reply) if REFUSED.contains(&reply.status) => {}
            Ok(reply) if reply.status == 200 => wrong.push(format!("{name}: it succeeded")),
            Ok(reply) if reply.status == 201 => match end(other, name) {
                Ok(ended) if client::ended(&ended) == Some("Failed") => {}
                Ok(_) => wrong.push(format!("{name}: it succeeded")),
                Err(why) => wrong.push(why),
            },
            Ok(reply) => {
                let shown: String = reply.body.chars().take(300).collect();
                wrong.push(format!("{name}: answered with {}: {shown}", reply.status));
            }
            Err(why) => wrong.push(format!("{name}: {why}")),
        }
        server.check(name)?;
    }
    check_honest(other, &honest)?;
    // A process that is killed begins again with what the bombs left.
    drop(server);
    let mut server = Server::start(program, &state)?;
    check_honest(Client(server.address), &honest)?;
    server.check("the restart")?;
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// What was acknowledged is there, and lists are answered.
pub(crate) fn check_honest(client: Client, honest: &[String]) -> Result {
    for name in honest {
        let ended = end(client, name)?;
        if client::ended(&ended) != Some("Succeeded") {
            return Err(format!("`{name}` did not succeed"));
        }
    }
    for list in ["/providers/Microsoft.Resources/deployments", "/resources"] {
        let path = format!("{}{list}?api-version=2025-04-01", client::GROUP);
        expect(client.ask("GET", &path, ""), list, &[200])?;
    }
    Ok(())
}
