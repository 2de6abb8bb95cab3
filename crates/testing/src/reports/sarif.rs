//! The failures of a run of tests as a SARIF log.

use serde_json::{Value, json};

use crate::outcome::{FailureKind, TestFailure, TestRun};

const KINDS: [(FailureKind, &str); 6] = [
    (FailureKind::Assert, "an assert does not hold"),
    (FailureKind::Error, "a deployment failed"),
    (FailureKind::UnexpectedSuccess, "a failure was expected, and there is none"),
    (FailureKind::WrongFailure, "another failure was expected"),
    (FailureKind::Check, "a check that every case has"),
    (FailureKind::Snapshot, "the snapshot is missing, or another one"),
];

fn location(failure: &TestFailure) -> Vec<Value> {
    let place = failure.place.iter().map(|place| {
        let region = json!({
            "startLine": place.start.line, "startColumn": place.start.column,
            "endLine": place.end.line.max(place.start.line), "endColumn": place.end.column,
            "byteOffset": place.start.offset, "byteLength": place.end.offset.saturating_sub(place.start.offset),
        });
        json!({ "physicalLocation": { "artifactLocation": { "uri": place.file.replace(' ', "%20") }, "region": region } })
    });
    place.collect()
}

/// What is wrong with a file, as `--diagnostics-format json` tells it.
fn error(error: &Value) -> Value {
    let text = |path: &str| error.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let number = |path: &str| error.pointer(path).and_then(Value::as_u64);
    let place = number("/start/line").map(|line| {
        let region = json!({
            "startLine": line, "startColumn": number("/start/column").unwrap_or(1),
            "endLine": number("/end/line").unwrap_or(line), "endColumn": number("/end/column").unwrap_or(1),
        });
        let uri = text("/file").replace(' ', "%20");
        json!({ "physicalLocation": { "artifactLocation": { "uri": uri }, "region": region } })
    });
    let locations: Vec<Value> = place.into_iter().collect();
    json!({
        "ruleId": text("/code"), "level": "error", "message": { "text": text("/message") },
        "locations": locations,
    })
}

/// The whole run, by a tool of a version.
pub fn sarif(run: &TestRun, version: &str) -> String {
    let mut results: Vec<Value> = run.files.iter().flat_map(|file| &file.errors).map(error).collect();
    for test in run.files.iter().flat_map(|file| &file.tests) {
        for failure in &test.failures {
            let text = format!("{}: {}", test.id, failure.message);
            results.push(json!({
                "ruleId": failure.kind.word(), "level": "error", "message": { "text": text },
                "locations": location(failure),
            }));
        }
    }
    let rules: Vec<Value> = KINDS
        .iter()
        .map(|(kind, summary)| json!({ "id": kind.word(), "shortDescription": { "text": summary } }))
        .collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "tendon test", "version": version, "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    let mut text = serde_json::to_string_pretty(&log).unwrap_or_default();
    text.push('\n');
    text
}
