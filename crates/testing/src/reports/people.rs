//! A run of tests for people.

use diagnostics::printable;

use crate::outcome::{TestFailure, TestOutcome, TestRun, TestStatus, TestSummary};

/// How many of the slowest tests are told.
const SLOWEST: usize = 5;

/// A failure: place and message, the line of the source, and what the message says below its first line.
pub fn failure_text(failure: &TestFailure) -> String {
    let mut text = String::new();
    let mut lines = failure.message.lines();
    let first = lines.next().unwrap_or_default();
    if let Some(place) = &failure.place {
        text.push_str(&format!("{}:{}:{}: ", place.file, place.start.line, place.start.column));
    }
    text.push_str(failure.kind.word());
    match (&failure.code, &failure.name) {
        (Some(code), _) if failure.kind == crate::FailureKind::Check => text.push_str(&format!(" {code}")),
        (_, Some(name)) => text.push_str(&format!(" `{name}`")),
        _ => {}
    }
    text.push_str(&format!(": {first}\n"));
    if let Some(place) = &failure.place
        && !place.line.is_empty()
    {
        text.push_str(&format!("  {} | {}\n", place.start.line, place.line));
    }
    for line in lines {
        text.push_str(&format!("  {line}\n"));
    }
    text
}

/// The line at the end: how many tests and asserts there were, and how they went.
pub fn summary_line(summary: &TestSummary) -> String {
    let counts = [(summary.passed, "passed"), (summary.failed, "failed"), (summary.skipped, "skipped")];
    let counts =
        counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    let counts: Vec<String> = counts.collect();
    let tests = if summary.tests == 1 { "1 test".to_owned() } else { format!("{} tests", summary.tests) };
    let all = summary.asserts.held + summary.asserts.broken;
    let asserts = match all {
        0 => String::new(),
        1 => format!("; 1 assert, {} broken", summary.asserts.broken),
        all => format!("; {all} asserts, {} broken", summary.asserts.broken),
    };
    format!("{tests}: {}{asserts}", if counts.is_empty() { "none run".to_owned() } else { counts.join(", ") })
}

fn painted(text: &str, code: &str, colour: bool) -> String {
    if colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
}

fn line(test: &TestOutcome, timed: bool, colour: bool) -> String {
    let (word, code) = match test.status {
        TestStatus::Passed => ("passed", "32"),
        TestStatus::Failed => ("FAILED", "1;91"),
        TestStatus::Skipped => ("skipped", "33"),
    };
    let mut text = format!("{} {}", painted(word, code, colour), printable(&test.id));
    if let Some(reason) = &test.reason {
        text.push_str(&format!(": {}", printable(reason)));
    }
    if timed {
        text.push_str(&format!(" ({:.0} ms)", test.seconds * 1000.0));
    }
    text.push('\n');
    text
}

/// What is wrong, and what was skipped; with `all`, what passed as well, how long each test took, and the slowest ones.
pub fn people(run: &TestRun, all: bool, colour: bool) -> String {
    let mut text = String::new();
    for file in &run.files {
        file.error_texts.iter().for_each(|error| text.push_str(error));
        for test in file.tests.iter().filter(|test| all || test.status != TestStatus::Passed) {
            text.push_str(&line(test, all, colour));
            for failure in &test.failures {
                for line in failure_text(failure).lines() {
                    text.push_str(&format!("  {}\n", printable(line)));
                }
            }
        }
    }
    if all {
        let mut tests: Vec<&TestOutcome> = run.files.iter().flat_map(|file| &file.tests).collect();
        tests.sort_by(|one, other| other.seconds.total_cmp(&one.seconds));
        if tests.len() > SLOWEST {
            text.push_str("slowest:\n");
            for test in tests.iter().take(SLOWEST) {
                text.push_str(&format!("  {:.0} ms {}\n", test.seconds * 1000.0, printable(&test.id)));
            }
        }
    }
    text
}
