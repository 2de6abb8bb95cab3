//! `cargo xtask corpus agree`: what predicts a deployment and what runs it give the same answer to the tests of public modules.
//!
//! Each program is compiled once. Its template then goes through `validate`, `snapshot`, `graph`, `what-if` and
//! `deploy`. The first two know what is known before anything runs, and give one answer; `graph` evaluates less, so that it
//! rejects nothing that they accept; `what-if` runs the deployment on a copy, and answers as it does. What the first two
//! accept and a run rejects is counted: they could not know.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{Result, folder, product};

/// The kind in the list of corpora.
pub(crate) const KIND: (&str, &str) = (
    "agree",
    "a registry of modules, whose tests are predicted and deployed: all commands give the same answer",
);

/// What the tests of modules are called.
const PROGRAM: &str = "main.test.bicep";

/// The commands that predict, and the one that runs. `snapshot` knows nothing of where a template goes unless it is told: told what the
/// others take for granted, it agrees with them; told nothing, it rejects nothing that they accept.
const COMMANDS: [(&str, &[&str]); 6] = [
    ("validate", &["validate"]),
    ("snapshot", &["snapshot", "--location", "local"]),
    ("snapshot of any place", &["snapshot"]),
    ("graph", &["graph"]),
    ("what-if", &["what-if"]),
    ("deploy", &["deploy"]),
];

/// The values that the authors of the modules leave to their pipeline.
const VALUES: &[(&str, &str)] = &[("namePrefix", "tst")];

/// Holds the commands against each other for all programs below some folders.
pub(crate) fn run(folders: &[String], tendon: &Path, cache: Option<&str>) -> Result {
    let mut programs = Vec::new();
    folders.iter().for_each(|folder| find(Path::new(folder), &mut programs));
    programs.sort();
    if programs.is_empty() {
        return Err(format!("there is no `{PROGRAM}` in {}", folders.join(", ")));
    }
    let scratch = product::target()?.join("agree");
    folder::remove(&scratch)?;
    let (next, counts) = (AtomicUsize::new(0), Mutex::new(BTreeMap::<Outcome, Vec<String>>::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(program) = programs.get(number) else { break };
                    let folder = scratch.join(number.to_string());
                    let (outcome, why) = judge(program, &folder, tendon, cache);
                    let _ = std::fs::remove_dir_all(&folder);
                    if let Ok(mut counts) = counts.lock() {
                        let line = format!("{}: {why}", program.display());
                        counts.entry(outcome).or_default().push(line);
                    }
                }
            });
        }
    });
    let counts = counts.into_inner().map_err(|error| error.to_string())?;
    report(programs.len(), &counts)
}

/// What came of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// It does not compile, so that there is nothing to agree on.
    NotCompiled,
    /// All accept it.
    Accepted,
    /// All reject it.
    Rejected,
    /// What only a run knows is what it is rejected for.
    RejectedLater,
    /// The commands do not agree.
    Disagreed,
    /// A command ended in a way that is neither.
    Broken,
}

fn judge(program: &Path, folder: &Path, tendon: &Path, cache: Option<&str>) -> (Outcome, String) {
    let template = folder.join("main.json");
    if let Err(error) = std::fs::create_dir_all(folder) {
        return (Outcome::Broken, error.to_string());
    }
    let call = |arguments: &[&std::ffi::OsStr]| {
        let mut command = Command::new(tendon);
        command.args(arguments);
        if let Some(cache) = cache {
            command.env("TENDON_MODULES", cache);
        }
        Answer::of(&mut command)
    };
    let built = call(&[
        "build".as_ref(),
        program.as_os_str(),
        "--outfile".as_ref(),
        template.as_os_str(),
        "--no-restore".as_ref(),
    ]);
    if built.code != Some(0) {
        return (Outcome::NotCompiled, built.why);
    }
    let text = std::fs::read_to_string(&template).unwrap_or_default();
    let values: Vec<String> = VALUES
        .iter()
        .filter(|(name, _)| text.contains(&format!("\n    \"{name}\": {{")))
        .flat_map(|(name, value)| ["--param".to_owned(), format!("{name}={value}")])
        .collect();
    let answers = COMMANDS.map(|(name, words)| {
        let mut arguments: Vec<&std::ffi::OsStr> = words.iter().map(|word| word.as_ref()).collect();
        arguments.push(template.as_os_str());
        arguments.extend(values.iter().map(|value| std::ffi::OsStr::new(value.as_str())));
        let state = folder.join("state");
        if ["what-if", "deploy"].contains(&name) {
            arguments.extend(["--state".as_ref(), state.as_os_str()]);
        }
        (name, call(&arguments))
    });
    verdict(&answers)
}

/// How the answers of all commands fit together; the last is that of the deployment.
fn verdict(answers: &[(&str, Answer)]) -> (Outcome, String) {
    let broken = |(_, answer): &&(&str, Answer)| !matches!(answer.code, Some(0 | 1));
    if let Some((name, answer)) = answers.iter().find(broken) {
        return (Outcome::Broken, format!("`{name}` ended with {:?}: {}", answer.code, answer.why));
    }
    let Some(((_, deployed), predicted)) = answers.split_last() else {
        return (Outcome::Broken, "nothing was run".to_owned());
    };
    let accepts = |answer: &Answer| answer.code == Some(0);
    let names = |wanted: bool| {
        let those = predicted.iter().filter(|(_, answer)| accepts(answer) == wanted);
        those.map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    };
    let rejects = predicted.iter().find(|(_, answer)| !accepts(answer));
    let before = || predicted.iter().filter(|(name, _)| ["validate", "snapshot"].contains(name));
    let drawn = predicted.iter().find(|(name, _)| *name == "graph").is_some_and(|(_, it)| accepts(it));
    let simulated = predicted.iter().find(|(name, _)| *name == "what-if").is_some_and(|(_, it)| accepts(it));
    let is_known = before().all(|(_, answer)| !accepts(answer));
    let is_unknown = before().all(|(_, answer)| accepts(answer));
    let why = rejects.map_or("", |(_, answer)| &answer.why);
    match (accepts(deployed), simulated) {
        (true, true) if rejects.is_none() => (Outcome::Accepted, String::new()),
        (false, false) if is_known => (Outcome::Rejected, deployed.why.clone()),
        (false, false) if is_unknown && drawn => (Outcome::RejectedLater, deployed.why.clone()),
        (is_deployed, _) => {
            let deployed = if is_deployed { "deployed" } else { "not deployed" };
            (
                Outcome::Disagreed,
                format!("{deployed}; accepted by {}; rejected by {}: {why}", names(true), names(false)),
            )
        }
    }
}

/// What a command answered.
struct Answer {
    code: Option<i32>,
    /// The first error.
    why: String,
}

impl Answer {
    fn of(command: &mut Command) -> Answer {
        match command.output() {
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr);
                let error = said.lines().find(|line| {
                    line.starts_with("error") || line.contains(") : Error ") || line.contains("panicked")
                });
                let why = error.or_else(|| said.lines().next()).unwrap_or_default();
                Answer { code: output.status.code(), why: why.chars().take(400).collect() }
            }
            Err(error) => Answer { code: None, why: error.to_string() },
        }
    }
}

fn find(folder: &Path, programs: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        // A link could lead around in a cycle.
        match path.symlink_metadata() {
            Ok(it) if it.is_dir() => find(&path, programs),
            Ok(_) if path.ends_with(PROGRAM) => programs.push(path),
            Ok(_) | Err(_) => {}
        }
    }
}

fn report(count: usize, counts: &BTreeMap<Outcome, Vec<String>>) -> Result {
    let of = |outcome: Outcome| counts.get(&outcome).map_or(0, Vec::len);
    for outcome in [Outcome::NotCompiled, Outcome::RejectedLater, Outcome::Disagreed, Outcome::Broken] {
        for line in counts.get(&outcome).into_iter().flatten() {
            println!("{outcome:?}  {line}");
        }
    }
    println!(
        "{count} programs: {} accepted and {} rejected by all, {} rejected by runs alone, {} not compiled, {} disagree, {} broken",
        of(Outcome::Accepted),
        of(Outcome::Rejected),
        of(Outcome::RejectedLater),
        of(Outcome::NotCompiled),
        of(Outcome::Disagreed),
        of(Outcome::Broken),
    );
    match of(Outcome::Disagreed) + of(Outcome::Broken) {
        0 => Ok(()),
        wrong => Err(format!("the commands do not agree on {wrong} programs")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(codes: [i32; 6]) -> Outcome {
        let answers: Vec<(&str, Answer)> = COMMANDS
            .iter()
            .zip(codes)
            .map(|((name, _), code)| (*name, Answer { code: Some(code), why: String::new() }))
            .collect();
        verdict(&answers).0
    }

    #[test]
    fn predictions_reject_what_deployments_reject_and_nothing_else() {
        assert_eq!(outcome([0, 0, 0, 0, 0, 0]), Outcome::Accepted);
        assert_eq!(outcome([1, 1, 1, 1, 1, 1]), Outcome::Rejected);
        assert_eq!(outcome([0, 0, 0, 0, 1, 1]), Outcome::RejectedLater);
        assert_eq!(outcome([0, 1, 0, 0, 0, 0]), Outcome::Disagreed);
        assert_eq!(outcome([0, 0, 1, 0, 0, 0]), Outcome::Disagreed);
        assert_eq!(outcome([1, 1, 0, 0, 1, 1]), Outcome::Rejected);
        assert_eq!(outcome([0, 0, 0, 1, 1, 1]), Outcome::Disagreed);
        assert_eq!(outcome([1, 0, 0, 0, 1, 1]), Outcome::Disagreed);
        assert_eq!(outcome([0, 0, 0, 0, 0, 1]), Outcome::Disagreed);
        assert_eq!(outcome([0, 0, 0, 0, 0, 3]), Outcome::Broken);
    }
}
