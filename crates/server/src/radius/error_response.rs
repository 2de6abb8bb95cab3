//! What refusals of the registry are to a client: a row for each kind, all problems in `details`.

use ::radius::registry::RegistryError;
use ::radius::{DUPLICATE_MEMBER, NUMBER_RANGE};
use contract::Violation;
use engine::Failure;

use crate::api_error::{ApiError, broken, unavailable};

impl From<RegistryError> for ApiError {
    fn from(error: RegistryError) -> ApiError {
        match error {
            RegistryError::Manifest(read) => {
                let errors = read.findings.iter().filter(|it| it.severity == diagnostics::Severity::Error);
                let details = errors.map(|it| {
                    let hint = it.hint.as_deref().map(|hint| format!("; {hint}")).unwrap_or_default();
                    Failure::new(CONTENT, format!("{}{hint}", it.message)).target(it.pointer.as_str())
                });
                with_details("the resource type breaks the rules of schemas", details.collect())
            }
            RegistryError::Resource(violations) => {
                let details = violations.iter().map(problem);
                with_details("the resource breaks the schema of its type", details.collect())
            }
            RegistryError::Request(violations) => {
                let details = violations.iter().map(problem);
                with_details(
                    "the body of the request does not have the form of what is put",
                    details.collect(),
                )
            }
            RegistryError::Name(message) => ApiError::new("BadRequest", message),
            RegistryError::Version(message) => ApiError::new("InvalidApiVersionParameter", message),
            RegistryError::Missing(message) => ApiError::new("NotFound", message),
            RegistryError::Precondition(message) => ApiError::new("PreconditionFailed", message),
            RegistryError::InUse { name, instances } => {
                let details = instances.into_iter().map(|id| {
                    Failure::new("Conflict", format!("`{id}` is there; delete it first")).target(id)
                });
                let failure = Failure::new("Conflict", format!("`{name}` has resources"));
                ApiError::from(failure.target(name).because(details.collect()))
            }
            RegistryError::Breaks { name, broken } => {
                let problems =
                    broken.iter().flat_map(|it| it.problems().map(move |problem| (&it.id, problem)));
                let details = problems.map(|(id, problem)| {
                    Failure::new(CONTENT, format!("`{id}`: {problem}")).target(id.as_str())
                });
                let count = broken.len();
                let message = format!("the change of `{name}` breaks {count} of its resources");
                ApiError::from(Failure::new("Conflict", message).target(name).because(details.collect()))
            }
            RegistryError::TooLarge(message) => ApiError::new("RequestEntityTooLarge", message),
            RegistryError::Busy => {
                ApiError::new("Conflict", "others change the same thing at the same time; try again")
            }
            // Which record it is says nothing that the caller has not asked for.
            error @ RegistryError::Damaged(_) => ApiError::new("InternalServerError", error.to_string()),
            RegistryError::Store(error) => ApiError::from(error),
            error @ RegistryError::Unwritten(_) => unavailable(&error),
            error @ RegistryError::Seal(_) => broken(&error),
        }
    }
}

/// The code of what breaks a schema, or the rules of schemas.
const CONTENT: &str = "InvalidRequestContent";

fn problem(violation: &Violation) -> Failure {
    let text = format!("{}: {}", violation.path, violation.message());
    // What is wrong whatever the schema says has a code of its own.
    let code = match violation.code {
        DUPLICATE_MEMBER => DUPLICATE_MEMBER,
        NUMBER_RANGE => NUMBER_RANGE,
        _ => CONTENT,
    };
    Failure::new(code, text).target(violation.path.pointer().as_str())
}

/// One problem is the message; several are listed behind it.
fn with_details(what: &str, details: Vec<Failure>) -> ApiError {
    let message = match details.as_slice() {
        [only] => format!("{what}: {}", only.message),
        many => format!("{what}: {} problems", many.len()),
    };
    ApiError::from(Failure::new(CONTENT, message).because(details))
}
