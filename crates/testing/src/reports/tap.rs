//! A run of tests in the Test Anything Protocol, version 14.

use crate::outcome::{TestFailure, TestRun, TestStatus};

fn description(id: &str) -> String {
    id.replace('\\', "\\\\").replace('#', "\\#").replace(['\n', '\r'], " ")
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

fn block(failures: &[TestFailure]) -> String {
    let mut text = "  ---\n  failures:\n".to_owned();
    for failure in failures {
        text.push_str(&format!("    - kind: {}\n", failure.kind.word()));
        text.push_str(&format!("      message: {}\n", quoted(&failure.message)));
        if let Some(place) = &failure.place {
            let at = format!("{}:{}:{}", place.file, place.start.line, place.start.column);
            text.push_str(&format!("      at: {}\n", quoted(&at)));
        }
    }
    text.push_str("  ...\n");
    text
}

/// The run in version 14 of the Test Anything Protocol; a file that cannot be read is a test that failed.
pub fn tap(run: &TestRun) -> String {
    let broken = run.files.iter().filter(|file| file.tests.is_empty() && !file.errors.is_empty()).count();
    let mut text = format!("TAP version 14\n1..{}\n", run.summary.tests + broken);
    let mut number = 0;
    for file in &run.files {
        if file.tests.is_empty() && !file.errors.is_empty() {
            number += 1;
            text.push_str(&format!("not ok {number} - {}\n", description(&file.file)));
        }
        for test in &file.tests {
            number += 1;
            let id = description(&test.id);
            match test.status {
                TestStatus::Passed => text.push_str(&format!("ok {number} - {id}\n")),
                TestStatus::Skipped => {
                    let reason = description(test.reason.as_deref().unwrap_or_default());
                    text.push_str(format!("ok {number} - {id} # SKIP {reason}").trim_end());
                    text.push('\n');
                }
                TestStatus::Failed => {
                    text.push_str(&format!("not ok {number} - {id}\n{}", block(&test.failures)));
                }
            }
        }
    }
    text
}
