//! What the compiler says about a file.

use std::borrow::Cow;

pub use diagnostics::Severity;
use syntax::Span;

/// One finding about one file. Codes, severities and places are the public compiler's; the sentences are our own. The
/// rows of [`crate::codes`] make them.
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
    /// What to do about it, where the compiler knows.
    pub hint: Option<Cow<'static, str>>,
}

impl Finding {
    /// The message and the hint in one sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        sentence(&self.message, self.hint.as_deref())
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
    /// What to do about it, where the compiler knows.
    pub hint: Option<Cow<'static, str>>,
}

impl Fault {
    /// The message and the hint in one sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        sentence(&self.message, self.hint.as_deref())
    }

    /// Puts the fault at a place, as an error.
    #[must_use]
    pub fn at(&self, span: Span) -> Finding {
        Finding {
            span,
            code: self.code,
            severity: Severity::Error,
            message: self.message.clone(),
            hint: self.hint.clone(),
        }
    }
}

fn sentence(message: &str, hint: Option<&str>) -> String {
    match hint {
        Some(hint) => format!("{message}; {hint}"),
        None => message.to_owned(),
    }
}
