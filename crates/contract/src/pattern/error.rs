//! Why a pattern was refused, and where in its text.

use std::fmt;

/// A pattern that cannot be used, with the place in its text and, where there is one, a way out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternError {
    /// Byte offset into the pattern at which the trouble starts.
    pub offset: usize,
    /// What is wrong, as a fragment without a final period.
    pub message: String,
    /// What to write instead, when that can be said.
    pub hint: Option<String>,
}

impl PatternError {
    pub(super) fn new(offset: usize, message: impl Into<String>) -> Self {
        Self { offset, message: message.into(), hint: None }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at offset {}", self.message, self.offset)?;
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for PatternError {}
