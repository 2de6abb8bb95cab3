//! Why a resource is refused, as the errors of a deployment. No value is in them: it may be a secret of the template.

use arm::Value;
use contract::{PathStep, Violation};
use engine::Failure;

use crate::complete::Incomplete;
use crate::registry::RegistryError;
use crate::well_formed::{DUPLICATE_MEMBER, NUMBER_RANGE};

/// The code for resources that break their schema.
const CONTENT: &str = "InvalidRequestContent";

/// A type of Radius in a template that says nothing of Radius: nobody would check it.
pub(super) fn without_extension(kind: &str) -> Failure {
    let message = format!(
        "`{kind}` is a type of Radius, and the resource is none of an extension; declare it with `extension radius`"
    );
    Failure::new("InvalidTemplate", message)
}

/// The registry cannot say what the type is, or does not have what was named.
pub(super) fn refused(error: &RegistryError) -> Failure {
    let code = match error {
        RegistryError::Name(_) => "BadRequest",
        RegistryError::Missing(_) => "NotFound",
        RegistryError::TooLarge(_) => "RequestEntityTooLarge",
        RegistryError::Store(_) | RegistryError::Unwritten(_) => engine::provider::UNAVAILABLE,
        RegistryError::Precondition(_) => "PreconditionFailed",
        RegistryError::Version(_) => "InvalidApiVersionParameter",
        RegistryError::Manifest(_)
        | RegistryError::Resource(_)
        | RegistryError::Request(_)
        | RegistryError::InUse { .. }
        | RegistryError::Breaks { .. }
        | RegistryError::Busy
        | RegistryError::Seal(_)
        | RegistryError::Damaged(_) => "InternalServerError",
    };
    Failure::new(code, error.to_string())
}

/// A resource is not let in.
pub(super) fn incomplete(wanted: &str, resource: &Value, why: &Incomplete) -> Failure {
    let message = format!("the resource breaks the schema of `{wanted}`");
    told(CONTENT, message, wanted, resource, why)
}

/// What came back for a resource is not let in.
pub(super) fn incomplete_answer(wanted: &str, state: &Value, why: &Incomplete) -> Failure {
    let message = format!("what the provider made of the resource breaks the schema of `{wanted}`");
    told("InvalidResponseContent", message, wanted, state, why)
}

fn told(code: &str, message: String, wanted: &str, resource: &Value, why: &Incomplete) -> Failure {
    match why {
        Incomplete::Unusable => {
            Failure::new("InvalidSchema", format!("the schema of `{wanted}` cannot be used"))
        }
        Incomplete::Broken(violations) => {
            let details = violations.iter().map(|it| detail(code, resource, it));
            Failure::new(code, message).because(details.collect())
        }
        Incomplete::Unknown(paths) => {
            let details = paths.iter().map(|path| {
                Failure::new(code, format!("{path}: the value is not known")).target(path.pointer())
            });
            Failure::new(code, message).because(details.collect())
        }
    }
}

/// A resource breaks its schema.
pub(super) fn broken(wanted: &str, resource: &Value, violations: &[Violation]) -> Failure {
    let message = format!("the resource breaks the schema of `{wanted}`");
    Failure::new(CONTENT, message)
        .because(violations.iter().map(|it| detail(CONTENT, resource, it)).collect())
}

/// One broken rule. Of what is inside a secret of the template, only the rule is told.
fn detail(code: &str, resource: &Value, violation: &Violation) -> Failure {
    let mut value = Some(resource);
    let mut shown = violation.path.clone();
    for (at, step) in violation.path.steps.iter().enumerate() {
        if value.is_some_and(Value::is_secret) {
            shown.steps.truncate(at);
            break;
        }
        value = match (value.map(Value::plain), step) {
            (Some(Value::Object(members)), PathStep::Name(name)) => members.get(name),
            (Some(Value::Object(members)), PathStep::Entry(contract::Constant::Text(name))) => {
                members.get(name)
            }
            (Some(Value::Array(items)), PathStep::Index(index)) => items.items().get(*index),
            _ => None,
        };
    }
    let is_secret = shown.steps.len() < violation.path.steps.len() || value.is_some_and(Value::is_secret);
    let text = if is_secret {
        format!("{shown}: the secure value breaks the rule `{}`", violation.rule)
    } else {
        format!("{shown}: {}", violation.message())
    };
    // What is wrong whatever the schema says has a code of its own.
    let code = match violation.code {
        DUPLICATE_MEMBER => DUPLICATE_MEMBER,
        NUMBER_RANGE => NUMBER_RANGE,
        _ => code,
    };
    Failure::new(code, text).target(shown.pointer())
}
