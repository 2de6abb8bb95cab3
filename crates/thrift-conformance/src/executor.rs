//! The executor of Tendon's own validator, on the bytes of messages.

use thrift::model::{Config, LoadConfig, MemoryLoader, load, resolve};
use thrift::rules::{Functions, RuleConfig};
use thrift::validate::{Rejection, ValidateConfig, Validator, Want};
use thrift::{Diagnostic, FileId, base64};

use crate::cases::apply;
use crate::protocol::{AnswerVerdict, ExecutorAnswer, Request};
use crate::suite::protocol;

/// Answers a request; `now` is the time, in nanoseconds since 1970.
pub fn answer(request: &Request, now: i64) -> ExecutorAnswer {
    judge(request, now).unwrap_or_else(|unanswered| {
        let (verdict, message) = match unanswered {
            ExecutorError::Refused(message) => (AnswerVerdict::Refused, message),
            ExecutorError::Unsupported(message) => (AnswerVerdict::Unsupported, message),
            ExecutorError::Error(message) => (AnswerVerdict::Error, message),
        };
        ExecutorAnswer { message: Some(message), ..ExecutorAnswer::new(&request.case, verdict) }
    })
}

/// Why there is no verdict on a message.
enum ExecutorError {
    Refused(String),
    Unsupported(String),
    Error(String),
}

fn judge(request: &Request, now: i64) -> Result<ExecutorAnswer, ExecutorError> {
    let mut config = RuleConfig::default();
    for (key, value) in &request.options {
        if !apply(&mut config, key, value) {
            return Err(ExecutorError::Unsupported(format!("no option `{key}={value}`")));
        }
    }
    let functions = Functions::at(now);
    let mut loader = MemoryLoader::default().file("case.thrift", &request.idl);
    let (program, mut found) =
        load("case.thrift", &mut loader, &LoadConfig::default()).map_err(ExecutorError::Error)?;
    let (model, more) = resolve(&program, &Config::default());
    found.extend(more);
    // What rules mean is asked, not what readers make of bytes.
    let (validator, more) = Validator::new(&model, &config, ValidateConfig::lenient(), &functions);
    found.extend(more);
    if let Some(error) = found.iter().find(|it| it.is_error()) {
        return Err(ExecutorError::Refused(shown(error)));
    }
    let validator = validator.ok_or_else(|| ExecutorError::Error("there is no validator".to_owned()))?;
    let (Some(ty), Some(message)) = (&request.ty, &request.message) else {
        return Ok(ExecutorAnswer::new(&request.case, AnswerVerdict::Valid));
    };
    let structs = model.structs.iter().zip((0u32..).map(thrift::model::StructId));
    let mut structs = structs.filter(|(it, _)| it.file == FileId(0) && it.name.text == *ty);
    let (_, id) = structs.next().ok_or_else(|| ExecutorError::Error(format!("there is no type `{ty}`")))?;
    let protocol = protocol(&request.protocol)
        .ok_or_else(|| ExecutorError::Unsupported(format!("no protocol `{}`", request.protocol)))?;
    let bytes = base64::decode(message.as_bytes())
        .ok_or_else(|| ExecutorError::Error("the message is not base64".to_owned()))?;
    let case = request.case.as_str();
    Ok(match validator.validate(id, protocol, &bytes, &functions, Want::First) {
        Ok(_) => ExecutorAnswer::new(case, AnswerVerdict::Valid),
        Err(Rejection::MissingField { field, .. }) => {
            ExecutorAnswer { path: Some(field.into()), ..ExecutorAnswer::new(case, AnswerVerdict::Missing) }
        }
        Err(Rejection::Rules(violations)) => match violations.into_iter().next() {
            Some(first) => ExecutorAnswer {
                message: Some(first.message()),
                path: Some(first.path.dotted(ty)),
                rule: Some(first.rule.into()),
                ..ExecutorAnswer::new(case, AnswerVerdict::Invalid)
            },
            None => ExecutorAnswer::new(case, AnswerVerdict::Invalid),
        },
        Err(other @ Rejection::Form(_)) => return Err(ExecutorError::Error(other.to_string())),
        Err(Rejection::Wire(error)) => return Err(ExecutorError::Error(error.to_string())),
    })
}

fn shown(diagnostic: &Diagnostic) -> String {
    format!("{} ({})", diagnostic.message, diagnostic.code)
}
