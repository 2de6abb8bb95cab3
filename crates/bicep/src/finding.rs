//! What the compiler says about a file.

use std::borrow::Cow;

pub use diagnostics::Severity;
use syntax::Span;

/// One finding about one file. Codes, severities and places are the reference compiler's; the sentences are our own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Where, in bytes of the file.
    pub span: Span,
    /// The code that people search for.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong: a fragment, user text in backticks.
    pub message: Cow<'static, str>,
}

impl Finding {
    /// Makes an error.
    pub fn error(span: Span, code: &'static str, message: impl Into<Cow<'static, str>>) -> Finding {
        Finding { span, code, severity: Severity::Error, message: message.into() }
    }

    /// Makes a warning.
    pub fn warning(span: Span, code: &'static str, message: impl Into<Cow<'static, str>>) -> Finding {
        Finding { span, code, severity: Severity::Warning, message: message.into() }
    }

    /// Makes an information.
    pub fn info(span: Span, code: &'static str, message: impl Into<Cow<'static, str>>) -> Finding {
        Finding { span, code, severity: Severity::Info, message: message.into() }
    }

    /// Tells whether the finding keeps a result from being made.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// What is wrong with something that has no place of its own, such as a reference: a code and a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The code that people search for.
    pub code: &'static str,
    /// What is wrong.
    pub message: Cow<'static, str>,
}

impl Fault {
    /// Makes a fault.
    pub fn new(code: &'static str, message: impl Into<Cow<'static, str>>) -> Fault {
        Fault { code, message: message.into() }
    }

    /// Puts the fault at a place, as an error.
    #[must_use]
    pub fn at(&self, span: Span) -> Finding {
        Finding { span, code: self.code, severity: Severity::Error, message: self.message.clone() }
    }
}
