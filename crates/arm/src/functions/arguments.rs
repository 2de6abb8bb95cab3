//! The arguments of a call, taken as what a function wants them to be.

use smol_str::SmolStr;

use super::Function;
use crate::evaluate::{Cause, EvaluateError};
use crate::value::{Object, Value};

/// The most bytes of text that one call may make.
pub(super) const MAX_TEXT: usize = 16 << 20;
/// The most elements that one call may make.
pub(super) const MAX_ITEMS: usize = 1 << 20;

/// The arguments of a call; their number was checked before.
#[derive(Clone, Copy)]
pub(crate) struct Arguments<'a>(pub(crate) &'a [Value]);

/// Why a function has no result; the function's name is added by who called it.
#[derive(Debug)]
pub(crate) enum FunctionError {
    /// An argument is not what it should be.
    Argument(String),
    /// The result does not fit 64 bits.
    Overflow(String),
    /// The result is too large.
    TooLarge(String),
    /// Something that was evaluated on the way.
    Inner(EvaluateError),
}

impl FunctionError {
    pub(crate) fn of(self, function: &Function) -> EvaluateError {
        let name = SmolStr::new_static(function.name);
        let (cause, message) = match self {
            FunctionError::Argument(message) => (Cause::Argument(name), message),
            FunctionError::Overflow(message) => (Cause::Overflow(name), message),
            FunctionError::TooLarge(message) => (Cause::TooLarge, message),
            FunctionError::Inner(error) => return error,
        };
        EvaluateError::new(cause, format!("`{}`: {message}", function.name))
    }
}

impl From<EvaluateError> for FunctionError {
    fn from(error: EvaluateError) -> FunctionError {
        FunctionError::Inner(error)
    }
}

/// The kind of a value with its article, for messages.
pub(super) use crate::evaluate::{article, display_value};

impl<'a> Arguments<'a> {
    pub(super) fn all(self) -> &'a [Value] {
        self.0
    }

    pub(super) fn count(self) -> usize {
        self.0.len()
    }

    /// The argument at a position; null if it was left out.
    pub(super) fn value(self, at: usize) -> &'a Value {
        self.0.get(at).unwrap_or(&Value::Null)
    }

    pub(super) fn str_at(self, at: usize) -> Result<&'a str, FunctionError> {
        match self.value(at) {
            Value::Text(text) => Ok(text),
            other => Err(self.wrong(at, "a string", other)),
        }
    }

    /// The text at a position, if there is an argument.
    pub(super) fn optional_text(self, at: usize) -> Result<Option<&'a str>, FunctionError> {
        if at < self.count() { self.str_at(at).map(Some) } else { Ok(None) }
    }

    pub(super) fn int(self, at: usize) -> Result<i64, FunctionError> {
        match self.value(at) {
            Value::Int(value) => Ok(*value),
            other => Err(self.wrong(at, "an int", other)),
        }
    }

    pub(super) fn bool(self, at: usize) -> Result<bool, FunctionError> {
        match self.value(at) {
            Value::Bool(value) => Ok(*value),
            other => Err(self.wrong(at, "a bool", other)),
        }
    }

    pub(super) fn array(self, at: usize) -> Result<&'a [Value], FunctionError> {
        self.value(at).as_array().ok_or_else(|| self.wrong(at, "an array", self.value(at)))
    }

    pub(super) fn object(self, at: usize) -> Result<&'a Object, FunctionError> {
        self.value(at).as_object().ok_or_else(|| self.wrong(at, "an object", self.value(at)))
    }

    /// All arguments as text.
    pub(super) fn texts(self) -> Result<Vec<&'a str>, FunctionError> {
        (0..self.count()).map(|at| self.str_at(at)).collect()
    }

    /// Says that an argument should have been something else.
    #[cold]
    pub(super) fn wrong(self, at: usize, wanted: &str, found: &Value) -> FunctionError {
        FunctionError::Argument(format!("argument {} must be {wanted}, not {}", at + 1, article(found)))
    }
}

/// Text that must not grow beyond all bounds.
#[derive(Default)]
pub(super) struct Growing(String);

impl Growing {
    pub(super) fn push(&mut self, text: &str) -> Result<(), FunctionError> {
        if self.0.len() + text.len() > MAX_TEXT {
            return Err(too_long());
        }
        self.0.push_str(text);
        Ok(())
    }

    pub(super) fn finish(self) -> Value {
        Value::text(self.0)
    }
}

/// Says that a text would be too long.
pub(super) fn too_long() -> FunctionError {
    FunctionError::TooLarge(format!("the result is longer than {} MiB", MAX_TEXT >> 20))
}

/// Says that an array would be too long.
pub(super) fn too_many() -> FunctionError {
    FunctionError::TooLarge(format!("the result has more than {MAX_ITEMS} elements"))
}
