//! The executor of Tendon's own validator, on the bytes of messages.

use thrift::model::{Config, LoadConfig, MemoryLoader, load, resolve};
use thrift::rules::{Functions, RuleConfig};
use thrift::validate::{Rejection, ValidateConfig, Validator, Want};
use thrift::{Diagnostic, FileId, base64};

use crate::cases::apply;
use crate::protocol::{Answer, AnswerVerdict, Request};
use crate::suite::protocol;

/// Answers a request; `now` is the time, in nanoseconds since 1970.
pub fn answer(request: &Request, now: i64) -> Answer {
    judge(request, now).unwrap_or_else(|unanswered| {
        let (verdict, message) = match unanswered {
            Unanswered::Refused(message) => (AnswerVerdict::Refused, message),
            Unanswered::Unsupported(message) => (AnswerVerdict::Unsupported, message),
            Unanswered::Error(message) => (AnswerVerdict::Error, message),
        };
        Answer { message: Some(message), ..Answer::new(&request.case, verdict) }
    })
}

/// Why there is no verdict on a message.
enum Unanswered {
    Refused(String),
    Unsupported(String),
    Error(String),
}

fn judge(request: &Request, now: i64) -> Result<Answer, Unanswered> {
    let mut config = RuleConfig::default();
    for (key, value) in &request.options {
        if !apply(&mut config, key, value) {
            return Err(Unanswered::Unsupported(format!("no option `{key}={value}`")));
        }
    }
    let functions = Functions::at(now);
    let mut loader = MemoryLoader::default().file("case.thrift", &request.idl);
    let (program, mut found) =
        load("case.thrift", &mut loader, &LoadConfig::default()).map_err(Unanswered::Error)?;
    let (model, more) = resolve(&program, &Config::default());
    found.extend(more);
    // What rules mean is asked, not what readers make of bytes.
    let (validator, more) = Validator::new(&model, &config, ValidateConfig::lenient(), &functions);
    found.extend(more);
    if let Some(error) = found.iter().find(|it| it.is_error()) {
        return Err(Unanswered::Refused(shown(error)));
    }
    let validator = validator.ok_or_else(|| Unanswered::Error("there is no validator".to_owned()))?;
    let (Some(ty), Some(message)) = (&request.ty, &request.message) else {
        return Ok(Answer::new(&request.case, AnswerVerdict::Valid));
    };
    let structs = model.structs.iter().zip((0u32..).map(thrift::model::StructId));
    let mut structs = structs.filter(|(it, _)| it.file == FileId(0) && it.name.text == *ty);
    let (_, id) = structs.next().ok_or_else(|| Unanswered::Error(format!("there is no type `{ty}`")))?;
    let protocol = protocol(&request.protocol)
        .ok_or_else(|| Unanswered::Unsupported(format!("no protocol `{}`", request.protocol)))?;
    let bytes = base64::decode(message.as_bytes())
        .ok_or_else(|| Unanswered::Error("the message is not base64".to_owned()))?;
    let case = request.case.as_str();
    Ok(match validator.validate(id, protocol, &bytes, &functions, Want::First) {
        Ok(_) => Answer::new(case, AnswerVerdict::Valid),
        Err(Rejection::MissingField { field, .. }) => {
            Answer { path: Some(field.into()), ..Answer::new(case, AnswerVerdict::Missing) }
        }
        Err(Rejection::Rules(violations)) => match violations.into_iter().next() {
            Some(first) => Answer {
                message: Some(first.message()),
                path: Some(first.path.dotted(ty)),
                rule: Some(first.rule.into()),
                ..Answer::new(case, AnswerVerdict::Invalid)
            },
            None => Answer::new(case, AnswerVerdict::Invalid),
        },
        Err(other @ Rejection::Form(_)) => return Err(Unanswered::Error(other.to_string())),
        Err(Rejection::Wire(error)) => return Err(Unanswered::Error(error.to_string())),
    })
}

fn shown(diagnostic: &Diagnostic) -> String {
    format!("{} ({})", diagnostic.message, diagnostic.code)
}
