//! Test programs several at a time. `cargo test` runs one after another, and those that wait leave processors idle.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use super::beside;
use crate::{Result, process};

/// A test program.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Program {
    /// Its main source, from the root of the workspace.
    pub(super) source: String,
    file: PathBuf,
    /// The folder of its package, where tests expect to run.
    folder: PathBuf,
}

/// A program that has ended.
pub(super) struct Ended {
    pub(super) source: String,
    pub(super) time: Duration,
    pub(super) output: String,
    pub(super) ok: bool,
}

/// Builds test programs and lists them: those that test from the outside first, because they take longest.
pub(super) fn build(arguments: &[&str]) -> Result<Vec<Program>> {
    let mut command = process::cargo();
    command.args(arguments).arg("--no-run").stdout(Stdio::null()).stderr(Stdio::piped());
    let output =
        command.output().map_err(|error| format!("cannot start `{}`: {error}", process::shown(&command)))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("`{}` failed ({})\n{said}", process::shown(&command), output.status));
    }
    let mut programs = Vec::new();
    for (source, file) in said.lines().filter_map(executable) {
        let sources = file.with_extension("d");
        let sources =
            std::fs::read_to_string(&sources).map_err(|error| format!("{}: {error}", sources.display()))?;
        programs.push(program(source, file, &sources)?);
    }
    programs.sort_by_key(|program| !program.source.contains("/tests/"));
    Ok(programs)
}

/// Runs programs, as many at a time as there are processors, and hands each over as it ends.
pub(super) fn run(programs: Vec<Program>, mut see: impl FnMut(Ended)) {
    let lanes = std::thread::available_parallelism().map_or(1, usize::from);
    let queue = Mutex::new(VecDeque::from(programs));
    let (tell, ended) = channel();
    std::thread::scope(|scope| {
        for _ in 0..lanes {
            let (tell, queue) = (tell.clone(), &queue);
            scope.spawn(move || {
                loop {
                    let next = queue.lock().ok().and_then(|mut queue| queue.pop_front());
                    let Some(program) = next else { break };
                    if tell.send(program.run()).is_err() {
                        break;
                    }
                }
            });
        }
        drop(tell);
        ended.iter().for_each(&mut see);
    });
}

impl Program {
    fn run(self) -> Ended {
        let start = Instant::now();
        let mut command = Command::new(&self.file);
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder).stdin(Stdio::null());
        let (output, ok) = beside::output(command);
        Ended { source: self.source, time: start.elapsed(), output, ok }
    }
}

/// Reads a line such as `  Executable unittests src/lib.rs (target/debug/deps/arm-0123)`.
fn executable(line: &str) -> Option<(&str, PathBuf)> {
    let line = line.trim_start().strip_prefix("Executable ")?;
    let (source, file) = line.strip_suffix(')')?.rsplit_once(" (")?;
    Some((source.strip_prefix("unittests ").unwrap_or(source), file.into()))
}

/// Finds the package of a program in the list of its sources, which the compiler writes beside it.
fn program(source: &str, file: PathBuf, sources: &str) -> Result<Program> {
    let is_main = |path: &&str| Path::new(path).ends_with(source);
    let Some(path) = sources.split_whitespace().find(is_main) else {
        return Err(format!("no source of {} ends with `{source}`", file.display()));
    };
    let folder = path.strip_suffix(source).unwrap_or_default();
    let absolute =
        |path: &Path| std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()));
    Ok(Program {
        source: path.to_owned(),
        file: absolute(&file)?,
        folder: absolute(Path::new(if folder.is_empty() { "." } else { folder }))?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_read_from_what_cargo_says() {
        let unit = executable("  Executable unittests src/lib.rs (target/debug/deps/arm-0123)");
        assert_eq!(unit, Some(("src/lib.rs", "target/debug/deps/arm-0123".into())));
        let outside = executable("  Executable tests/it/main.rs (target/debug/deps/it-0123)");
        assert_eq!(outside, Some(("tests/it/main.rs", "target/debug/deps/it-0123".into())));
        assert_eq!(executable("    Finished `test` profile [unoptimized] target(s) in 0.2s"), None);
    }

    #[test]
    fn the_folder_of_a_package_is_what_stands_before_the_source() {
        let sources = "deps/it-0123: crates/arm/src/lib.rs crates/engine/tests/it/main.rs\n\nother: x\n";
        let found = program("tests/it/main.rs", "deps/it-0123".into(), sources).unwrap();
        assert_eq!(found.source, "crates/engine/tests/it/main.rs");
        assert!(found.folder.is_absolute() && found.folder.ends_with("crates/engine"));
        assert!(program("tests/specs.rs", "deps/it-0123".into(), sources).is_err());
    }
}
