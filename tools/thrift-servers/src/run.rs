//! Connections go through the proxy to a server, and the log of its handler is held against what the proxy let pass.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::time::Duration;

use thrift::proxy::{CallNames, Contracts, OldEnvelope, Pins, ProxyConfig, UnknownMethod};
use thrift_readers::Result;

use crate::attacks::Attack;
use crate::connections::{Clients, Connection, Mode};
use crate::expected::{Call, contracts, decided};
use crate::programs::Programs;
use crate::server::Server;
use crate::stacks::Stack;
use crate::through::{Running, reply_timeout, send};

/// How many clients are there at a time.
const CLIENTS: usize = 128;
/// How many connections a server has before it is held against anything.
const WARMING: usize = 60;

/// How many connections to a server are sent once more if they took too long, and how often.
const AGAIN: usize = 50;
const ATTEMPTS: usize = 3;

/// What became of the connections to one server.
#[derive(Debug, Default)]
pub struct Tally {
    /// How many calls the proxy let pass.
    pub decided: usize,
    /// How many calls reached the handler.
    pub handled: usize,
    /// What should not be, in words.
    pub wrong: Vec<String>,
    /// Attacks that did not reach the handler without a proxy, although they should.
    pub failed: Vec<Attack>,
}

fn config(stack: &Stack, mode: Mode) -> ProxyConfig {
    let default = ProxyConfig::default();
    match mode {
        Mode::Default => default,
        Mode::Pinned => ProxyConfig {
            // The only one, of which there is nothing to ask.
            service: (!stack.shares && !stack.has_services).then(|| "Calls".to_owned()),
            upstream: Pins {
                transport: Some(stack.transport),
                protocol: Some(stack.protocol),
                names: Some(if stack.shares { CallNames::Services } else { CallNames::Plain }),
            },
            ..default
        },
        Mode::Generous => ProxyConfig {
            old_envelope: OldEnvelope::Allow,
            unknown_method: if stack.skips_unknown { UnknownMethod::Pass } else { UnknownMethod::Refuse },
            ..default
        },
    }
}

/// A proxy of a mode before the server.
struct ModeProxy {
    mode: Mode,
    contracts: Contracts,
    running: Running,
}

impl ModeProxy {
    fn start(stack: &Stack, server: &Server, mode: Mode) -> Result<ModeProxy> {
        let config = config(stack, mode);
        let contracts = contracts(config.clone())?;
        Ok(ModeProxy { mode, contracts, running: Running::start(server.address, config, stack.is_serial)? })
    }

    /// The one that a connection goes through.
    fn of<'p>(proxies: &'p [ModeProxy], connection: &Connection) -> Result<&'p ModeProxy> {
        proxies.iter().find(|it| it.mode == connection.mode).ok_or_else(|| "there is no proxy".to_owned())
    }

    fn send(&self, connection: &Connection) -> Result<Duration> {
        send(self.running.address, &connection.bytes, connection.pieces)
    }
}

/// A connection that has ended, and how long it took.
struct Sent {
    connection: Connection,
    took: Duration,
}

/// Sends so many connections to a server.
pub fn hold(programs: &Programs, stack: &Stack, count: usize, seed: u64) -> Result<Tally> {
    let server = programs.start(stack)?;
    warm(stack, &server)?;
    let proxies: Vec<ModeProxy> =
        Mode::ALL.into_iter().map(|mode| ModeProxy::start(stack, &server, mode)).collect::<Result<_>>()?;
    let clients = Mutex::new((Clients::new(stack, seed), 0));
    let sent = Mutex::new(BTreeMap::new());
    let wrong = Mutex::new(Vec::new());
    let client = || -> Result {
        loop {
            let connection = {
                let mut clients = clients.lock().map_err(|error| error.to_string())?;
                if clients.1 == count {
                    return Ok(());
                }
                clients.1 += 1;
                let number = clients.1;
                clients.0.next(number)
            };
            let took = match ModeProxy::of(&proxies, &connection)?.send(&connection) {
                Ok(took) => took,
                Err(error) => {
                    let text = format!("{error}: {}", shown(&connection));
                    wrong.lock().map_err(|error| error.to_string())?.push(text);
                    Duration::MAX
                }
            };
            let mut sent = sent.lock().map_err(|error| error.to_string())?;
            sent.insert(connection.number, Sent { connection, took });
        }
    };
    std::thread::scope(|scope| {
        let clients = if stack.is_serial { 1 } else { CLIENTS };
        let workers: Vec<_> = (0..clients).map(|_| scope.spawn(client)).collect();
        workers
            .into_iter()
            .try_for_each(|it| it.join().unwrap_or_else(|_| Err("a thread has failed".to_owned())))
    })?;
    let failed = failed(stack, &server, count + 1)?;
    quiet(&server);
    let log = server.since(0)?;
    let sent = sent.into_inner().map_err(|error| error.to_string())?;
    let wrong = wrong.into_inner().map_err(|error| error.to_string())?;
    let mut tally = Tally { handled: log.len(), failed, wrong, ..Tally::default() };
    compare(stack, &server, &proxies, &sent, &log, count, &mut tally)?;
    drop(proxies);
    server.end()?;
    Ok(tally)
}

/// The attacks that a server does not fall for, although it should if there is no proxy.
fn failed(stack: &Stack, server: &Server, number: usize) -> Result<Vec<Attack>> {
    let mut failed = Vec::new();
    for attack in stack.falls {
        quiet(server);
        let before = server.count(number);
        send(server.address, &attack.bytes(stack, number), 1)?;
        quiet(server);
        if server.count(number) == before {
            failed.push(*attack);
        }
    }
    Ok(failed)
}

/// Honest calls without a proxy, of connections without a number: some servers are slow to begin with.
fn warm(stack: &Stack, server: &Server) -> Result {
    let mut clients = Clients::new(stack, 0);
    (0..WARMING).try_for_each(|_| send(server.address, &clients.honest(0).bytes, 1).map(drop))
}

/// Waits until nothing more comes.
fn quiet(server: &Server) {
    let mut before = usize::MAX;
    while before != server.calls() {
        before = server.calls();
        std::thread::sleep(Duration::from_millis(500));
    }
}

fn compare(
    stack: &Stack,
    server: &Server,
    proxies: &[ModeProxy],
    sent: &BTreeMap<usize, Sent>,
    log: &[Call],
    last: usize,
    tally: &mut Tally,
) -> Result {
    let mut expected: BTreeMap<usize, Vec<Call>> = BTreeMap::new();
    // Every text is sent once, so that a call tells where it comes from.
    let mut origins: HashMap<Call, usize> = HashMap::new();
    for Sent { connection, .. } in sent.values() {
        let decided = decided(&ModeProxy::of(proxies, connection)?.contracts, &connection.bytes);
        tally.decided += decided.len();
        origins.extend(decided.iter().map(|call| (call.clone(), connection.number)));
        expected.insert(connection.number, decided);
    }
    let mut handled: BTreeMap<usize, Vec<Call>> = BTreeMap::new();
    for call in log {
        let number = call.number().or(usize::try_from(call.count.unsigned_abs()).ok());
        match origins.get(call) {
            Some(origin) => handled.entry(*origin).or_default().push(call.clone()),
            // What came without a proxy.
            None if number.is_some_and(|number| number == 0 || number > last) || call.text == b"x" => {}
            None => {
                let sender = number.and_then(|number| sent.get(&number)).map(|it| shown(&it.connection));
                let sender = sender.unwrap_or_default();
                tally.wrong.push(format!("a call that did not pass: {call:?}\n  {sender}"));
            }
        }
    }
    let mut left = AGAIN;
    for Sent { connection, took } in sent.values() {
        let decided = expected.remove(&connection.number).unwrap_or_default();
        let handled = handled.remove(&connection.number).unwrap_or_default();
        let Some(mut wrong) = judged(stack, connection, &decided, &handled) else { continue };
        if *took >= reply_timeout(stack.is_serial) && left > 0 {
            left -= 1;
            match again(stack, server, ModeProxy::of(proxies, connection)?, connection, &decided)? {
                Some(still) => wrong = still,
                None => continue,
            }
        }
        tally.wrong.push(wrong);
    }
    Ok(())
}

/// What is wrong with the calls of one connection that reached the handler.
fn judged(stack: &Stack, connection: &Connection, decided: &[Call], handled: &[Call]) -> Option<String> {
    let mut left = decided.iter();
    let is_in_order = !stack.answers_in_order || handled.iter().all(|call| left.any(|it| it == call));
    if !is_in_order {
        return Some(format!("handled {handled:?}\n  decided {decided:?}\n  {}", shown(connection)));
    }
    let is_answered = !connection.is_honest || stack.believes_lengths || handled.len() == decided.len();
    let (one, other) = (handled.len(), decided.len());
    (!is_answered).then(|| format!("only {one} of {other} honest calls handled\n  {}", shown(connection)))
}

/// What is wrong with the calls of a connection that took so long that the proxy may have given up waiting for an answer: such a call is
/// handled whenever the server comes to it, and the next one may be handled before. So the connection is sent once more, when
/// nothing else goes on.
fn again(
    stack: &Stack,
    server: &Server,
    proxy: &ModeProxy,
    connection: &Connection,
    decided: &[Call],
) -> Result<Option<String>> {
    let mut wrong = None;
    for _ in 0..ATTEMPTS {
        quiet(server);
        let before = server.calls();
        let took = proxy.send(connection)?;
        quiet(server);
        wrong = judged(stack, connection, decided, &server.since(before)?);
        if wrong.is_none() || took < reply_timeout(stack.is_serial) {
            break;
        }
    }
    Ok(wrong)
}

fn shown(connection: &Connection) -> String {
    let hex: String = connection.bytes.iter().take(4000).map(|byte| format!("{byte:02x}")).collect();
    let Connection { number, mode, parts, pieces, bytes, .. } = connection;
    let (parts, len) = (parts.join("; "), bytes.len());
    format!("connection {number}, {mode:?}, {pieces} pieces, {len} bytes: {parts}\n  bytes {hex}")
}
