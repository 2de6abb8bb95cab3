//! `--watch`: the same command again whenever something that it read has changed.
//!
//! Each run is a process of its own, which notes the files that it read as inputs: a compiler is not made to be taken apart.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use crate::exit::{self, CommandError, Exit};
use crate::files;
use crate::output::Streams;
use crate::output_file::OutputFile;

/// The option of people, and the hidden one of the processes that are started for them.
pub(crate) const OPTION: &str = "--watch";
const NOTE: &str = "--note-inputs";

/// How long it is until files are looked at again.
const PAUSE: Duration = Duration::from_millis(100);

/// When a file was written and how large it is; none if it is not there.
type Stamp = Option<(SystemTime, u64)>;

/// Runs the command of these arguments, and again after each change, until it is interrupted.
pub(crate) fn run(arguments: &[OsString], streams: &mut Streams) -> Result<Exit, CommandError> {
    let program = std::env::current_exe().map_err(|error| {
        CommandError::Environment(format!("cannot start again: {}", exit::in_words(&error)))
    })?;
    let note = std::env::temp_dir().join(format!("tendon-watch-{}", std::process::id()));
    let mut command = Command::new(program);
    command.arg(NOTE).arg(&note);
    // What stands behind `--` is not for this program.
    let own = arguments.iter().position(|it| it == "--").unwrap_or(arguments.len());
    let wanted = |(place, it): &(usize, &OsString)| *place > own || *it != OPTION;
    command.args(arguments.iter().enumerate().skip(1).filter(wanted).map(|(_, it)| it));
    loop {
        streams.flush()?;
        let started = SystemTime::now();
        command.status().map_err(|error| {
            CommandError::Environment(format!("cannot start again: {}", exit::in_words(&error)))
        })?;
        let inputs = noted(&note);
        if inputs.is_empty() {
            return Err(CommandError::Usage(format!("nothing was read that `{OPTION}` could wait for")));
        }
        let changed = wait(&inputs, started);
        streams.aside(&format!("\n`{}` has changed\n\n", diagnostics::printable(&changed.to_string_lossy())));
    }
}

/// Notes the files that this process has read, for the process that started it.
pub(crate) fn note_inputs(note: &Path) -> Result<(), CommandError> {
    let mut text = String::new();
    for path in files::inputs() {
        text.push_str(&path.to_string_lossy());
        text.push('\n');
    }
    OutputFile::at(note)
        .write(text.as_bytes())
        .map_err(|error| CommandError::writing(&format!("`{}`", note.display()), &error))
}

/// The files that were noted, and the folders that they are in: a file that was missing appears in one of them.
fn noted(note: &Path) -> Vec<PathBuf> {
    let text = files::read(note).ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
    let mut paths: Vec<PathBuf> = text.lines().map(PathBuf::from).collect();
    let folder = |path: &PathBuf| {
        path.parent().map(|it| if it.as_os_str().is_empty() { Path::new(".") } else { it }.to_owned())
    };
    let folders: Vec<PathBuf> = paths.iter().filter_map(folder).collect();
    paths.extend(folders);
    paths.sort();
    paths.dedup();
    paths
}

fn stamp(path: &Path) -> Stamp {
    let about = std::fs::metadata(path).ok()?;
    // The size of a folder says nothing.
    Some((about.modified().ok()?, if about.is_dir() { 0 } else { about.len() }))
}

/// Waits until one of the paths is other than it was, or was written after the command started.
fn wait(paths: &[PathBuf], started: SystemTime) -> PathBuf {
    let before: BTreeMap<&PathBuf, Stamp> = paths.iter().map(|path| (path, stamp(path))).collect();
    let is_late = |stamp: &Stamp| stamp.is_some_and(|(written, _)| written > started);
    if let Some((path, _)) = before.iter().find(|(path, stamp)| !path.is_dir() && is_late(stamp)) {
        return (*path).clone();
    }
    loop {
        std::thread::sleep(PAUSE);
        if let Some((path, _)) = before.iter().find(|(path, before)| stamp(path) != **before) {
            return (*path).clone();
        }
    }
}
