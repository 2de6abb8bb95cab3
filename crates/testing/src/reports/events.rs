//! A run of tests as lines of JSON.

use serde::Serialize;

use crate::outcome::{FileOutcome, TestOutcome, TestRun, TestSummary};

/// The number of the form.
const VERSION: u32 = 1;

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum Event<'e> {
    Start {
        version: u32,
        tests: usize,
    },
    Error {
        file: &'e str,
        error: &'e serde_json::Value,
    },
    Test {
        file: &'e str,
        #[serde(flatten)]
        test: &'e TestOutcome,
    },
    Summary {
        #[serde(flatten)]
        summary: &'e TestSummary,
    },
}

/// A line for the start, for each error of a file, for each test, and for the end.
pub fn events(run: &TestRun) -> String {
    let mut text = String::new();
    let mut line = |event: &Event<'_>| {
        if let Ok(json) = serde_json::to_string(event) {
            text.push_str(&json);
            text.push('\n');
        }
    };
    line(&Event::Start { version: VERSION, tests: run.summary.tests });
    for FileOutcome { file, errors, tests, .. } in &run.files {
        errors.iter().for_each(|error| line(&Event::Error { file, error }));
        tests.iter().for_each(|test| line(&Event::Test { file, test }));
    }
    line(&Event::Summary { summary: &run.summary });
    text
}
