//! `cargo xtask fuzz`: builds the targets with coverage instrumentation and runs each for a bounded time.
//!
//! A target is one file in `fuzz/fuzz_targets` and one `[[bin]]` in `fuzz/Cargo.toml`. Its seeds, small files of our
//! own, are in `fuzz/seeds/TARGET`; an optional dictionary is `fuzz/dictionaries/TARGET.dict`. What a run finds worth
//! keeping goes to `fuzz/corpus`, logs and findings to `fuzz/artifacts`; git ignores both.

mod build;
mod report;
mod session;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use crate::arguments::Arguments;
use crate::requirements::Need;
use crate::{Result, process, requirements};

use session::{Limits, Session};

const SECONDS: u64 = 60;
const MAX_LEN: usize = 4096;

pub(crate) fn run(mut arguments: Arguments) -> Result {
    let list = arguments.flag("--list");
    let limits = Limits {
        seconds: arguments.value("--seconds")?.unwrap_or(SECONDS),
        max_len: arguments.value("--max-len")?.unwrap_or(MAX_LEN),
    };
    let chosen = arguments.values("--target")?;
    let input: Option<PathBuf> = arguments.value("--input")?;
    arguments.finish()?;
    if limits.seconds == 0 {
        return Err("`--seconds` must be at least 1: libFuzzer takes 0 for no limit".to_owned());
    }

    let targets = targets()?;
    if let Some(unknown) = chosen.iter().find(|name| !targets.contains(name)) {
        return Err(format!("no fuzz target `{unknown}`; `cargo xtask fuzz --list` names them"));
    }
    let targets: Vec<String> =
        targets.into_iter().filter(|target| chosen.is_empty() || chosen.contains(target)).collect();
    if list {
        targets.iter().for_each(|target| println!("{target}"));
        return Ok(());
    }
    requirements::provide(Need::Fuzz)?;
    let binaries = build::build(&targets)?;
    match (input, targets.as_slice()) {
        (None, _) => fuzz_all(&targets, &binaries, &limits),
        (Some(input), [target]) => reproduce(&binaries.join(target), &input),
        (Some(_), _) => Err("`--input` needs one `--target`".to_owned()),
    }
}

/// Makes sure that the targets still compile, so that they do not rot between two runs.
pub(crate) fn check() -> Result {
    build::check()
}

/// The targets, sorted by name.
fn targets() -> Result<Vec<String>> {
    let folder = Path::new("fuzz/fuzz_targets");
    let entries =
        folder.read_dir().map_err(|error| format!("cannot list `{}`: {error}", folder.display()))?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            (path.extension()? == "rs").then(|| path.file_stem()?.to_str().map(str::to_owned))?
        })
        .collect();
    names.sort();
    Ok(names)
}

/// Runs the targets, as many at a time as there are cores, and prints the table.
fn fuzz_all(targets: &[String], binaries: &Path, limits: &Limits) -> Result {
    let workers = std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(targets.len());
    println!("fuzzing {}: {workers} at a time, {} s each", targets.join(", "), limits.seconds);
    let queue = Mutex::new(targets.iter());
    let next = || queue.lock().ok()?.next();
    let work = || {
        let mut done = Vec::new();
        while let Some(target) = next() {
            done.push(Session::new(target, binaries).run(limits));
            println!("{target} is done");
        }
        done
    };
    let mut reports = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let joined =
            threads.into_iter().map(|thread| thread.join().map_err(|_| "a worker panicked".to_owned()));
        joined.collect::<Result<Vec<_>>>()
    })?
    .into_iter()
    .flatten()
    .collect::<Result<Vec<_>>>()?;
    reports.sort_by(|left, right| left.target.cmp(&right.target));
    println!("\n{}", report::table(&reports));
    let findings: Vec<String> = reports.iter().filter_map(report::Report::finding).collect();
    if findings.is_empty() { Ok(()) } else { Err(findings.join("\n")) }
}

/// Runs one target on one input and shows everything it says.
fn reproduce(binary: &Path, input: &Path) -> Result {
    // The target takes an option-like or missing file for something else, so it is looked for here.
    if !input.is_file() {
        return Err(format!("no file `{}`", input.display()));
    }
    process::run(Command::new(binary).arg("-timeout=10").arg("-rss_limit_mb=2048").arg(input))
}
