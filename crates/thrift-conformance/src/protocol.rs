//! What is said between the suite and an executor: one JSON object per line.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::cases::ExpectedVerdict;

/// What an executor is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The name of the request, which the answer repeats: `B04/2`, or `B20` where the IDL itself is in question.
    pub case: String,
    /// The text of the IDL.
    pub idl: String,
    /// What changes the meaning of the rules: `pattern`, `compat`, `elements`. Empty for most cases.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// The struct that the message is; none if the question is only whether the IDL can be used.
    #[serde(default, rename = "type")]
    pub ty: Option<String>,
    /// `binary`, `compact` or `json`.
    pub protocol: String,
    /// The message, one bare struct, in base64.
    #[serde(default)]
    pub message: Option<String>,
    /// The same value as plain JSON, for executors that read no messages.
    #[serde(default)]
    pub value: Option<serde_json::Value>,
}

/// What an executor answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExecutorAnswer {
    /// The name of the request.
    pub case: String,
    /// Whether the value is valid.
    pub verdict: AnswerVerdict,
    /// The first broken rule, as the IDL spells it: `vt.elem.gt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Where the value is, or which field is missing: `S.items[3].price`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Anything else, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What can be said of a message and its IDL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerVerdict {
    /// No rule is broken; of an IDL alone, that it can be used.
    Valid,
    /// A rule is broken.
    Invalid,
    /// A required field is absent.
    Missing,
    /// The IDL has mistakes.
    Refused,
    /// The executor cannot be asked this.
    Unsupported,
    /// The validator failed: it crashed, or its code does not compile.
    Error,
}

impl AnswerVerdict {
    /// The verdict as it is written.
    pub fn name(self) -> &'static str {
        match self {
            AnswerVerdict::Valid => "valid",
            AnswerVerdict::Invalid => "invalid",
            AnswerVerdict::Missing => "missing",
            AnswerVerdict::Refused => "refused",
            AnswerVerdict::Unsupported => "unsupported",
            AnswerVerdict::Error => "error",
        }
    }
}

impl ExecutorAnswer {
    /// An answer with nothing but a verdict.
    pub fn new(case: &str, verdict: AnswerVerdict) -> ExecutorAnswer {
        ExecutorAnswer { case: case.to_owned(), verdict, rule: None, path: None, message: None }
    }

    /// The answer that a case expects of a value.
    pub fn of(case: &str, verdict: &ExpectedVerdict) -> ExecutorAnswer {
        match verdict {
            ExpectedVerdict::Valid => ExecutorAnswer::new(case, AnswerVerdict::Valid),
            ExpectedVerdict::Breaks { rule, path } => ExecutorAnswer {
                rule: Some(rule.clone()),
                path: Some(path.clone()),
                ..ExecutorAnswer::new(case, AnswerVerdict::Invalid)
            },
            ExpectedVerdict::Missing(field) => ExecutorAnswer {
                path: Some(field.clone()),
                ..ExecutorAnswer::new(case, AnswerVerdict::Missing)
            },
        }
    }
}
