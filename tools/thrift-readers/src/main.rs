//! Shows messages that the validator lets pass to other people's readers; `cargo xtask test --only readers` runs it.
//!
//! Fails if a reader decodes a value that breaks a rule, with the message and the value.
#![expect(clippy::print_stdout, reason = "it is there to print what it found")]

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

use thrift_readers::Result;
use thrift_readers::arguments::{Arguments, with_arguments};
use thrift_readers::readers::Programs;
use thrift_readers::run::{ReaderMismatch, ask, messages};
use thrift_readers::schemas::schemas;

/// How many kinds of findings of a reader are shown.
const SHOWN: usize = 12;

fn main() -> ExitCode {
    with_arguments("readers", "--messages", 220_000, run)
}

fn run(arguments: &Arguments) -> Result {
    let start = Instant::now();
    let seconds = || format!("{:.1} s", start.elapsed().as_secs_f64());
    let schemas = schemas()?;
    let programs = Programs::build(&schemas, &arguments.work, &arguments.python, &arguments.cargo_target)?;
    println!("{}: the readers of {} schemas are built", seconds(), schemas.len());
    let (messages, made) = messages(&schemas, arguments.count, arguments.seed)?;
    println!("{}: {} messages, seed {}: {} pass", seconds(), made.all, arguments.seed, made.passed);
    let found = ask(&schemas, &messages, &programs, arguments)?;
    println!("{}: the readers have answered", seconds());
    println!("{:<20}{:>9}{:>9}{:>9}  noticed", "reader", "decoded", "refused", "invalid");
    let mut wrong = 0;
    for (reader, tally) in &found {
        println!(
            "{:<20}{:>9}{:>9}{:>9}  {} of {}",
            reader.name,
            tally.valid + tally.invalid.len(),
            tally.refused,
            tally.invalid.len(),
            tally.controls.1,
            tally.controls.0
        );
    }
    for (reader, tally) in &found {
        wrong += show(reader.name, "a value that breaks a rule", &tally.invalid);
        wrong += show(reader.name, "its end", &tally.lost);
        wrong += show(reader.name, "a message that it refuses halfway, and goes on there", &tally.halfway);
        wrong += show(reader.name, "no valid value in a message as writers write it", &tally.disagreed);
        if !tally.blind.is_empty() {
            wrong += 1;
            println!("\n{} notices nothing wrong in any message of {}", reader.name, tally.blind.join(", "));
        }
    }
    if arguments.count > made.all {
        return Err(format!("there are only {} different messages", made.all));
    }
    arguments.verdict(wrong)
}

/// Prints the shortest finding of each kind, and returns how many there are in all.
fn show(reader: &str, what: &str, findings: &[ReaderMismatch]) -> usize {
    let mut kinds: BTreeMap<&str, (usize, &ReaderMismatch)> = BTreeMap::new();
    for finding in findings {
        let (count, shortest) = kinds.entry(&finding.kind).or_insert((0, finding));
        *count += 1;
        if finding.text.len() < shortest.text.len() {
            *shortest = finding;
        }
    }
    if !findings.is_empty() {
        println!("\n{reader} sees {what}, {} times:", findings.len());
    }
    for (count, finding) in kinds.values().take(SHOWN) {
        println!("{count} times {}", finding.text);
    }
    findings.len()
}
