//! The last line of a run: how many findings there were.

use std::collections::BTreeSet;
use std::fmt;

use crate::{Diagnostic, Severity};

/// How many findings of each severity, and in how many files.
///
/// Prints as `2 errors, 1 warning in 3 files`, and as `no problems found` when there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Findings that prevent a result.
    pub errors: usize,
    /// Findings that are probably mistakes.
    pub warnings: usize,
    /// Findings that are neither: what a reader may want to know.
    pub infos: usize,
    /// Files with at least one finding.
    pub files: usize,
}

impl Summary {
    /// Counts diagnostics by severity.
    pub fn of<'d>(diagnostics: impl IntoIterator<Item = &'d Diagnostic>) -> Summary {
        let mut summary = Summary::default();
        let mut files = BTreeSet::new();
        for found in diagnostics {
            *match found.severity {
                Severity::Error => &mut summary.errors,
                Severity::Warning => &mut summary.warnings,
                Severity::Info => &mut summary.infos,
            } += 1;
            files.extend(found.primary.map(|span| span.file));
        }
        summary.files = files.len();
        summary
    }
}

impl std::ops::AddAssign for Summary {
    /// Adds the counts of other files.
    fn add_assign(&mut self, other: Summary) {
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.infos += other.infos;
        self.files += other.files;
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [(self.errors, "error"), (self.warnings, "warning"), (self.infos, "info")];
        let mut separator = "";
        for (count, noun) in counts.into_iter().filter(|(count, _)| *count > 0) {
            write!(f, "{separator}{count} {noun}{}", plural(count))?;
            separator = ", ";
        }
        if separator.is_empty() {
            return f.write_str("no problems found");
        }
        if self.files > 0 {
            write!(f, " in {} file{}", self.files, plural(self.files))?;
        }
        Ok(())
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileId, Span};

    /// Findings as `severity` or `severity@file`, separated by blanks.
    #[track_caller]
    fn check(findings: &str, expect: &str) {
        let diagnostics: Vec<_> = findings
            .split_whitespace()
            .map(|finding| {
                let (severity, file) = finding.split_once('@').unwrap_or((finding, ""));
                let found = match severity {
                    "error" => Diagnostic::error("C", "m"),
                    "warning" => Diagnostic::warning("C", "m"),
                    _ => Diagnostic::info("C", "m"),
                };
                match file.parse() {
                    Ok(file) => found.at(Span::empty(FileId(file), 0)),
                    Err(_) => found,
                }
            })
            .collect();
        assert_eq!(Summary::of(&diagnostics).to_string(), expect);
    }

    #[test]
    fn counts_agree_with_their_nouns() {
        check("error@0 error@1 warning@2", "2 errors, 1 warning in 3 files");
        check("warning@0 warning@0 info@0", "2 warnings, 1 info in 1 file");
        check("info info", "2 infos");
        check("error", "1 error");
        check("", "no problems found");
    }
}
