//! The real program, started without any influence from outside, and ended if it takes too long.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use crate::{Result, said};

/// How long a command may take.
const PATIENCE: Duration = Duration::from_secs(90);

/// How much of an output is kept; more is counted.
const KEPT: usize = 8 << 20;

/// What a command did.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Its exit code; nothing if a signal ended it.
    pub(crate) code: Option<i32>,
    /// What it printed, standard output first.
    pub(crate) text: Vec<u8>,
    /// How much it printed.
    pub(crate) length: usize,
}

/// The program in a folder.
pub(crate) fn command(binary: &Path, folder: &Path) -> Command {
    let mut command = Command::new(binary);
    command.current_dir(folder).env_clear().stdin(Stdio::null());
    command.env("HOME", folder).env("XDG_DATA_HOME", folder.join("data"));
    command.env("XDG_CONFIG_HOME", folder.join("config")).env("NO_COLOR", "1");
    command.env("TENDON_MODULES", folder.join("modules"));
    command
}

/// Runs a command with something on its standard input.
pub(crate) fn run(mut command: Command, input: Option<&[u8]>) -> Result<Ended> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    if input.is_some() {
        command.stdin(Stdio::piped());
    }
    let mut child = command.spawn().map_err(said)?;
    let (output, errors, writer) = (child.stdout.take(), child.stderr.take(), child.stdin.take());
    let process = child.id();
    std::thread::scope(|scope| {
        let errors = scope.spawn(move || drain(errors));
        let feeding = writer.zip(input).map(|(mut writer, input)| {
            // A command that does not read its input closes the pipe, which is its right.
            scope.spawn(move || drop(writer.write_all(input)))
        });
        let (done, waiting) = mpsc::channel::<()>();
        let watch = scope.spawn(move || {
            let late = waiting.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout);
            if late {
                // The process has not been waited for yet, so that the number is still its own.
                let _ = Command::new("kill").args(["-9", &process.to_string()]).status();
            }
            late
        });
        let (mut text, mut length) = drain(output);
        let (more, count) = errors.join().map_err(|_| "a reader ended".to_owned())?;
        drop(done);
        let late = watch.join().map_err(|_| "a watch ended".to_owned())?;
        drop(feeding);
        let status = child.wait().map_err(said)?;
        text.extend_from_slice(&more);
        length += count;
        if late {
            text.extend_from_slice(b"\n(took too long)");
        }
        Ok(Ended { code: status.code(), text, length })
    })
}

/// Reads everything, and keeps the beginning.
fn drain(source: Option<impl Read>) -> (Vec<u8>, usize) {
    let (mut kept, mut length) = (Vec::new(), 0);
    let Some(mut source) = source else { return (kept, length) };
    let mut part = vec![0; 1 << 16];
    loop {
        match source.read(&mut part) {
            Ok(0) | Err(_) => return (kept, length),
            Ok(count) => {
                length += count;
                if kept.len() < KEPT {
                    kept.extend_from_slice(part.get(..count).unwrap_or_default());
                }
            }
        }
    }
}

/// A process that listens, as long as this lives.
#[derive(Debug)]
pub(crate) struct Listening {
    child: Child,
    /// Where.
    pub(crate) address: SocketAddr,
}

impl Listening {
    /// Starts a command that says where it listens in a line with this beginning.
    pub(crate) fn start(mut command: Command, says: &str) -> Result<Listening> {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(said)?;
        let mut seen = String::new();
        if let Some(output) = child.stdout.take() {
            let mut lines = BufReader::new(output);
            loop {
                let mut line = String::new();
                if lines.read_line(&mut line).map_err(said)? == 0 {
                    break;
                }
                let address = line.split_once(says).and_then(|(_, rest)| {
                    rest.split_whitespace().next()?.trim_end_matches([',', ';']).parse().ok()
                });
                if let Some(address) = address {
                    // What it prints from now on is read and forgotten, so that it never waits for a reader.
                    std::thread::spawn(move || drain(Some(lines)));
                    return Ok(Listening { child, address });
                }
                seen.push_str(&line);
            }
        }
        let _ = child.kill();
        let _ = child.wait();
        Err(format!("the server did not start: {seen}"))
    }

    /// Whether it still runs.
    pub(crate) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A folder that goes away with this.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Makes an empty folder.
    pub(crate) fn new(path: PathBuf) -> Result<Folder> {
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path)
            .map_err(|error| format!("cannot make `{}`: {error}", path.display()))?;
        Ok(Folder { path })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// A path in it.
    pub(crate) fn join(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.path.join(name.as_ref())
    }

    /// Writes a file into it.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> Result {
        let path = self.path.join(name);
        std::fs::write(&path, content).map_err(|error| format!("cannot write `{}`: {error}", path.display()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
