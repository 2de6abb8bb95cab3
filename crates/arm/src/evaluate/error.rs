//! Why an expression has no value.

use std::fmt;

use smol_str::SmolStr;

use crate::expression::ParseError;

/// Why an expression could not be evaluated.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.message)]
pub struct EvaluateError(Box<ErrorDetails>);

/// Behind a pointer, so that results stay small: evaluation recurses with them.
#[derive(Clone, PartialEq, Eq)]
struct ErrorDetails {
    cause: Cause,
    message: String,
    hidden: bool,
    /// Whether the message says in which variable it is.
    in_variable: bool,
}

/// The cause of an [`EvaluateError`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// There is no function of that name.
    UnknownFunction(SmolStr),
    /// The function exists, but not where the expression stands.
    NotAllowedHere(SmolStr),
    /// A call has too few or too many arguments.
    ArgumentCount(SmolStr),
    /// An argument is of the wrong kind, or has a value that the function cannot work with.
    Argument(SmolStr),
    /// The result does not fit 64 bits.
    Overflow(SmolStr),
    /// An object has no member of that name.
    MissingProperty(SmolStr),
    /// An array has no element at that index.
    OutOfBounds(i64),
    /// A value that is neither an object nor an array was asked for a part of it.
    NotIndexable,
    /// The template has no parameter of that name.
    MissingParameter(SmolStr),
    /// The template has no variable of that name.
    MissingVariable(SmolStr),
    /// The template itself called `fail`.
    Failed,
    /// The value depends on something that is not known.
    Unknown,
    /// What the expression asks for cannot be read at the moment.
    Unreadable,
    /// Expressions stand too deep inside each other.
    TooDeep,
    /// The result, or the work to get to it, is larger than allowed.
    TooLarge,
    /// The budget of the deployment or request does not pay for it.
    OverBudget,
    /// Somebody wants the work to stop.
    Canceled,
    /// An expression string cannot be read.
    Syntax,
}

impl Cause {
    /// Whether nothing else of the same deployment or request is evaluated after it: what is too large once is too large again.
    pub(crate) fn ends_everything(&self) -> bool {
        match self {
            Cause::TooLarge | Cause::OverBudget | Cause::Canceled => true,
            Cause::UnknownFunction(_)
            | Cause::NotAllowedHere(_)
            | Cause::ArgumentCount(_)
            | Cause::Argument(_)
            | Cause::Overflow(_)
            | Cause::MissingProperty(_)
            | Cause::OutOfBounds(_)
            | Cause::NotIndexable
            | Cause::MissingParameter(_)
            | Cause::MissingVariable(_)
            | Cause::Failed
            | Cause::Unknown
            | Cause::Unreadable
            | Cause::TooDeep
            | Cause::Syntax => false,
        }
    }
}

impl fmt::Debug for EvaluateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EvaluateError")
            .field("cause", self.cause())
            .field("message", &self.message())
            .finish()
    }
}

impl From<ParseError> for EvaluateError {
    fn from(error: ParseError) -> EvaluateError {
        let message = format!("the expression cannot be read: {error} (at offset {})", error.offset);
        EvaluateError::new(Cause::Syntax, message)
    }
}

impl EvaluateError {
    /// An error that hides nothing and is in no variable.
    pub fn new(cause: Cause, message: impl Into<String>) -> EvaluateError {
        EvaluateError(Box::new(ErrorDetails {
            cause,
            message: message.into(),
            hidden: false,
            in_variable: false,
        }))
    }

    /// What went wrong, for code that has to tell causes apart.
    pub fn cause(&self) -> &Cause {
        &self.0.cause
    }

    /// Marks an error that came from looking at secrets: what is known beside it must not be told either.
    pub(super) fn hidden(mut self) -> EvaluateError {
        self.0.hidden = true;
        self
    }

    /// Tells whether the error came from looking at secrets.
    pub(crate) fn is_hidden(&self) -> bool {
        self.0.hidden
    }

    /// Says in which variable it is: of variables that use each other, the innermost.
    pub(crate) fn in_variable(mut self, name: &str) -> EvaluateError {
        if !self.0.in_variable {
            self.0.message = format!("the variable `{name}` is not valid: {}", self.0.message);
            self.0.in_variable = true;
        }
        self
    }

    /// An error whose message names the variable.
    pub(crate) fn of_variable(cause: Cause, message: String) -> EvaluateError {
        let mut error = EvaluateError::new(cause, message);
        error.0.in_variable = true;
        error
    }

    /// What went wrong, for people.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The error for a parameter that the template does not declare.
    pub fn missing_parameter(name: &str) -> EvaluateError {
        let message = format!("the parameter `{name}` is not found");
        EvaluateError::new(Cause::MissingParameter(name.into()), message)
    }

    /// The error for a variable that the template does not declare.
    pub fn missing_variable(name: &str) -> EvaluateError {
        let message = format!("the variable `{name}` is not found");
        EvaluateError::of_variable(Cause::MissingVariable(name.into()), message)
    }

    /// The error for a function that has no meaning where the expression stands.
    pub fn not_allowed_here(function: &str) -> EvaluateError {
        let message = format!("the function `{function}` cannot be used here");
        EvaluateError::new(Cause::NotAllowedHere(function.into()), message)
    }
}
