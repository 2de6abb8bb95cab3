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
use crate::through::{Running, send};

/// How many clients are there at a time.
const CLIENTS: usize = 128;
/// How many connections a server has before it is held against anything.
const WARMING: usize = 60;

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

/// Sends so many connections to a server.
pub fn hold(programs: &Programs, stack: &Stack, count: usize, seed: u64) -> Result<Tally> {
    let server = programs.start(stack)?;
    warm(stack, &server)?;
    let mut proxies = Vec::new();
    for mode in Mode::ALL {
        let config = config(stack, mode);
        proxies.push((
            mode,
            contracts(config.clone())?,
            Running::start(server.address, config, stack.is_serial)?,
        ));
    }
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
            let Some((_, _, proxy)) = proxies.iter().find(|(mode, ..)| *mode == connection.mode) else {
                return Err("there is no proxy".to_owned());
            };
            if let Err(error) = send(proxy.address, &connection.bytes, connection.pieces) {
                let text = format!("{error}: {}", shown(&connection));
                wrong.lock().map_err(|error| error.to_string())?.push(text);
            }
            sent.lock().map_err(|error| error.to_string())?.insert(connection.number, connection);
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
    let contracts: Vec<(Mode, Contracts)> =
        proxies.into_iter().map(|(mode, contracts, _)| (mode, contracts)).collect();
    let log = server.end()?;
    let sent = sent.into_inner().map_err(|error| error.to_string())?;
    let wrong = wrong.into_inner().map_err(|error| error.to_string())?;
    let mut tally = Tally { handled: log.len(), failed, wrong, ..Tally::default() };
    compare(stack, &contracts, &sent, &log, count, &mut tally);
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
    (0..WARMING).try_for_each(|_| send(server.address, &clients.honest(0).bytes, 1))
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
    contracts: &[(Mode, Contracts)],
    sent: &BTreeMap<usize, Connection>,
    log: &[Call],
    last: usize,
    tally: &mut Tally,
) {
    let mut expected: BTreeMap<usize, Vec<Call>> = BTreeMap::new();
    // Every text is sent once, so that a call tells where it comes from.
    let mut origins: HashMap<Call, usize> = HashMap::new();
    for connection in sent.values() {
        let Some((_, contracts)) = contracts.iter().find(|(mode, _)| *mode == connection.mode) else {
            continue;
        };
        let decided = decided(contracts, &connection.bytes);
        tally.decided += decided.len();
        origins.extend(decided.iter().map(|call| (call.clone(), connection.number)));
        expected.insert(connection.number, decided);
    }
    let mut handled: BTreeMap<usize, Vec<&Call>> = BTreeMap::new();
    for call in log {
        let number = call.number().or(usize::try_from(call.count.unsigned_abs()).ok());
        match origins.get(call) {
            Some(origin) => handled.entry(*origin).or_default().push(call),
            // What came without a proxy.
            None if number.is_some_and(|number| number == 0 || number > last) || call.text == b"x" => {}
            None => {
                let sender = number.and_then(|number| sent.get(&number)).map(shown).unwrap_or_default();
                tally.wrong.push(format!("a call that did not pass: {call:?}\n  {sender}"));
            }
        }
    }
    for connection in sent.values() {
        let decided = expected.remove(&connection.number).unwrap_or_default();
        let handled = handled.remove(&connection.number).unwrap_or_default();
        let mut left = decided.iter();
        let is_in_order = !stack.answers_in_order || handled.iter().all(|call| left.any(|it| it == *call));
        if !is_in_order {
            tally.wrong.push(format!("handled {handled:?}\n  decided {decided:?}\n  {}", shown(connection)));
        } else if connection.is_honest && !stack.believes_lengths && handled.len() != decided.len() {
            let (one, other) = (handled.len(), decided.len());
            tally.wrong.push(format!("only {one} of {other} honest calls handled\n  {}", shown(connection)));
        }
    }
}

fn shown(connection: &Connection) -> String {
    let hex: String = connection.bytes.iter().take(4000).map(|byte| format!("{byte:02x}")).collect();
    let Connection { number, mode, parts, pieces, bytes, .. } = connection;
    let (parts, len) = (parts.join("; "), bytes.len());
    format!("connection {number}, {mode:?}, {pieces} pieces, {len} bytes: {parts}\n  bytes {hex}")
}
