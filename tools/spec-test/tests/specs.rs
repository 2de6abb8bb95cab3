//! Runs the specification of the document format: each case holds a small document and says what becomes of it.
//!
//! The small documents are run by `shout`, a runner that prints `main.text` in capitals and finds fault with every
//! line that says `bad`.

use spec_test::{Case, CaseDiagnostic, CaseOutput, Document, Severity, judge, rewrite};

fn main() -> std::process::ExitCode {
    spec_test::main("resources/specs", explain)
}

/// Offers three outputs: `cases` lists the cases, `problems` says what does not hold, and `updated` is the document
/// after an update of all its cases.
fn explain(case: &Case) -> CaseOutput {
    let Some(file) = case.file("document.md") else { return CaseOutput::error("no file `document.md`") };
    let document = match Document::parse(&file.text) {
        Ok(document) => document,
        Err(problems) => return CaseOutput::new().output("problems", lines(&problems)),
    };
    let mut updated = file.text.clone();
    let mut problems = Vec::new();
    for inner in &document.cases {
        let outcome = shout(inner);
        problems.extend(judge(inner, &outcome));
        match rewrite(&updated, &inner.name, &outcome) {
            Ok(text) => updated = text,
            Err(problems) => return CaseOutput::error(lines(&problems)),
        }
    }
    CaseOutput::new()
        .output("cases", lines(document.cases.iter().map(describe)))
        .output("problems", lines(&problems))
        .output("updated", updated)
}

fn shout(case: &Case) -> CaseOutput {
    let mut faults = Vec::new();
    for file in &case.files {
        for (index, line) in file.text_without_assertions().lines().enumerate() {
            faults.extend(line.match_indices("bad").map(|(at, _)| CaseDiagnostic {
                file: file.name.clone(),
                line: index + 1,
                column: Some(at + 1),
                severity: Severity::Error,
                code: "no-bad".to_owned(),
                message: "the word `bad` is \"bad\"".to_owned(),
            }));
        }
    }
    let outcome = CaseOutput::new().diagnostics(faults);
    match case.file("main.text") {
        Some(file) => outcome.output("output", file.text.to_uppercase()),
        None => outcome,
    }
}

fn describe(case: &Case) -> String {
    let files =
        case.files.iter().map(|file| format!("{} ({}, line {})", file.name, file.language, file.line));
    let outputs = case.expectations.iter().map(|expectation| expectation.name.clone());
    format!("line {}: {}\n  files: {}\n  outputs: {}", case.line, case.name, listed(files), listed(outputs),)
}

fn listed(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    if items.is_empty() { "none".to_owned() } else { items.join(", ") }
}

fn lines<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|item| item.to_string() + "\n").collect()
}
