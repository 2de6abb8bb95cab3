//! Why a message was refused, for logs, counters and the answer.

use contract::{Path, Violation};

use crate::validate::{FormError, Rejection};
use crate::wire::{ExceptionKind, WireError};

/// The sort of mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// A rule of the contract is broken, a required field is not there, or readers would not agree about the message.
    Contract,
    /// The bytes are no message.
    Protocol,
    /// The IDL has no such function.
    UnknownMethod,
    /// The message is not a call.
    NoCall,
}

/// Why a message was refused. Values that the IDL marks as secret are masked.
#[derive(Clone, Debug, PartialEq)]
pub struct CallRejection {
    /// The sort of mistake.
    pub cause: Cause,
    /// The rule, as the IDL spells it; otherwise `required`, `type`, `duplicate`, `union`, `utf8`, `unknown_field`,
    /// `protocol`, `unknown_method`, `unknown_service`, `stream` or `message_type`.
    pub rule: Box<str>,
    /// The path of the value, if it is about a value.
    pub path: Option<String>,
    /// What is wrong, in words: what the client is told.
    pub message: String,
}

impl CallRejection {
    /// From what the validator says.
    #[cold]
    pub(super) fn rejected(function: &str, rejection: &Rejection) -> CallRejection {
        match rejection {
            Rejection::Wire(error) => CallRejection::broken(*error),
            Rejection::MissingField { path, .. } => {
                let path = shown_path(path);
                CallRejection {
                    cause: Cause::Contract,
                    rule: "required".into(),
                    message: format!("{function}: {path}: the required field is missing (required)"),
                    path: Some(path),
                }
            }
            Rejection::Form(FormError { path, problem, .. }) => {
                let (path, rule) = (shown_path(path), problem.rule());
                CallRejection {
                    cause: Cause::Contract,
                    rule: rule.into(),
                    message: format!("{function}: {path}: {problem} ({rule})"),
                    path: Some(path),
                }
            }
            Rejection::Rules(violations) => {
                let first = violations.first();
                CallRejection {
                    cause: Cause::Contract,
                    rule: first.map(|it| it.rule.clone()).unwrap_or_default(),
                    path: first.map(path),
                    message: format!("{function}: {}", describe_all(violations)),
                }
            }
        }
    }

    /// From bytes that are no message.
    pub(super) fn broken(error: WireError) -> CallRejection {
        CallRejection::protocol(error.to_string())
    }

    /// Bytes that are no message, in our own words.
    pub(super) fn protocol(message: String) -> CallRejection {
        CallRejection { cause: Cause::Protocol, rule: "protocol".into(), path: None, message }
    }

    /// A function that the IDL does not have.
    pub(super) fn unknown(message: String) -> CallRejection {
        CallRejection { cause: Cause::UnknownMethod, rule: "unknown_method".into(), path: None, message }
    }

    /// `Service:function` that no service of the IDL has.
    pub(super) fn unknown_service(message: String) -> CallRejection {
        CallRejection { rule: "unknown_service".into(), ..CallRejection::unknown(message) }
    }

    /// A stream, of which no message would be checked.
    pub(super) fn stream(function: &str) -> CallRejection {
        let message = format!("`{function}` is called as a stream, which does not pass");
        CallRejection { rule: "stream".into(), ..CallRejection::unknown(message) }
    }

    /// A message that is not a call.
    pub(super) fn no_call() -> CallRejection {
        let message = "the message is neither a call nor oneway".to_owned();
        CallRejection { cause: Cause::NoCall, rule: "message_type".into(), path: None, message }
    }

    /// A message of the server that is no reply.
    pub(super) fn no_reply(function: &str) -> CallRejection {
        let message = format!("{function}: the server sent a call in the place of a reply");
        CallRejection { cause: Cause::NoCall, rule: "message_type".into(), path: None, message }
    }

    pub(super) fn answered(function: &str) -> CallRejection {
        let message = format!("`{function}` has a reply, and the message is one-way");
        CallRejection { cause: Cause::NoCall, rule: "message_type".into(), path: None, message }
    }

    /// The kind of exception that says so; `chosen` is for broken contracts.
    pub(super) fn exception(&self, chosen: ExceptionKind) -> ExceptionKind {
        match self.cause {
            Cause::Contract => chosen,
            Cause::Protocol => ExceptionKind::ProtocolError,
            Cause::UnknownMethod => ExceptionKind::UnknownMethod,
            Cause::NoCall => ExceptionKind::InvalidMessageType,
        }
    }
}

/// No value is shown at greater length, in characters.
const MAX_SHOWN: usize = 120;
/// No more is said of all violations together, in bytes.
const MAX_SAID: usize = 4096;

/// The path of a value, from the arguments on.
fn path(violation: &Violation) -> String {
    shown_path(&violation.path)
}

/// The keys in it are the client's, who would otherwise say how much has to be kept and logged of a call that is refused.
fn shown_path(path: &Path) -> String {
    let path = path.short("$");
    match path.strip_prefix("$.").unwrap_or(&path) {
        long if long.len() > MAX_SAID / 2 => start(long, MAX_SAID / 2),
        short => short.to_owned(),
    }
}

/// The beginning of a text, in bytes.
fn start(text: &str, most: usize) -> String {
    format!("{}..", text.get(..text.floor_char_boundary(most)).unwrap_or_default())
}

/// As many violations as there is room for, and how many there are besides.
fn describe_all(violations: &[Violation]) -> String {
    let mut said = String::new();
    for (index, violation) in violations.iter().enumerate() {
        let text = describe(violation);
        if index > 0 && said.len() + text.len() > MAX_SAID {
            said.push_str(&format!("; and {} more", violations.len() - index));
            break;
        }
        if index > 0 {
            said.push_str("; ");
        }
        match text.len() > MAX_SAID {
            true => said.push_str(&start(&text, MAX_SAID)),
            false => said.push_str(&text),
        }
    }
    said
}

/// `request.count: must be at least 0, found -1 (vt.ge)`
fn describe(violation: &Violation) -> String {
    let Violation { rule, found, .. } = violation;
    let message = violation.message();
    let path = path(violation);
    match found.as_deref() {
        None => format!("{path}: {message} ({rule})"),
        Some(found) if found.chars().nth(MAX_SHOWN).is_none() => {
            format!("{path}: {message}, found {found} ({rule})")
        }
        Some(found) => {
            let found: String = found.chars().take(MAX_SHOWN).collect();
            format!("{path}: {message}, found {found}.. ({rule})")
        }
    }
}
