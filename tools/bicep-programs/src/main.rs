//! `bicep-programs --count N`: compiles very many programs, and reports those that end the compiler, or take too much
//! time or memory.
//!
//! Programs are compiled by child processes, in batches: what ends a process is then known by its seed, and the rest
//! goes on in another one.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it talks to the terminal")]

mod growth_report;

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use bicep_programs::{Choices, compile, program};

/// The stack of a command line's first thread.
const STACK: usize = 8 << 20;
/// How many programs a process compiles.
const BATCH: u64 = 250;
/// The most memory that a process can have, in kilobytes: above what is allowed, so that more is seen.
const ADDRESS_SPACE: u64 = 4 << 20;

const USAGE: &str =
    "usage: bicep-programs [--count N] [--from SEED] [--seconds S] [--megabytes M] [--untimed]
       bicep-programs --show SEED
       bicep-programs --growth [PART OF A NAME]";

/// What a program may take, and which ones are made.
struct Limits {
    count: u64,
    from: u64,
    /// The most time for one program; nothing where it only has to end.
    time: Option<Duration>,
    megabytes: u64,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let mut limits = Limits { count: 1_000, from: 0, time: Some(Duration::from_secs(2)), megabytes: 500 };
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|text| text.parse::<u64>().ok());
        let known = match argument.as_str() {
            "--count" => number().map(|count| limits.count = count),
            "--from" => number().map(|from| limits.from = from),
            "--seconds" => number().map(|seconds| limits.time = Some(Duration::from_secs(seconds))),
            "--megabytes" => number().map(|megabytes| limits.megabytes = megabytes),
            "--untimed" => {
                limits.time = None;
                Some(())
            }
            "--show" => {
                return number().map_or_else(usage, |seed| {
                    print!("{}", program(&mut Choices::from_seed(seed)).text());
                    ExitCode::SUCCESS
                });
            }
            "--growth" => return growth_report::run(arguments.next().as_deref().unwrap_or_default()),
            "--growth-of" => {
                return arguments.next().map_or_else(usage, |name| growth_report::child(&name));
            }
            "--child" => {
                return number().zip(number()).map_or_else(usage, |(from, count)| child(from, count));
            }
            _ => None,
        };
        if known.is_none() {
            return usage();
        }
    }
    run(&limits)
}

fn usage() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}

/// Compiles some programs, and says before each which one it is and after it what came of it.
fn child(from: u64, count: u64) -> ExitCode {
    let work = move || {
        for seed in from..from.saturating_add(count) {
            println!("begin {seed}");
            let made = program(&mut Choices::from_seed(seed));
            forget_peak();
            let start = (processor_time(), Instant::now());
            let outcome = compile(&made);
            // Other programs of the machine do not count, where that can be told.
            let time = match (start.0, processor_time()) {
                (Some(before), Some(after)) => after.saturating_sub(before),
                _ => start.1.elapsed(),
            };
            let time = time.as_micros();
            match outcome {
                Ok(outcome) => {
                    println!(
                        "done {time} {} {} {}",
                        peak(),
                        outcome.work,
                        u8::from(outcome.template.is_some())
                    );
                }
                Err(broken) => println!("broken {broken}"),
            }
        }
    };
    let started = std::thread::Builder::new().stack_size(STACK).spawn(work);
    match started.map(std::thread::JoinHandle::join) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// The most memory that this process had since it was last forgotten, in megabytes; 0 where nobody knows.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes =
        line.and_then(|line| line.trim().strip_suffix(" kB")).and_then(|text| text.parse::<u64>().ok());
    kilobytes.unwrap_or_default() / 1024
}

/// The time that this process spent on processors; nothing where nobody knows.
fn processor_time() -> Option<Duration> {
    /// Ticks are so many milliseconds on every Linux.
    const TICK: u64 = 10;
    let status = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program comes second, in parentheses, and may contain anything.
    let (_, rest) = status.rsplit_once(')')?;
    let mut words = rest.split_whitespace().skip(11);
    let (user, system) = (words.next()?.parse::<u64>().ok()?, words.next()?.parse::<u64>().ok()?);
    Some(Duration::from_millis(TICK * (user + system)))
}

fn forget_peak() {
    // Without it, a large program is reported once more for each that follows it.
    let _unsupported = std::fs::write("/proc/self/clear_refs", "5");
}

/// What was found so far.
#[derive(Default)]
struct Report {
    done: u64,
    templates: u64,
    slowest: (u64, u64),
    largest: (u64, u64),
    most_work: (u64, u64),
    /// Seeds, and what is wrong with them.
    bad: Vec<(u64, String)>,
}

impl Report {
    /// Takes what was measured of a program: microseconds, megabytes, steps, and whether there is a template.
    fn take(&mut self, seed: u64, [time, megabytes, work, template]: [u64; 4], limits: &Limits) {
        self.done += 1;
        self.templates += template;
        self.slowest = self.slowest.max((time, seed));
        self.largest = self.largest.max((megabytes, seed));
        self.most_work = self.most_work.max((work, seed));
        if limits.time.is_some_and(|most| Duration::from_micros(time) > most) {
            self.bad.push((seed, format!("takes {} ms", time / 1_000)));
        }
        if megabytes > limits.megabytes {
            self.bad.push((seed, format!("takes {megabytes} MB")));
        }
        if work > 2 * bicep::MAX_WORK {
            self.bad.push((seed, format!("takes {work} steps")));
        }
    }
}

fn run(limits: &Limits) -> ExitCode {
    let next = AtomicU64::new(limits.from);
    let end = limits.from.saturating_add(limits.count);
    let report = Mutex::new(Report::default());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let from = next.fetch_add(BATCH, Ordering::Relaxed);
                    if from >= end {
                        break;
                    }
                    batch(from, end.min(from + BATCH), limits, &report);
                }
            });
        }
    });
    let mut report = report.into_inner().unwrap_or_else(PoisonError::into_inner);
    report.bad.sort();
    for (seed, what) in &report.bad {
        println!("seed {seed}: {what}");
    }
    println!(
        "{} programs, {} with a template, {} bad; slowest {} ms (seed {}), largest {} MB (seed {}), most work {} (seed {})",
        report.done,
        report.templates,
        report.bad.len(),
        report.slowest.0 / 1_000,
        report.slowest.1,
        report.largest.0,
        report.largest.1,
        report.most_work.0,
        report.most_work.1,
    );
    if report.bad.is_empty() && report.done == limits.count { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Adds to the report.
fn add(report: &Mutex<Report>, edit: impl FnOnce(&mut Report)) {
    edit(&mut report.lock().unwrap_or_else(PoisonError::into_inner));
}

/// Has programs compiled until all are, by as many processes as it takes.
fn batch(from: u64, end: u64, limits: &Limits, report: &Mutex<Report>) {
    let mut from = from;
    while from < end {
        let mut child = match start(from, end - from) {
            Ok(child) => child,
            Err(error) => return add(report, |it| it.bad.push((from, format!("no process: {error}")))),
        };
        let last = follow(&mut child, limits, report);
        let _gone = child.kill();
        let status = child.wait();
        // Without one, the process ended between two programs.
        let Some((seed, why)) = last else { return };
        let why = why.unwrap_or_else(|| match status {
            Ok(status) => format!("ended the process: {status}"),
            Err(error) => format!("ended the process: {error}"),
        });
        add(report, |it| {
            it.done += 1;
            it.bad.push((seed, why));
        });
        from = seed + 1;
    }
}

fn start(from: u64, count: u64) -> std::io::Result<Child> {
    let own = std::env::current_exe()?;
    let (from, count) = (from.to_string(), count.to_string());
    let limit = format!("ulimit -v {ADDRESS_SPACE}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &limit]).arg(own).args(["--child", &from, &count]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()
}

/// Reads what a process says until it ends; the program that it ended with, and why if that is known.
fn follow(child: &mut Child, limits: &Limits, report: &Mutex<Report>) -> Option<(u64, Option<String>)> {
    // A program that does not end is given up after a while, whether or not the time counts.
    let patience = limits.time.map_or(Duration::from_secs(120), |time| time * 5);
    let output = child.stdout.take()?;
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    let mut seed = None;
    loop {
        let line = match lines.recv_timeout(patience) {
            Ok(line) => line,
            Err(RecvTimeoutError::Disconnected) => return seed.map(|seed| (seed, None)),
            Err(RecvTimeoutError::Timeout) => {
                return seed.map(|seed| (seed, Some("does not end".to_owned())));
            }
        };
        let mut words = line.split(' ');
        match (words.next(), seed) {
            (Some("begin"), _) => seed = words.next().and_then(|word| word.parse().ok()),
            (Some("broken"), Some(broken)) => {
                seed = None;
                add(report, |it| {
                    it.done += 1;
                    it.bad.push((broken, line.clone()));
                });
            }
            (Some("done"), Some(done)) => {
                seed = None;
                let numbers: Vec<u64> = words.filter_map(|word| word.parse().ok()).collect();
                let [time, megabytes, work, template] = numbers.as_slice() else { continue };
                add(report, |it| it.take(done, [*time, *megabytes, *work, *template], limits));
            }
            _ => {}
        }
    }
}
