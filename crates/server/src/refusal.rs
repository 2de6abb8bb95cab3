//! Why a request is refused: an error of the engine with the status that clients expect for its code.

use arm::Value;
use axum::http::header::{ALLOW, RETRY_AFTER};
use axum::http::{Method, StatusCode};
use engine::{Failure, Refused};

use crate::answer::Answer;

/// When to come again, in seconds.
const LATER: &str = "1";

/// A request that is not done.
#[derive(Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    failure: Box<Failure>,
    /// The methods that would be taken, if it is about that.
    allow: Option<String>,
}

/// The statuses of codes that are not `400`: one row for each.
const STATUSES: &[(&str, StatusCode)] = &[
    ("AnotherOperationInProgress", StatusCode::CONFLICT),
    ("AuthenticationFailed", StatusCode::UNAUTHORIZED),
    ("AuthorizationFailed", StatusCode::FORBIDDEN),
    ("Conflict", StatusCode::CONFLICT),
    ("CrossOriginRequest", StatusCode::FORBIDDEN),
    ("DeploymentActive", StatusCode::CONFLICT),
    ("DeploymentBeingDeleted", StatusCode::CONFLICT),
    ("DeploymentCannotBeCancelled", StatusCode::CONFLICT),
    ("DeploymentNotFound", StatusCode::NOT_FOUND),
    ("DeploymentOperationNotFound", StatusCode::NOT_FOUND),
    ("DeploymentTemplateNotFound", StatusCode::NOT_FOUND),
    ("FormOutOfDate", StatusCode::FORBIDDEN),
    ("InternalServerError", StatusCode::INTERNAL_SERVER_ERROR),
    ("InvalidDeploymentLocation", StatusCode::CONFLICT),
    ("InvalidHost", StatusCode::MISDIRECTED_REQUEST),
    ("InvalidResourceGroupLocation", StatusCode::CONFLICT),
    ("MethodNotAllowed", StatusCode::METHOD_NOT_ALLOWED),
    ("NotFound", StatusCode::NOT_FOUND),
    ("ParentResourceNotFound", StatusCode::NOT_FOUND),
    ("PreconditionFailed", StatusCode::PRECONDITION_FAILED),
    ("RequestEntityTooLarge", StatusCode::PAYLOAD_TOO_LARGE),
    ("RequestUriTooLong", StatusCode::URI_TOO_LONG),
    ("ResourceGroupNotFound", StatusCode::NOT_FOUND),
    ("ResourceNotFound", StatusCode::NOT_FOUND),
    ("StateUnavailable", StatusCode::SERVICE_UNAVAILABLE),
    ("SubscriptionNotFound", StatusCode::NOT_FOUND),
    ("TooManyRequests", StatusCode::TOO_MANY_REQUESTS),
    ("RequestTimeout", StatusCode::REQUEST_TIMEOUT),
    ("ServerTimeout", StatusCode::SERVICE_UNAVAILABLE),
    ("SignInRequired", StatusCode::SEE_OTHER),
    ("UnsupportedMediaType", StatusCode::UNSUPPORTED_MEDIA_TYPE),
];

impl Refusal {
    /// An error with its code and its message; the status follows from the code.
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Refusal {
        Refusal::from(Failure::new(code, message))
    }

    /// A path does not take the method of the request, but others.
    pub(crate) fn method(message: impl Into<String>, allowed: &[Method]) -> Refusal {
        let allowed: Vec<&str> = allowed.iter().map(Method::as_str).collect();
        Refusal { allow: Some(allowed.join(", ")), ..Refusal::new("MethodNotAllowed", message) }
    }

    /// The same with another status than the usual one.
    #[must_use]
    pub(crate) fn with_status(mut self, status: StatusCode) -> Refusal {
        self.status = status;
        self
    }

    /// The status.
    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    /// The error.
    pub(crate) fn failure(&self) -> &Failure {
        &self.failure
    }

    /// The answer: `{"error": {..}}`.
    pub(crate) fn to_answer(&self) -> Answer {
        self.told(Answer::text(self.status, self.body()))
    }

    /// An answer with the headers that say what would not be refused.
    pub(crate) fn told(&self, answer: Answer) -> Answer {
        match (&self.allow, self.status) {
            (Some(methods), _) => answer.header(ALLOW, methods),
            (None, StatusCode::TOO_MANY_REQUESTS) => answer.header(RETRY_AFTER, LATER),
            (None, _) => answer,
        }
    }

    fn body(&self) -> String {
        Value::object([("error", self.failure.to_value())]).to_json()
    }

    /// The status and the body of the answer.
    pub(crate) fn into_parts(self) -> (StatusCode, String) {
        (self.status, self.body())
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Refusal {
        let row = STATUSES.iter().find(|(code, _)| *code == failure.code);
        Refusal {
            status: row.map_or(StatusCode::BAD_REQUEST, |(_, status)| *status),
            failure: Box::new(failure),
            allow: None,
        }
    }
}

impl From<&Refused> for Refusal {
    fn from(refused: &Refused) -> Refusal {
        match refused {
            Refused::Failure(failure) => Refusal::from(failure.clone()),
            Refused::State(why) => broken(why),
        }
    }
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Refusal {
        Refusal::from(&refused)
    }
}

impl From<store::StoreError> for Refusal {
    fn from(error: store::StoreError) -> Refusal {
        broken(&error)
    }
}

impl From<engine::records::LoadError> for Refusal {
    fn from(error: engine::records::LoadError) -> Refusal {
        broken(&error)
    }
}

/// What went wrong inside is for the log; who asked is told only that it did.
pub(crate) fn broken(why: &dyn std::fmt::Display) -> Refusal {
    tracing::error!(%why, "a request failed inside");
    Refusal::new("InternalServerError", "the server could not finish the request; its log says why")
}
