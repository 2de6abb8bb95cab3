//! What is wrong with a template, its parameters or its deployment, as the REST API says it.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use diagnostics::Message;
use diagnostics::bound::{self, Allowance};

use crate::hash;
use crate::value::{ObjectBuilder, Value};

/// Codes of errors that the engine gives by itself.
pub mod code {
    /// The template, its parameters or its graph is wrong.
    pub const INVALID_TEMPLATE: &str = "InvalidTemplate";
    /// The template is fine, its resources are not.
    pub const INVALID_TEMPLATE_DEPLOYMENT: &str = "InvalidTemplateDeployment";
    /// The deployment cannot be made as it is called.
    pub const INVALID_DEPLOYMENT: &str = "InvalidDeployment";
    /// The request cannot be read.
    pub const INVALID_REQUEST_CONTENT: &str = "InvalidRequestContent";
    /// An entry of the parameters has no value, or more than one.
    pub const INVALID_PARAMETER_VALUE: &str = "InvalidDeploymentParameterValue";
    /// A parameter has no usable name.
    pub const INVALID_PARAMETER_KEY: &str = "InvalidDeploymentParameterKey";
    /// An external input is used and not there.
    pub const EXTERNAL_INPUT_MISSING: &str = "ExternalInputMissing";
    /// A validator of the template is wrong itself.
    pub const TEMPLATE_VALIDATION: &str = "TemplateValidationException";
    /// A member is there twice: names do not depend on case.
    pub const DUPLICATE_MEMBER: &str = "DuplicateMember";
    /// It would take more memory or work than it may.
    pub const BUDGET_EXCEEDED: &str = "BudgetExceeded";
    /// The process has no memory left for it at the moment.
    pub const TOO_MANY_REQUESTS: &str = "TooManyRequests";
    /// An output could not be made.
    pub const OUTPUT_EVALUATION_FAILED: &str = "DeploymentOutputEvaluationFailed";
}

/// One error, with the errors that it consists of.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateError {
    /// What kind of error it is, for programs.
    pub code: Cow<'static, str>,
    /// What is wrong, for people, as the REST API says it.
    pub message: Message,
    /// The bytes of the message that name a place.
    pub(crate) place: Range<u32>,
    /// What the error is about: a path in a value, or the id of a resource.
    pub target: Option<Box<str>>,
    /// Where the cause stands: in the template, or in the values that were given.
    pub at: Option<Box<ErrorLocation>>,
    /// Where the rule stands that a value breaks.
    pub rule: Option<Box<ErrorLocation>>,
    /// What to do about it, where that is known.
    pub hint: Option<Box<str>>,
    /// The errors behind this one.
    pub details: Box<[TemplateError]>,
}

/// A place in a text, with what the REST API says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorLocation {
    /// The file, as whoever read it numbered it, and the bytes in it.
    pub span: diagnostics::Span,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// The way from the root of the template or file: `parameters.name.type`.
    pub path: String,
}

impl TemplateError {
    /// An error with nothing known but what it is.
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<Message>) -> TemplateError {
        TemplateError {
            code: code.into(),
            message: message.into(),
            place: 0..0,
            target: None,
            at: None,
            rule: None,
            hint: None,
            details: Box::default(),
        }
    }

    /// An error of the template.
    pub fn invalid_template(message: impl Into<Message>) -> TemplateError {
        TemplateError::new(code::INVALID_TEMPLATE, message)
    }

    /// An error whose message names a line and a column, as the REST API does, between two parts of a sentence.
    pub fn placed(
        code: impl Into<Cow<'static, str>>,
        before: &str,
        (line, column): (u32, u32),
        behind: Message,
    ) -> TemplateError {
        let before_and_place = format!("{before} at line '{line}' and column '{column}'");
        let end = before_and_place.len();
        let message = behind.behind(&before_and_place);
        let place = u32::try_from(before.len()).unwrap_or(0)..u32::try_from(end).unwrap_or(0);
        TemplateError { place, ..TemplateError::new(code, message) }
    }

    /// What is wrong as a fragment, for those who show the place itself: it may be another than that of a compiled template.
    pub fn brief(&self) -> Cow<'_, str> {
        let Range { start, end } = self.place;
        let message = self.message.fragment();
        let parts = message.get(..start as usize).zip(message.get(end as usize..));
        match parts.filter(|_| start < end) {
            Some((before, behind)) => Cow::Owned(format!("{before}{behind}")),
            None => Cow::Borrowed(message),
        }
    }

    /// Says where it is.
    #[must_use]
    pub fn at(mut self, location: ErrorLocation) -> TemplateError {
        self.at = Some(Box::new(location));
        self
    }

    /// Says what it is about.
    #[must_use]
    pub fn target(mut self, target: impl Into<String>) -> TemplateError {
        self.target = Some(target.into().into());
        self
    }

    /// Says what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> TemplateError {
        self.hint = Some(hint.into().into());
        self
    }

    /// Adds what is behind it.
    #[must_use]
    pub fn details(mut self, details: Vec<TemplateError>) -> TemplateError {
        self.details = details.into();
        self
    }

    /// One error for all that is wrong with a template, as a service answers it; none if nothing is.
    pub fn together(errors: Vec<TemplateError>) -> Option<TemplateError> {
        const START: &str = "Deployment template validation failed: '";
        let first = errors.first()?;
        let message = Message::sentence(format!("{START}{}'", first.message));
        let (at, target) = (first.at.clone(), first.target.clone());
        let shift = u32::try_from(START.len()).unwrap_or(0);
        let place = first.place.start + shift..first.place.end + shift;
        let of_validator = first.code == code::TEMPLATE_VALIDATION;
        let code = if of_validator { code::INVALID_TEMPLATE.into() } else { first.code.clone() };
        // A single error without details says all in its message.
        let alone = errors.len() == 1 && target.is_none() && first.details.is_empty() && !of_validator;
        let details = if alone { Vec::new() } else { errors };
        Some(TemplateError {
            code,
            message,
            place,
            target: None,
            at,
            rule: None,
            hint: None,
            details: details.into(),
        })
    }

    /// The error as the REST API writes it, without the member `error` around it. Of what is long, or too much, only a part is there.
    pub fn to_json(&self) -> Value {
        self.to_json_within(&mut Allowance::default())
    }

    /// How long its own texts are where they are written.
    fn length(&self) -> usize {
        let target = self.target.as_deref().map_or(0, |target| bound::name(target).len());
        let path = self.at.as_deref().map_or(0, |at| bound::name(&at.path).len());
        bound::message(&self.message).len() + target + path
    }

    fn to_json_within(&self, allowance: &mut Allowance) -> Value {
        let mut error = ObjectBuilder::default();
        error.set("code".into(), Value::text(self.code.as_ref()));
        error.set("message".into(), Value::text(bound::message(&self.message).as_ref()));
        if let Some(target) = &self.target {
            error.set("target".into(), Value::text(bound::name(target).as_ref()));
        }
        if !self.details.is_empty() {
            let mut details = Vec::new();
            for detail in &self.details {
                if !allowance.take(detail.length()) {
                    break;
                }
                details.push(detail.to_json_within(allowance));
            }
            error.set("details".into(), Value::array(details));
        }
        if let Some(at) = &self.at {
            let violation = Value::object([("type", "TemplateViolation".into()), ("info", at.to_json())]);
            error.set("additionalInfo".into(), Value::array(vec![violation]));
        }
        error.finish()
    }
}

impl ErrorLocation {
    fn to_json(&self) -> Value {
        Value::object([
            ("lineNumber", Value::Int(self.line.into())),
            ("linePosition", Value::Int(self.column.into())),
            ("path", Value::text(bound::name(&self.path).as_ref())),
        ])
    }
}

/// Writes `code: message (line, column)`.
impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)?;
        match &self.at {
            Some(at) => write!(f, " ({}, {})", at.line, at.column),
            None => Ok(()),
        }
    }
}

impl std::error::Error for TemplateError {}

/// How much of a name an error shows.
const SHOWN: usize = 200;

/// A name as errors show it: a long one is cut, with its length and what tells it apart.
pub(crate) fn brief(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(SHOWN) {
        None => Cow::Borrowed(name),
        Some((end, _)) => {
            let start = name.get(..end).unwrap_or_default();
            Cow::Owned(format!("{start}… ({} bytes, {})", name.len(), hash::guid([name])))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_the_shape_of_the_rest_api() {
        let span = diagnostics::Span::new(diagnostics::FileId::FIRST, 7, 9);
        let location = ErrorLocation { span, line: 2, column: 5, path: "parameters.a".to_owned() };
        let error = TemplateError::invalid_template("wrong").target("a").at(location);
        assert_eq!(
            error.to_json().to_json(),
            r#"{"code":"InvalidTemplate","message":"wrong","target":"a","additionalInfo":[{"type":"TemplateViolation","info":{"lineNumber":2,"linePosition":5,"path":"parameters.a"}}]}"#
        );
        assert_eq!(error.to_string(), "InvalidTemplate: wrong (2, 5)");
        let all = TemplateError::together(vec![error.clone(), TemplateError::new("Other", "too")]).unwrap();
        assert_eq!(all.message, "Deployment template validation failed: 'wrong'.");
        assert_eq!((all.details.len(), &all.at), (2, &error.at));
        assert_eq!(TemplateError::together(vec![]), None);
    }

    #[test]
    fn a_long_name_is_shown_by_its_start() {
        assert_eq!(brief("name"), "name");
        let long = "n".repeat(1 << 20);
        let shown = brief(&long);
        assert!(shown.len() < 300 && shown.contains("1048576 bytes"), "{shown}");
        assert_ne!(shown, brief(&format!("{long}m")));
    }
}
