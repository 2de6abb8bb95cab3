//! The official tests of JSON Schema, judged by the real program: `tendon-json-schema-suite TENDON FOLDER`.
//!
//! `FOLDER` has the `tests` and `remotes` of the suite. Each schema is a contract in a file, and all values of its tests are checked against it by
//! one run of `tendon check`. Every verdict has to be the one of the suite; a contract that is refused counts as wrong.

mod drafts;
mod group;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use drafts::{DRAFTS, Draft};
use group::{Group, Judge, Tally};

type Result<T = ()> = std::result::Result<T, String>;

/// How many wrong verdicts are shown.
const SHOWN: usize = 20;

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]
fn main() -> ExitCode {
    let outcome = run(&std::env::args().skip(1).map(PathBuf::from).collect::<Vec<_>>());
    match outcome {
        Ok(report) => {
            println!("{}", report.lines.join("\n"));
            println!("{} passed, {} failed", report.right, report.wrong);
            if report.wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// What came of all drafts.
#[derive(Default)]
struct Report {
    lines: Vec<String>,
    right: usize,
    wrong: usize,
}

fn run(arguments: &[PathBuf]) -> Result<Report> {
    let [tendon, suite] = arguments else {
        return Err("usage: tendon-json-schema-suite TENDON FOLDER".to_owned());
    };
    let work = std::env::temp_dir().join(format!("tendon-json-schema-suite-{}", std::process::id()));
    std::fs::create_dir_all(&work).map_err(|error| format!("cannot make `{}`: {error}", work.display()))?;
    let judge = Judge { tendon: tendon.clone(), remotes: suite.join("remotes"), work: work.clone() };
    let report = judged(&judge, suite);
    drop(std::fs::remove_dir_all(&work));
    report
}

fn judged(judge: &Judge, suite: &Path) -> Result<Report> {
    let mut report = Report::default();
    for draft in DRAFTS {
        let groups = groups(suite, draft)?;
        let mut all = Tally::default();
        for tally in in_parallel(&groups, |place, group| judge.judge(place, group))? {
            all.add(tally);
        }
        report.lines.push(format!(
            "{}: {} of {} tests",
            draft.folder,
            all.right,
            all.right + all.wrong.len()
        ));
        let lines = all.wrong.iter().take(SHOWN).map(|wrong| format!("  {wrong}"));
        report.lines.extend(lines);
        report.right += all.right;
        report.wrong += all.wrong.len();
    }
    Ok(report)
}

/// The groups of tests of a draft, in the order of their files.
fn groups(suite: &Path, draft: &Draft) -> Result<Vec<Group>> {
    let folder = suite.join("tests").join(draft.folder);
    let unread = |error: std::io::Error| format!("cannot read `{}`: {error}", folder.display());
    let entries = std::fs::read_dir(&folder).map_err(unread)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<std::io::Result<Vec<_>>>();
    let mut paths = paths.map_err(unread)?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    paths.sort();
    let mut groups = Vec::new();
    for path in paths {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if drafts::LEFT_OUT.iter().all(|(left_out, _)| *left_out != name) {
            groups.extend(Group::read(&path, &name, draft)?);
        }
    }
    match groups.is_empty() {
        true => Err(format!("`{}` has no tests", folder.display())),
        false => Ok(groups),
    }
}

/// Does something for every group on all processors; the results have the order of the groups.
fn in_parallel<R: Send>(
    groups: &[Group],
    each: impl Fn(usize, &Group) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = groups.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let workers: Vec<_> = groups
            .chunks(share)
            .enumerate()
            .map(|(worker, part)| {
                let each = &each;
                let one = move |(place, group)| each(worker * share + place, group);
                scope.spawn(move || part.iter().enumerate().map(one).collect::<Result<Vec<R>>>())
            })
            .collect();
        let mut all = Vec::new();
        for worker in workers {
            all.extend(worker.join().map_err(|_| "a thread ended early".to_owned())??);
        }
        Ok(all)
    })
}
