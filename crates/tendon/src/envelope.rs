//! The texts that the JSON form of every command is made of.

use diagnostics::json::JsonDiagnostic;
use diagnostics::{Diagnostic, SourceMap};

use crate::exit::CommandError;

/// Findings as the JSON form of every command has them.
pub(crate) fn json_findings(
    sources: &SourceMap,
    findings: &[Diagnostic],
) -> Result<Vec<String>, CommandError> {
    let text = |finding| serde_json::to_string_pretty(&JsonDiagnostic::new(sources, finding));
    findings
        .iter()
        .map(text)
        .collect::<Result<_, _>>()
        .map_err(|_| CommandError::Environment("a finding cannot be put into text".to_owned()))
}

/// A text of JSON as a part of a larger one. No string of JSON has a line break in it, so that lines can be indented as they are.
pub(crate) fn indented(text: &str, by: &str) -> String {
    text.trim_end().replace('\n', &format!("\n{by}"))
}
