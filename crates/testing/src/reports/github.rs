//! A run of tests as annotations of GitHub's workflows.

use crate::outcome::TestRun;

fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}

/// A line for each failure, which GitHub shows at its place.
pub fn annotations(run: &TestRun) -> String {
    let mut text = String::new();
    for error in run.files.iter().flat_map(|file| &file.errors) {
        let part = |path: &str| error.pointer(path).and_then(serde_json::Value::as_str).unwrap_or_default();
        let number = |path: &str| error.pointer(path).and_then(serde_json::Value::as_u64).unwrap_or(1);
        let (line, column) = (number("/start/line"), number("/start/column"));
        let (file, code, message) =
            (property(part("/file")), property(part("/code")), escaped(part("/message")));
        text.push_str(&format!("::error file={file},line={line},col={column},title={code}::{message}\n"));
    }
    for test in run.files.iter().flat_map(|file| &file.tests) {
        for failure in &test.failures {
            let place = failure.place.as_ref().map_or_else(String::new, |place| {
                let (start, file) = (place.start, property(&place.file));
                format!("file={file},line={},col={},", start.line, start.column)
            });
            let (title, message) = (property(&test.id), escaped(&failure.message));
            text.push_str(&format!("::error {place}title={title}::{message}\n"));
        }
    }
    text
}
