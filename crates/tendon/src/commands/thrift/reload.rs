//! Reading a file again while a proxy runs, so that nothing in the file can end the proxy.
//!
//! What a file makes of the stack, of memory and of time is found out by another process first: the same program, told
//! to read the file and to end. Only what that survives is read here.

use std::ffi::OsString;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use thrift_proxy::Fresh;

use super::proxy::Arguments;

/// Room for the stack of whoever reads a file; the trial and the proxy have the same.
const STACK: usize = 64 << 20;

/// How long a trial may take, and how much memory.
const MOST_TIME: Duration = Duration::from_secs(30);
const MOST_MEMORY: u64 = 2 << 30;

/// Reads a file, as one of those that say what is wrong with it in words.
pub(super) type ReloadFn = fn(&Arguments) -> Result<Fresh, String>;

/// Reads a file after a trial.
pub(super) fn isolated(arguments: &Arguments, read: ReloadFn) -> Result<Fresh, String> {
    match trial() {
        Ok(()) => with_room(arguments, read),
        Err(reason) => Err(reason),
    }
}

/// Reads a file on a stack of its own.
pub(super) fn with_room(arguments: &Arguments, read: ReloadFn) -> Result<Fresh, String> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("read".to_owned()).stack_size(STACK);
        match thread.spawn_scoped(scope, || read(arguments)) {
            Ok(reader) => reader.join().unwrap_or_else(|_| Err("reading the file failed".to_owned())),
            Err(error) => Err(format!("cannot start to read the file: {error}")),
        }
    })
}

/// Lets another process read the file. An error is about the trial; what is wrong with the file is found again.
fn trial() -> Result<(), String> {
    let failed = |error: std::io::Error| format!("cannot try the file: {error}");
    let program = std::env::current_exe().map_err(failed)?;
    let arguments: Vec<OsString> = std::env::args_os().skip(1).chain(["--trial".into()]).collect();
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let result = watch(&mut child);
    if result.is_err() {
        // It may have ended by itself in the meantime.
        let _ = child.kill();
        let _ = child.wait();
    }
    result
}

fn watch(child: &mut Child) -> Result<(), String> {
    let start = Instant::now();
    let mut pause = Duration::from_millis(2);
    loop {
        match child.try_wait() {
            // It came to a verdict, and so will we.
            Ok(Some(status)) if status.code().is_some() => return Ok(()),
            Ok(Some(_)) => return Err("reading the file ends the program".to_owned()),
            Ok(None) => {}
            Err(error) => return Err(format!("cannot try the file: {error}")),
        }
        if start.elapsed() > MOST_TIME {
            return Err(format!("reading the file takes longer than {} seconds", MOST_TIME.as_secs()));
        }
        if memory(child.id()).is_some_and(|bytes| bytes > MOST_MEMORY) {
            return Err("reading the file takes too much memory".to_owned());
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

/// The memory that a process takes, where the system tells.
fn memory(process: u32) -> Option<u64> {
    /// The least that any system has; with larger pages, less is allowed.
    const PAGE: u64 = 4096;
    let text = std::fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
    let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
    Some(pages.saturating_mul(PAGE))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn tried(script: &str) -> Result<(), String> {
        let mut child = Command::new("sh").args(["-c", script]).spawn().map_err(|error| error.to_string())?;
        watch(&mut child)
    }

    #[test]
    fn a_file_that_ends_its_reader_is_not_read_here() {
        assert_eq!(tried("kill -SEGV $$"), Err("reading the file ends the program".to_owned()));
        // A verdict of any kind is one that the proxy comes to as well.
        assert_eq!(tried("exit 0"), Ok(()));
        assert_eq!(tried("exit 1"), Ok(()));
    }
}
