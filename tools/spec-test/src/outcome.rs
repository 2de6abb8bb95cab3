//! What a runner hands back for one case.

use std::collections::BTreeMap;
use std::fmt;

/// The result of running one case: named outputs, and diagnostics if the runner makes any.
#[derive(Debug, Default)]
pub struct CaseOutput {
    pub(crate) outputs: BTreeMap<String, String>,
    pub(crate) diagnostics: Option<Vec<CaseDiagnostic>>,
    pub(crate) error: Option<String>,
}

impl CaseOutput {
    /// Makes an outcome without outputs and without diagnostics.
    pub fn new() -> CaseOutput {
        CaseOutput::default()
    }

    /// Makes the outcome of a case that could not be run, for instance because a file is missing.
    pub fn error(message: impl Into<String>) -> CaseOutput {
        CaseOutput { error: Some(message.into()), ..CaseOutput::default() }
    }

    /// Adds an output; one that the case does not expect is left aside.
    #[must_use]
    pub fn output(mut self, name: impl Into<String>, text: impl Into<String>) -> CaseOutput {
        self.outputs.insert(name.into(), text.into());
        self
    }

    /// Adds diagnostics, each of which an assertion in the case's files must name. An empty list says that the
    /// runner looked and found nothing, which is a result too.
    #[must_use]
    pub fn diagnostics(mut self, diagnostics: impl IntoIterator<Item = CaseDiagnostic>) -> CaseOutput {
        self.diagnostics.get_or_insert_default().extend(diagnostics);
        self
    }
}

/// One finding of a runner in one of the case's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseDiagnostic {
    /// The name of the file.
    pub file: String,
    /// The line in the file, counted from one.
    pub line: usize,
    /// The column in the line, counted from one, where the runner knows it.
    pub column: Option<usize>,
    /// How grave it is.
    pub severity: Severity,
    /// The code, as written between the brackets of an assertion.
    pub code: String,
    /// The message, a part of which an assertion may quote.
    pub message: String,
}

impl fmt::Display for CaseDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.severity.word())?;
        if let Some(column) = self.column {
            write!(f, "{column} ")?;
        }
        write!(f, "[{}] {:?}", self.code, self.message)
    }
}

/// How grave a diagnostic is; the word opens an assertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// `error`
    Error,
    /// `warning`
    Warning,
    /// `info`
    Info,
    /// `hint`
    Hint,
}

impl Severity {
    /// Every severity, gravest first.
    pub const ALL: [Severity; 4] = [Severity::Error, Severity::Warning, Severity::Info, Severity::Hint];

    /// Returns the word that stands for the severity in assertions.
    pub const fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
            Severity::Hint => "hint",
        }
    }
}
