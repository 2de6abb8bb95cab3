//! Why a part of a template has no Bicep form, and what is worth knowing about the result.

use std::fmt;

/// What keeps a template, or a part of it, from being written as Bicep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecompileError {
    /// Where it is in the template, as a JSON pointer; empty for the whole.
    pub path: String,
    /// What is wrong, as a fragment of a sentence.
    pub message: String,
}

/// The result of writing a part.
pub(crate) type Result<T, E = DecompileError> = std::result::Result<T, E>;

impl DecompileError {
    pub(crate) fn new(message: impl Into<String>) -> DecompileError {
        DecompileError { path: String::new(), message: message.into() }
    }

    /// The problem as seen from one level further out.
    pub(crate) fn under(mut self, step: &str) -> DecompileError {
        self.path = format!("/{}{}", step.replace('~', "~0").replace('/', "~1"), self.path);
        self
    }
}

impl fmt::Display for DecompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => f.write_str(&self.message),
            path => write!(f, "{path}: {}", self.message),
        }
    }
}

/// Adds where a problem is.
pub(crate) trait Under<T> {
    fn under(self, step: &str) -> Result<T>;
}

impl<T> Under<T> for Result<T> {
    fn under(self, step: &str) -> Result<T> {
        self.map_err(|problem| problem.under(step))
    }
}
