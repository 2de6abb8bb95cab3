//! A conversation with an executor: all requests in, all answers out, and nobody waits for ever.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use thrift_conformance::ExecutorAnswer;

use crate::exit::CommandError;

/// No executor has that much to say.
const LARGEST: u64 = 256 << 20;

/// What came of asking.
pub(super) struct ExecutorOutput {
    /// The answers, in the order in which they came.
    pub(super) answers: Vec<ExecutorAnswer>,
    /// What went wrong with the executor itself.
    pub(super) trouble: Option<String>,
}

/// Starts an executor, writes all requests to it and reads its answers until it ends.
///
/// Requests are written while answers are read, so that an executor may answer one by one or all at the end.
pub(super) fn ask(
    executor: &[OsString],
    requests: String,
    time: Duration,
) -> Result<ExecutorOutput, CommandError> {
    let (program, arguments) = executor
        .split_first()
        .ok_or_else(|| CommandError::Usage("name an executor after `--`".to_owned()))?;
    let name = program.to_string_lossy().into_owned();
    let deadline = Instant::now() + time;
    let mut child =
        Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(
            |error| CommandError::Environment(format!("cannot start `{name}`: {}", plain(&error))),
        )?;
    let (input, output) = (child.stdin.take(), child.stdout.take());
    std::thread::spawn(move || {
        // An executor that ends early closes the pipe; its exit status says why.
        input.map(|mut input| input.write_all(requests.as_bytes()).ok());
    });
    let (lines, received) = mpsc::channel();
    std::thread::spawn(move || {
        for line in
            output.map(|output| BufReader::new(output.take(LARGEST))).into_iter().flat_map(|it| it.lines())
        {
            let broken = line.is_err();
            if lines.send(line).is_err() || broken {
                break;
            }
        }
    });
    let mut asked = ExecutorOutput { answers: Vec::new(), trouble: None };
    loop {
        match received.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(Ok(line)) if line.trim().is_empty() => {}
            Ok(Ok(line)) => match serde_json::from_str::<ExecutorAnswer>(&line) {
                Ok(answer) => asked.answers.push(answer),
                Err(error) => {
                    let start: String = line.chars().take(100).collect();
                    asked.trouble =
                        Some(format!("`{name}` wrote a line that is not an answer: {error}: `{start}`"));
                    break;
                }
            },
            Ok(Err(error)) => {
                asked.trouble = Some(format!("cannot read what `{name}` writes: {}", plain(&error)));
                break;
            }
            Err(RecvTimeoutError::Disconnected) => {
                asked.trouble = ended(&mut child, deadline, &name);
                return Ok(asked);
            }
            Err(RecvTimeoutError::Timeout) => {
                asked.trouble = Some(format!("`{name}` did not end in {} seconds", time.as_secs()));
                break;
            }
        }
    }
    // It is already gone if it cannot be ended.
    child.kill().ok();
    child.wait().ok();
    Ok(asked)
}

/// Waits for the end of an executor that says nothing more; returns what is wrong with it.
fn ended(child: &mut Child, deadline: Instant, name: &str) -> Option<String> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return None,
            Ok(Some(status)) => return Some(format!("`{name}` ended with {status}")),
            Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(5)),
            Ok(None) | Err(_) => {
                child.kill().ok();
                child.wait().ok();
                return Some(format!("`{name}` did not end"));
            }
        }
    }
}

fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    let words = text.split_once(" (os error ").map_or(text.as_str(), |(words, _)| words);
    words.to_lowercase()
}
