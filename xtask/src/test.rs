//! `cargo xtask test`: every check of the project, the quick ones first.

mod beside;
mod programs;

use std::process::Command;
use std::time::{Duration, Instant};

use beside::{Beside, Ended};

use crate::arguments::Arguments;
use crate::requirements::Need;
use crate::{
    Result, apache, bombs, boundaries, browser, clients, cluster, deny, dist, doc, editors, fuzz, helm,
    json_schema, playground, process, rad, readers, requirements, server_clients, servers, snippets, systemd,
    tidy, vscode, wheel,
};

struct Step {
    name: &'static str,
    does: &'static str,
    when: When,
    action: Action,
}

/// When a step runs.
#[derive(PartialEq, Eq)]
enum When {
    Always,
    /// Always, beside the steps that follow: it waits more than it computes, or nothing needs its result.
    Beside,
    /// Only if it is named: it takes too long for every day.
    Named,
}

enum Action {
    /// Code of ours.
    Own(fn() -> Result),
    /// A cargo command, with environment variables.
    Cargo(&'static [&'static str], &'static [(&'static str, &'static str)]),
    /// A cargo command that runs tests, which are counted.
    Tests(&'static [&'static str]),
    /// A cargo command that builds test programs. They run several at a time, and their tests are counted.
    Programs(&'static [&'static str]),
}

const STEPS: &[Step] = &[
    Step {
        name: "requirements",
        does: "what the other steps need is installed",
        when: When::Always,
        action: Action::Own(|| requirements::provide(Need::Test)),
    },
    Step {
        name: "fmt",
        does: "every source is formatted",
        when: When::Always,
        action: Action::Cargo(&["fmt", "--all", "--check"], &[]),
    },
    Step {
        name: "tidy",
        does: "the rules of the house hold",
        when: When::Always,
        action: Action::Own(tidy::run),
    },
    Step {
        name: "deny",
        does: "every dependency has a licence and a source that deny.toml allows",
        when: When::Beside,
        action: Action::Own(deny::run),
    },
    Step {
        name: "clippy",
        does: "no compiler warning, no lint",
        when: When::Always,
        action: Action::Cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], &[]),
    },
    Step {
        name: "fuzz",
        does: "the fuzz targets compile",
        when: When::Always,
        action: Action::Own(fuzz::check),
    },
    Step {
        name: "doc",
        does: "the documentation builds without a warning",
        when: When::Always,
        action: Action::Own(doc::run),
    },
    Step {
        name: "build",
        does: "the programs and all tests build",
        when: When::Always,
        action: Action::Cargo(&["test", "--workspace", "--lib", "--bins", "--tests", "--no-run"], &[]),
    },
    Step {
        name: "proxy",
        does: "clients and servers of other people's Thrift libraries call each other through the proxy",
        when: When::Beside,
        action: Action::Own(|| clients::run(5_000)),
    },
    Step {
        name: "readers",
        does: "what the validator of messages lets pass is decoded by other people's readers, to values that keep the rules",
        when: When::Beside,
        action: Action::Own(|| readers::run(60_000)),
    },
    Step {
        name: "servers",
        does: "the handlers of other people's servers are called with what the proxy lets pass, and with nothing else",
        when: When::Beside,
        action: Action::Own(|| servers::run(200)),
    },
    Step {
        name: "editors",
        does: "Neovim opens, diagnoses, completes, fixes, renames and formats with the language server",
        when: When::Beside,
        action: Action::Own(editors::neovim),
    },
    Step {
        name: "browser",
        does: "a browser shows the pages of a server as they should be, to everybody, and nothing runs in them but what is ours",
        when: When::Beside,
        action: Action::Own(browser::run),
    },
    Step {
        name: "extension",
        does: "the extension for VS Code builds and is packaged, and its grammar colours what it should",
        when: When::Beside,
        action: Action::Own(|| vscode::package().map(drop)),
    },
    Step {
        name: "clients",
        does: "the Python and JavaScript SDKs of Azure deploy to a server",
        when: When::Beside,
        action: Action::Own(server_clients::sdks),
    },
    Step {
        name: "dist",
        does: "what people install works in an empty folder",
        when: When::Beside,
        action: Action::Own(dist::check),
    },
    Step {
        name: "cluster",
        does: "three nodes on PostgreSQL are killed while they deploy, their database is restarted and then lost to its standby, and what was recorded keeps every promise",
        when: When::Beside,
        action: Action::Own(cluster::run),
    },
    Step {
        name: "bombs",
        does: "templates that want all memory fail or are refused, and a server with 1 GiB goes on for everybody else",
        when: When::Beside,
        action: Action::Own(|| bombs::run(bombs::Count::Few)),
    },
    Step {
        name: "systemd",
        does: "systemd reads the unit of the server and finds it shut in; only if it is named: containers have no systemd-analyze",
        when: When::Named,
        action: Action::Own(systemd::run),
    },
    Step {
        name: "helm",
        does: "the chart for Kubernetes is linted and rendered, and its configuration is read; only if it is named: helm takes minutes to build",
        when: When::Named,
        action: Action::Own(helm::run),
    },
    Step {
        name: "boundaries",
        does: "what breaks a contract is refused at every boundary of the program, and its honest twin is accepted",
        when: When::Beside,
        action: Action::Own(|| boundaries::run(false)),
    },
    Step {
        name: "json-schema",
        does: "every test of the official suite of JSON Schema has the verdict of the suite, in five drafts",
        when: When::Beside,
        action: Action::Own(json_schema::run),
    },
    Step {
        name: "doctest",
        does: "the examples in the documentation work",
        when: When::Always,
        action: Action::Tests(&["test", "--workspace", "--doc"]),
    },
    Step {
        name: "test",
        does: "unit tests, integration tests and specification documents",
        when: When::Always,
        action: Action::Programs(&["test", "--workspace", "--lib", "--bins", "--tests"]),
    },
    Step {
        name: "az",
        does: "az deploys to a server; only if it is named: it takes minutes to install",
        when: When::Named,
        action: Action::Own(server_clients::az),
    },
    Step {
        name: "emacs",
        does: "Emacs does what `editors` does; only if it is named: its packages are large",
        when: When::Named,
        action: Action::Own(editors::emacs),
    },
    Step {
        name: "vscode",
        does: "VS Code with the extension does what `editors` does; only if it is named: it takes minutes to install",
        when: When::Named,
        action: Action::Own(editors::vscode),
    },
    Step {
        name: "node",
        does: "Node.js compiles, predicts and checks with the module; only if it is named: it takes minutes to build",
        when: When::Named,
        action: Action::Own(playground::node),
    },
    Step {
        name: "playground",
        does: "a browser compiles, completes, predicts, draws, checks and shares in the playground; only if it is named: it takes minutes to build",
        when: When::Named,
        action: Action::Own(playground::check),
    },
    Step {
        name: "packages",
        does: "the wheel, the npm packages, the Debian package and the image install, run and are removed; only if it is named: packing takes a minute",
        when: When::Named,
        action: Action::Own(dist::packages),
    },
    Step {
        name: "snippets",
        does: "the action, the hooks, the snippets and the release workflow keep the rules of those who run them; only if it is named: its checkers are installed first",
        when: When::Named,
        action: Action::Own(snippets::run),
    },
    Step {
        name: "python",
        does: "Python compiles, predicts and checks with the wheel, in an environment that has nothing else; only if it is named: it takes minutes to build",
        when: When::Named,
        action: Action::Own(wheel::check),
    },
    Step {
        name: "rad",
        does: "rad does everything against a server; only if it is named: it takes minutes to build",
        when: When::Named,
        action: Action::Own(rad::run),
    },
    Step {
        name: "apache",
        does: "what Apache's Go validators are known to do differently is still so; only if it is named",
        when: When::Named,
        action: Action::Own(apache::run),
    },
    Step {
        name: "proxy-load",
        does: "the step `proxy` with 100,000 calls; only if it is named",
        when: When::Named,
        action: Action::Own(|| clients::run(100_000)),
    },
    Step {
        name: "endpoint",
        does: "1,000 deployments to a server through a proxy that breaks things; only if it is named",
        when: When::Named,
        action: Action::Cargo(
            &["test", "-p", "tendon-endpoint", "--test", "it", "faults", "--", "--nocapture"],
            &[("TENDON_ENDPOINT_DEPLOYMENTS", "1000")],
        ),
    },
    Step {
        name: "bombs-more",
        does: "the step `bombs` with every way to grow, also at nodes, in storms and at commands; only if it is named",
        when: When::Named,
        action: Action::Own(|| bombs::run(bombs::Count::Many)),
    },
    Step {
        name: "bombs-all",
        does: "the step `bombs-more` with every way to grow at every place; only if it is named",
        when: When::Named,
        action: Action::Own(|| bombs::run(bombs::Count::All)),
    },
    Step {
        name: "boundaries-all",
        does: "the step `boundaries` with every attack at every boundary; only if it is named",
        when: When::Named,
        action: Action::Own(|| boundaries::run(true)),
    },
    Step {
        name: "readers-all",
        does: "the step `readers` with 220,000 messages, and `servers` with 20,000 connections to each; only if it is named",
        when: When::Named,
        action: Action::Own(|| readers::run(220_000).and_then(|()| servers::run(20_000))),
    },
];

pub(crate) fn run(mut arguments: Arguments) -> Result {
    let list = arguments.flag("--list");
    let mut only = arguments.values("--only")?;
    let timings = arguments.flag("--timings");
    only.extend(arguments.words()?);
    if let Some(unknown) = only.iter().find(|name| STEPS.iter().all(|step| step.name != **name)) {
        return Err(format!("no step `{unknown}`; `cargo xtask test --list` names them"));
    }
    if list {
        STEPS.iter().for_each(|step| println!("{:<14}{}", step.name, step.does));
        return Ok(());
    }
    let is_wanted = |step: &&Step| match only.is_empty() {
        true => step.when != When::Named,
        false => only.iter().any(|name| name == step.name),
    };
    // Steps that are named show what they do while they do it, and those that are timed run alone.
    let beside = (only.is_empty() && !timings).then(Beside::start);
    let mut report = Report::default();
    let mut outcome = Ok(());
    for step in STEPS.iter().filter(is_wanted) {
        match &beside {
            Some(beside) if step.when == When::Beside => match step.again() {
                Ok(command) => beside.add(step.name, command),
                Err(message) => outcome = Err(message),
            },
            _ => outcome = report.run(step, timings),
        }
        let ended = beside.iter().flat_map(Beside::ended);
        outcome = ended.fold(outcome, |outcome, ended| outcome.and(report.add(&ended)));
        if outcome.is_err() {
            break;
        }
    }
    let rest = beside.map(|beside| beside.finish(outcome.is_ok())).unwrap_or_default();
    outcome = rest.iter().fold(outcome, |outcome, ended| outcome.and(report.add(ended)));
    outcome?;
    if report.rows.len() > 1 {
        println!("{}", report.rows.join("\n"));
    }
    if report.total.binaries > 0 {
        println!("{} tests passed", report.total.passed);
    }
    Ok(())
}

/// What the steps came to.
#[derive(Default)]
struct Report {
    rows: Vec<String>,
    total: Tally,
}

impl Report {
    /// Runs a step.
    fn run(&mut self, step: &Step, timings: bool) -> Result {
        let start = Instant::now();
        let mut tally = Tally::default();
        let mut slowest = timings.then(Slowest::start);
        let result = step.run(&mut tally, slowest.as_mut());
        let row = row(step.name, start.elapsed(), &step.result(result.is_ok(), &tally));
        println!("{row}\n");
        self.rows.push(row);
        self.rows.extend(slowest.iter().flat_map(Slowest::rows));
        self.total.add(&tally);
        result.map_err(|message| format!("{message}\n{}", again(step.name)))
    }

    /// Shows a step that ran beside others, which has printed its row itself.
    fn add(&mut self, ended: &Ended) -> Result {
        print!("{}", ended.output);
        self.rows.push(row(ended.name, ended.time, if ended.ok { "ok" } else { "FAILED" }));
        if ended.ok { Ok(()) } else { Err(format!("`{}` failed\n{}", ended.name, again(ended.name))) }
    }
}

fn row(name: &str, time: Duration, result: &str) -> String {
    format!("{name:<14}{:>8}  {result}", seconds(time))
}

/// What a failure ends with.
fn again(name: &str) -> String {
    format!("run it again: cargo xtask test --only {name}")
}

impl Step {
    fn run(&self, tally: &mut Tally, mut slowest: Option<&mut Slowest>) -> Result {
        let command = |arguments: &[&str]| {
            let mut command = process::cargo();
            command.args(arguments);
            command
        };
        let announce = |command: &Command| println!("== {}: {}", self.name, process::shown(command));
        match self.action {
            Action::Own(work) => {
                println!("== {}: {}", self.name, self.does);
                work()
            }
            Action::Cargo(arguments, environment) => {
                let mut command = command(arguments);
                command.envs(environment.iter().copied());
                announce(&command);
                process::run(&mut command)
            }
            Action::Programs(arguments) if slowest.is_none() => {
                announce(&command(arguments));
                let mut failed = Vec::new();
                programs::run(programs::build(arguments)?, |ended| {
                    println!("-- {} ({})\n{}", ended.source, seconds(ended.time), ended.output);
                    ended.output.lines().for_each(|line| tally.see(line));
                    if !ended.ok {
                        failed.push(ended.source);
                    }
                });
                let message = || format!("tests failed in {}", failed.join(", "));
                if failed.is_empty() { Ok(()) } else { Err(message()) }
            }
            Action::Tests(arguments) | Action::Programs(arguments) => {
                let mut command = command(arguments);
                command.arg("--no-fail-fast");
                if slowest.is_some() {
                    command.args(["--", "--test-threads=1"]);
                }
                announce(&command);
                process::run_seeing(&mut command, |line| {
                    tally.see(line);
                    if let Some(slowest) = &mut slowest {
                        slowest.see(line, Instant::now());
                    }
                })
            }
        }
    }

    /// This program, asked for the step alone.
    fn again(&self) -> Result<Command> {
        let program =
            std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
        let mut command = Command::new(program);
        command.args(["test", "--only", self.name]);
        Ok(command)
    }

    fn result(&self, ok: bool, tally: &Tally) -> String {
        match (&self.action, ok) {
            (Action::Tests(_) | Action::Programs(_), _) => {
                format!("{} passed, {} failed", tally.passed, tally.failed)
            }
            (_, true) => "ok".to_owned(),
            (_, false) => "FAILED".to_owned(),
        }
    }
}

/// Counts what test binaries report.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    binaries: u64,
    passed: u64,
    failed: u64,
}

impl Tally {
    /// Takes note of a line such as `test result: ok. 12 passed; 0 failed; 0 ignored; ...`.
    fn see(&mut self, line: &str) {
        let Some((_, counts)) = line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". "))
        else {
            return;
        };
        let count = |what: &str| {
            let part = counts.split("; ").find_map(|part| part.strip_suffix(what));
            part.and_then(|number| number.trim().parse().ok()).unwrap_or(0)
        };
        self.add(&Tally { binaries: 1, passed: count(" passed"), failed: count(" failed") });
    }

    fn add(&mut self, other: &Tally) {
        self.binaries += other.binaries;
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

/// How long single tests take. They run one after another then, so that a test takes the time between two lines.
struct Slowest {
    before: Instant,
    tests: Vec<(Duration, String)>,
}

impl Slowest {
    /// How many tests are named.
    const NAMED: usize = 15;

    fn start() -> Slowest {
        Slowest { before: Instant::now(), tests: Vec::new() }
    }

    /// Takes note of a line such as `test name ... ok`; building and starting a binary is no test's time.
    fn see(&mut self, line: &str, now: Instant) {
        if let Some((name, _)) = line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... ")) {
            self.tests.push((now.saturating_duration_since(self.before), name.trim_end().to_owned()));
        }
        self.before = now;
    }

    fn rows(&self) -> Vec<String> {
        let mut tests: Vec<&(Duration, String)> = self.tests.iter().collect();
        tests.sort_by(|one, other| other.cmp(one));
        tests.iter().take(Self::NAMED).map(|(time, name)| format!("{:>22}  {name}", seconds(*time))).collect()
    }
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_test_binaries_are_added_up() {
        let mut tally = Tally::default();
        for line in [
            "running 3 tests",
            "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 1 filtered out; finished in 0.00s",
            "test result: FAILED. 10 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.20s",
            "a test that prints test result: ok. 5 passed; 0 failed",
        ] {
            tally.see(line);
        }
        assert_eq!(tally, Tally { binaries: 2, passed: 12, failed: 3 });
    }

    #[test]
    fn a_test_takes_the_time_between_two_lines() {
        let mut slowest = Slowest::start();
        let start = slowest.before;
        let lines =
            [(10, "running 2 tests"), (11, "test quick ... ok"), (14, "test slow   ... FAILED"), (90, "")];
        for (second, line) in lines {
            slowest.see(line, start + Duration::from_secs(second));
        }
        assert_eq!(
            slowest.rows().join("|").split_whitespace().collect::<Vec<_>>().join(" "),
            "3.0 s slow| 1.0 s quick"
        );
    }
}
