//! A server of other people that runs, and the log of its handler.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use thrift_readers::{Result, said};

use crate::expected::Call;

/// A server that runs.
#[derive(Debug)]
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    child: Child,
    /// It ends when nobody can write there any more.
    stdin: Option<ChildStdin>,
    calls: Arc<Mutex<Vec<Call>>>,
    lines: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts it and waits until it listens.
    pub fn start(command: &mut Command, name: &str) -> Result<Server> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(said(name))?;
        let out = child.stdout.take().ok_or_else(|| format!("{name} has no output"))?;
        let mut lines = BufReader::new(out).lines();
        let port =
            lines.next().and_then(std::result::Result::ok).and_then(|line| line.trim().parse::<u16>().ok());
        let port = port.ok_or_else(|| format!("{name} does not start"))?;
        let calls = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&calls);
        let lines = std::thread::spawn(move || {
            for line in lines.map_while(std::result::Result::ok) {
                let Some(call) = parse(&line) else { continue };
                if let Ok(mut log) = log.lock() {
                    log.push(call);
                }
            }
        });
        let stdin = child.stdin.take();
        Ok(Server {
            address: SocketAddr::from(([127, 0, 0, 1], port)),
            child,
            stdin,
            calls,
            lines: Some(lines),
        })
    }

    /// How many calls have reached the handler so far.
    pub fn calls(&self) -> usize {
        self.calls.lock().map_or(0, |calls| calls.len())
    }

    /// The calls that have reached the handler so far, but for the first ones.
    pub fn since(&self, first: usize) -> Result<Vec<Call>> {
        let calls = self.calls.lock().map_err(|error| error.to_string())?;
        Ok(calls.iter().skip(first).cloned().collect())
    }

    /// How many of them say that they come from a connection.
    pub fn count(&self, number: usize) -> usize {
        self.calls.lock().map_or(0, |calls| calls.iter().filter(|it| it.number() == Some(number)).count())
    }

    /// Ends it; an error if it has ended by itself.
    pub fn end(mut self) -> Result {
        let early = self.child.try_wait().map_err(|error| error.to_string())?;
        drop(self.stdin.take());
        let status = self.child.wait().map_err(|error| error.to_string())?;
        if let Some(lines) = self.lines.take() {
            _ = lines.join();
        }
        if early.is_some() {
            return Err(format!("the server has ended by itself: {status}"));
        }
        Ok(())
    }
}

/// Reads a line of a handler's log.
fn parse(line: &str) -> Option<Call> {
    let mut words = line.split(' ');
    let (function, text, count) = (words.next()?, words.next()?, words.next()?);
    let text = (0..text.len() / 2)
        .map(|at| u8::from_str_radix(text.get(at * 2..at * 2 + 2)?, 16).ok())
        .collect::<Option<Vec<u8>>>()?;
    Some(Call { function: function.to_owned(), text, count: count.parse().ok()? })
}
