//! Compares what a runner produced with what its case expects.

use similar::TextDiff;

use crate::assertion::check_diagnostics;
use crate::document::{Case, Expectation, SpecError};
use crate::outcome::CaseOutput;

/// Returns everything in which an outcome differs from its case; nothing means that the case holds.
///
/// Text is compared exactly, except that newlines at the end do not count: a fenced block always ends with one.
pub fn judge(case: &Case, outcome: &CaseOutput) -> Vec<SpecError> {
    if let Some(error) = &outcome.error {
        return vec![SpecError::new(case.line, error.clone())];
    }
    if case.expectations.is_empty() && outcome.diagnostics.is_none() {
        let message =
            "nothing is expected: the runner makes no diagnostics and the section has no output block";
        return vec![SpecError::new(case.line, message)];
    }
    let mut problems: Vec<SpecError> =
        case.expectations.iter().filter_map(|expectation| compare(expectation, outcome)).collect();
    problems.extend(check_diagnostics(case, outcome.diagnostics.as_deref().unwrap_or_default()));
    problems
}

/// The form in which texts are compared and written: one newline at the end, none if there is no text.
pub(crate) fn normalised(text: &str) -> String {
    match text.trim_end_matches('\n') {
        "" => String::new(),
        text => format!("{text}\n"),
    }
}

fn compare(expectation: &Expectation, outcome: &CaseOutput) -> Option<SpecError> {
    let Expectation { name, line, .. } = expectation;
    let Some(actual) = outcome.outputs.get(name) else {
        let made: Vec<String> = outcome.outputs.keys().map(|name| format!("`{name}`")).collect();
        let made = if made.is_empty() { "none".to_owned() } else { made.join(", ") };
        return Some(SpecError::new(
            *line,
            format!("the runner makes no output `{name}`; its outputs: {made}"),
        ));
    };
    let (expected, actual) = (normalised(&expectation.text), normalised(actual));
    if expected == actual {
        return None;
    }
    let diff = TextDiff::from_lines(&expected, &actual);
    let diff = diff.unified_diff().context_radius(3).header("expected", "actual").to_string();
    Some(SpecError::new(*line, format!("output `{name}` differs\n{}", diff.trim_end_matches('\n'))))
}
