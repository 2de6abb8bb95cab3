//! Runs a program within limits: of time, of what it prints, and together with whatever it started.

use std::io::{self, Read, Write as _};
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The most that a program may print.
pub(super) const MOST_OUTPUT: usize = 4 << 20;

/// The most that is kept of what a program complains.
const MOST_COMPLAINTS: usize = 16 << 10;

/// How long the last complaints of a program that has ended are waited for.
const GRACE: Duration = Duration::from_millis(200);

/// How often it is looked whether a program has ended.
const PAUSE: Duration = Duration::from_millis(5);

/// What a program printed.
#[derive(Debug)]
pub(crate) struct Printed {
    pub(crate) output: Vec<u8>,
    pub(crate) complaints: String,
}

/// How a program ended, or why it did not.
#[derive(Debug)]
pub(crate) enum ProcessExit {
    Exited(ExitStatus),
    /// It could not be started.
    NotStarted(io::Error),
    /// The time was over.
    TooLong,
    /// It printed too much.
    TooMuch,
    Interrupted,
}

enum ProcessMessage {
    Output(Vec<u8>),
    TooMuch,
    Complaints(Vec<u8>),
}

/// Runs a program in a folder, with a text as its standard input.
pub(crate) fn run(command: &[String], folder: &Path, text: String, time: Duration) -> (ProcessExit, Printed) {
    let mut printed = Printed { output: Vec::new(), complaints: String::new() };
    let mut child = match start(command, folder) {
        Ok(child) => child,
        Err(error) => return (ProcessExit::NotStarted(error), printed),
    };
    let (sender, messages) = channel();
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read is none of our business.
        thread::spawn(move || stdin.write_all(text.as_bytes()));
    }
    if let Some(stdout) = child.stdout.take() {
        let sender = sender.clone();
        thread::spawn(move || read_output(stdout, &sender));
    }
    if let Some(stderr) = child.stderr.take() {
        thread::spawn(move || read_complaints(stderr, &sender));
    }
    let ended = wait(&mut child, &messages, Instant::now().checked_add(time), &mut printed);
    if !matches!(ended, ProcessExit::Exited(_)) {
        stop(&mut child);
        // What it said before it was stopped says why.
        while let Ok(message) = messages.recv_timeout(GRACE) {
            take(message, &mut printed);
        }
    }
    (ended, printed)
}

fn start(command: &[String], folder: &Path) -> io::Result<Child> {
    let (program, arguments) = command.split_first().ok_or(io::ErrorKind::NotFound)?;
    // A path belongs to the folder in which the program runs, a name to the system.
    let program = match program.contains(std::path::is_separator) {
        true => folder.join(program),
        false => program.into(),
    };
    let mut command = std::process::Command::new(program);
    command.args(arguments).current_dir(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A group of its own, so that what it starts can be stopped with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn()
}

/// Waits until the program has ended and all that it printed is there.
fn wait(
    child: &mut Child,
    messages: &Receiver<ProcessMessage>,
    end: Option<Instant>,
    printed: &mut Printed,
) -> ProcessExit {
    let interrupted = watch_for_interrupts();
    let (mut status, mut has_output) = (None, false);
    let mut grace: Option<Instant> = None;
    loop {
        match messages.recv_timeout(PAUSE) {
            Ok(ProcessMessage::TooMuch) => return ProcessExit::TooMuch,
            Ok(message) => {
                has_output |= matches!(message, ProcessMessage::Output(_));
                take(message, printed);
            }
            // Both streams are at their ends.
            Err(RecvTimeoutError::Disconnected) => {
                has_output = true;
                grace = Some(Instant::now());
                if status.is_none() {
                    thread::sleep(PAUSE);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if status.is_none() {
            status = child.try_wait().ok().flatten();
        }
        let now = Instant::now();
        if let Some(status) = status.filter(|_| has_output)
            && *grace.get_or_insert(now + GRACE) <= now
        {
            return ProcessExit::Exited(status);
        }
        if end.is_some_and(|end| end <= now) {
            return ProcessExit::TooLong;
        }
        if interrupted.load(Ordering::Relaxed) {
            return ProcessExit::Interrupted;
        }
    }
}

fn take(message: ProcessMessage, printed: &mut Printed) {
    match message {
        ProcessMessage::Output(bytes) => printed.output = bytes,
        ProcessMessage::Complaints(bytes) => {
            printed.complaints = String::from_utf8_lossy(&bytes).trim().to_owned()
        }
        ProcessMessage::TooMuch => {}
    }
}

fn read_output(stream: impl Read, sender: &Sender<ProcessMessage>) {
    let mut bytes = Vec::new();
    let read = stream.take(MOST_OUTPUT as u64 + 1).read_to_end(&mut bytes);
    let message = match read {
        Ok(_) if bytes.len() > MOST_OUTPUT => ProcessMessage::TooMuch,
        Ok(_) | Err(_) => ProcessMessage::Output(bytes),
    };
    let _ = sender.send(message);
}

/// Reads all, so that the program is not held up, and keeps the end of it.
fn read_complaints(mut stream: impl Read, sender: &Sender<ProcessMessage>) {
    let mut kept: Vec<u8> = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(count) = stream.read(&mut buffer) {
        let Some(new) = buffer.get(..count).filter(|new| !new.is_empty()) else { break };
        kept.extend_from_slice(new);
        if kept.len() > 2 * MOST_COMPLAINTS {
            kept.drain(..kept.len() - MOST_COMPLAINTS);
        }
    }
    let excess = kept.len().saturating_sub(MOST_COMPLAINTS);
    kept.drain(..excess);
    let _ = sender.send(ProcessMessage::Complaints(kept));
}

/// Ends the program and what it started.
fn stop(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// Notices when somebody interrupts: the program has a group of its own, and would go on.
fn watch_for_interrupts() -> &'static AtomicBool {
    static INTERRUPTED: AtomicBool = AtomicBool::new(false);
    static WATCHED: std::sync::Once = std::sync::Once::new();
    WATCHED.call_once(|| {
        thread::spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            if let Ok(runtime) = runtime
                && runtime.block_on(tokio::signal::ctrl_c()).is_ok()
            {
                INTERRUPTED.store(true, Ordering::Relaxed);
            }
        });
    });
    &INTERRUPTED
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, time: Duration) -> (ProcessExit, Printed) {
        let command = ["sh", "-c", script].map(str::to_owned);
        run(&command, &std::env::temp_dir(), "question".to_owned(), time)
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_program_answers_what_it_is_asked() {
        let (ended, printed) = shell("cat; echo because >&2; exit 3", LONG);
        assert!(matches!(ended, ProcessExit::Exited(status) if status.code() == Some(3)), "{ended:?}");
        assert_eq!((printed.output.as_slice(), printed.complaints.as_str()), (&b"question"[..], "because"));
    }

    #[test]
    fn a_program_that_takes_too_long_is_stopped_with_what_it_started() {
        let (ended, printed) =
            shell("echo why >&2; sleep 600 & echo $! >&2; wait", Duration::from_millis(300));
        assert!(matches!(ended, ProcessExit::TooLong), "{ended:?}");
        let mut lines = printed.complaints.lines();
        assert_eq!(lines.next(), Some("why"));
        let sleeper: i32 = lines.next().unwrap().parse().unwrap();
        let sleeper = rustix::process::Pid::from_raw(sleeper).unwrap();
        // Whoever takes in orphans may need a moment.
        let gone = || rustix::process::test_kill_process(sleeper).is_err();
        assert!((0..1000).any(|_| gone() || {
            thread::sleep(PAUSE);
            false
        }));
    }

    #[test]
    fn a_program_that_prints_too_much_is_stopped() {
        let (ended, _) = shell("cat /dev/zero", LONG);
        assert!(matches!(ended, ProcessExit::TooMuch), "{ended:?}");
    }

    #[test]
    fn complaints_are_read_to_their_end_and_cut() {
        let (ended, printed) = shell("head -c 200000 /dev/zero | tr '\\0' x >&2; echo last >&2", LONG);
        assert!(matches!(ended, ProcessExit::Exited(status) if status.success()), "{ended:?}");
        assert!(printed.complaints.len() <= MOST_COMPLAINTS && printed.complaints.ends_with("last"));
    }

    #[test]
    fn a_program_that_is_not_there_is_not_started() {
        let (ended, _) = run(&["no-such-program".to_owned()], &std::env::temp_dir(), String::new(), LONG);
        assert!(matches!(ended, ProcessExit::NotStarted(_)), "{ended:?}");
    }
}
