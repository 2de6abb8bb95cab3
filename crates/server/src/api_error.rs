//! Why a request is refused: an error of the engine with the status that clients expect for its code.

use arm::Value;
use engine::{Failure, StartError};
use http::header::{ALLOW, RETRY_AFTER};
use http::{Method, StatusCode};

use crate::response::HttpResponse;

/// When to come again, in seconds: after a moment where too much is under way, and a little later where something is out of order.
const LATER: &str = "1";
const LATER_OUT_OF_ORDER: &str = "5";

/// A request that is not done.
#[derive(Debug)]
pub(crate) struct ApiError {
    status: StatusCode,
    failure: Box<Failure>,
    /// The methods that would be taken, if it is about that.
    allow: Option<String>,
}

/// The statuses of codes that are not `400`: one row for each.
const STATUSES: &[(&str, StatusCode)] = &[
    ("AnotherOperationInProgress", StatusCode::CONFLICT),
    ("AuditUnavailable", StatusCode::SERVICE_UNAVAILABLE),
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
    ("QuotaExceeded", StatusCode::CONFLICT),
    ("RequestEntityTooLarge", StatusCode::PAYLOAD_TOO_LARGE),
    ("RequestUriTooLong", StatusCode::URI_TOO_LONG),
    ("ResourceGroupNotFound", StatusCode::NOT_FOUND),
    ("ResourceNotFound", StatusCode::NOT_FOUND),
    ("StateUnavailable", StatusCode::SERVICE_UNAVAILABLE),
    ("ResponseTooLarge", StatusCode::UNPROCESSABLE_ENTITY),
    ("SubscriptionNotFound", StatusCode::NOT_FOUND),
    ("TooManyRequests", StatusCode::TOO_MANY_REQUESTS),
    ("RequestTimeout", StatusCode::REQUEST_TIMEOUT),
    ("ServerTimeout", StatusCode::SERVICE_UNAVAILABLE),
    ("SignInRequired", StatusCode::SEE_OTHER),
    ("UnsupportedMediaType", StatusCode::UNSUPPORTED_MEDIA_TYPE),
];

impl ApiError {
    /// An error with its code and its message; the status follows from the code.
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> ApiError {
        ApiError::from(Failure::new(code, message))
    }

    /// A path does not take the method of the request, but others.
    pub(crate) fn method(message: impl Into<String>, allowed: &[Method]) -> ApiError {
        let allowed: Vec<&str> = allowed.iter().map(Method::as_str).collect();
        ApiError { allow: Some(allowed.join(", ")), ..ApiError::new("MethodNotAllowed", message) }
    }

    /// The same with another status than the usual one.
    #[must_use]
    pub(crate) fn with_status(mut self, status: StatusCode) -> ApiError {
        self.status = status;
        self
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    pub(crate) fn failure(&self) -> &Failure {
        &self.failure
    }

    /// The answer: `{"error": {..}}`.
    pub(crate) fn to_answer(&self) -> HttpResponse {
        self.with_hint_headers(HttpResponse::text(self.status, self.body()))
    }

    /// An answer with the headers that say what would not be refused.
    pub(crate) fn with_hint_headers(&self, answer: HttpResponse) -> HttpResponse {
        match (&self.allow, self.status) {
            (Some(methods), _) => answer.header(ALLOW, methods),
            (None, StatusCode::TOO_MANY_REQUESTS) => answer.header(RETRY_AFTER, LATER),
            (None, StatusCode::SERVICE_UNAVAILABLE) => answer.header(RETRY_AFTER, LATER_OUT_OF_ORDER),
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

impl From<Failure> for ApiError {
    fn from(failure: Failure) -> ApiError {
        let row = STATUSES.iter().find(|(code, _)| *code == failure.code);
        ApiError {
            status: row.map_or(StatusCode::BAD_REQUEST, |(_, status)| *status),
            failure: Box::new(failure),
            allow: None,
        }
    }
}

impl From<&StartError> for ApiError {
    fn from(refused: &StartError) -> ApiError {
        match refused {
            StartError::Failure(failure) => ApiError::from(failure.clone()),
            StartError::State(why) => broken(why),
            StartError::Unavailable(why) => unavailable(why),
        }
    }
}

impl From<StartError> for ApiError {
    fn from(refused: StartError) -> ApiError {
        ApiError::from(&refused)
    }
}

impl From<store::StoreError> for ApiError {
    fn from(error: store::StoreError) -> ApiError {
        if error.is_unavailable() { unavailable(&error) } else { broken(&error) }
    }
}

impl From<engine::records::LoadError> for ApiError {
    fn from(error: engine::records::LoadError) -> ApiError {
        match error {
            engine::records::LoadError::Store(error) => error.into(),
            engine::records::LoadError::Damaged(_) | engine::records::LoadError::SecretsLost(_) => {
                broken(&error)
            }
        }
    }
}

/// The state does not answer or takes no writes: a full disk, a database that restarts. Whoever asks again later may be answered.
pub(crate) fn unavailable(why: &dyn std::fmt::Display) -> ApiError {
    tracing::error!(%why, "the state cannot be used");
    ApiError::new(
        "StateUnavailable",
        "the state cannot be reached or written at the moment, and what was asked may not be done; try again later",
    )
}

/// What went wrong inside is for the log; who asked is told only that it did.
pub(crate) fn broken(why: &dyn std::fmt::Display) -> ApiError {
    tracing::error!(%why, "a request failed inside");
    ApiError::new("InternalServerError", "the server could not finish the request; its log says why")
}
