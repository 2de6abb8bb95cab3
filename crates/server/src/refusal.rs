//! Why a request is refused: an error of the engine with the status that clients expect for its code.

use ::radius::registry::RegistryError;
use arm::Value;
use axum::http::StatusCode;
use engine::{Failure, Refused};

use crate::answer::Answer;

/// A request that is not done.
#[derive(Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    failure: Failure,
}

/// The statuses of codes that are not `400`: one row for each.
const STATUSES: &[(&str, StatusCode)] = &[
    ("AuthenticationFailed", StatusCode::UNAUTHORIZED),
    ("AuthorizationFailed", StatusCode::FORBIDDEN),
    ("DeploymentActive", StatusCode::CONFLICT),
    ("DeploymentBeingDeleted", StatusCode::CONFLICT),
    ("DeploymentCannotBeCancelled", StatusCode::CONFLICT),
    ("DeploymentNotFound", StatusCode::NOT_FOUND),
    ("DeploymentOperationNotFound", StatusCode::NOT_FOUND),
    ("InternalServerError", StatusCode::INTERNAL_SERVER_ERROR),
    ("MethodNotAllowed", StatusCode::METHOD_NOT_ALLOWED),
    ("NotFound", StatusCode::NOT_FOUND),
    ("RequestEntityTooLarge", StatusCode::PAYLOAD_TOO_LARGE),
    ("ResourceGroupNotFound", StatusCode::NOT_FOUND),
    ("ResourceNotFound", StatusCode::NOT_FOUND),
    ("SubscriptionNotFound", StatusCode::NOT_FOUND),
    ("UnsupportedMediaType", StatusCode::UNSUPPORTED_MEDIA_TYPE),
];

impl Refusal {
    /// An error with its code and its message; the status follows from the code.
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Refusal {
        Refusal::from(Failure::new(code, message))
    }

    /// The same with another status than the usual one.
    #[must_use]
    pub(crate) fn with_status(mut self, status: StatusCode) -> Refusal {
        self.status = status;
        self
    }

    /// The answer: `{"error": {..}}`.
    pub(crate) fn into_answer(self) -> Answer {
        Answer::json(self.status, &Value::object([("error", self.failure.to_value())]))
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Refusal {
        let row = STATUSES.iter().find(|(code, _)| *code == failure.code);
        Refusal { status: row.map_or(StatusCode::BAD_REQUEST, |(_, status)| *status), failure }
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

impl From<RegistryError> for Refusal {
    fn from(error: RegistryError) -> Refusal {
        Refusal::new("BadRequest", error.to_string())
    }
}

/// What went wrong inside is for the log; who asked is told only that it did.
pub(crate) fn broken(why: &dyn std::fmt::Display) -> Refusal {
    tracing::error!(%why, "a request failed inside");
    Refusal::new("InternalServerError", "the server could not finish the request; its log says why")
}
