//! Steps that run beside others: one after another, each in a process of its own, whose output is shown when it has ended.
//!
//! Much of what they do is waiting: for servers, clients, installers and databases. The processors are free for others then.

use std::io::Read as _;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The queue of steps, and those that have ended.
pub(super) struct Beside {
    queue: Option<Sender<(&'static str, Command)>>,
    ended: Receiver<Ended>,
    stopped: Arc<AtomicBool>,
    worker: JoinHandle<()>,
}

/// A step that has ended.
pub(super) struct Ended {
    pub(super) name: &'static str,
    pub(super) time: Duration,
    /// Everything that it said.
    pub(super) output: String,
    pub(super) ok: bool,
}

impl Beside {
    /// Starts with an empty queue.
    pub(super) fn start() -> Beside {
        let (queue, steps) = channel::<(&'static str, Command)>();
        let (tell, ended) = channel();
        let stopped = Arc::new(AtomicBool::new(false));
        let is_stopped = Arc::clone(&stopped);
        let worker = std::thread::spawn(move || {
            for (name, command) in steps {
                if is_stopped.load(Ordering::Relaxed) || tell.send(run(name, command)).is_err() {
                    break;
                }
            }
        });
        Beside { queue: Some(queue), ended, stopped, worker }
    }

    /// Runs a step when those before it have ended.
    pub(super) fn add(&self, name: &'static str, command: Command) {
        if let Some(queue) = &self.queue {
            // The worker only goes away when it is told to.
            let _ = queue.send((name, command));
        }
    }

    /// The steps that have ended since it was last asked.
    pub(super) fn ended(&self) -> impl Iterator<Item = Ended> {
        self.ended.try_iter()
    }

    /// Waits for the rest; for no more than the step that runs if the others are not wanted any longer.
    pub(super) fn finish(mut self, wants_rest: bool) -> Vec<Ended> {
        self.stopped.store(!wants_rest, Ordering::Relaxed);
        self.queue = None;
        let rest = self.ended.iter().collect();
        let _ = self.worker.join();
        rest
    }
}

fn run(name: &'static str, command: Command) -> Ended {
    let start = Instant::now();
    let (output, ok) = output(command);
    Ended { name, time: start.elapsed(), output, ok }
}

/// What a command writes to both of its outputs, in order, and whether it succeeds.
pub(super) fn output(command: Command) -> (String, bool) {
    try_output(command).unwrap_or_else(|error| (format!("cannot run it: {error}\n"), false))
}

fn try_output(mut command: Command) -> std::io::Result<(String, bool)> {
    let (mut reader, writer) = std::io::pipe()?;
    let mut child = command.stdout(writer.try_clone()?).stderr(writer).spawn()?;
    // It holds the other end of the pipe, which has to close.
    drop(command);
    let mut output = Vec::new();
    reader.read_to_end(&mut output)?;
    Ok((String::from_utf8_lossy(&output).into_owned(), child.wait()?.success()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn steps_run_in_order_and_say_all_at_the_end() {
        let beside = Beside::start();
        beside.add("first", shell("echo one; echo two >&2; echo three"));
        beside.add("second", shell("echo four; exit 1"));
        beside.add("third", Command::new("no/such/program"));
        let ended = beside.finish(true);
        let seen: Vec<(&str, &str, bool)> =
            ended.iter().map(|step| (step.name, step.output.as_str(), step.ok)).collect();
        assert_eq!(seen[..2], [("first", "one\ntwo\nthree\n", true), ("second", "four\n", false)]);
        assert!(matches!(seen[2], ("third", text, false) if text.starts_with("cannot run it: ")));
    }

    #[test]
    fn after_a_failure_no_other_step_is_begun() {
        let beside = Beside::start();
        let (mut reader, writer) = std::io::pipe().unwrap();
        let mut waits = shell("read line");
        waits.stdin(reader.try_clone().unwrap());
        beside.add("under way", waits);
        beside.add("not begun", shell("echo never"));
        beside.stopped.store(true, Ordering::Relaxed);
        drop(writer);
        let ended = beside.finish(false);
        assert!(ended.len() <= 1, "{}", ended.len());
        assert_eq!(reader.read(&mut [0]).unwrap(), 0);
    }
}
