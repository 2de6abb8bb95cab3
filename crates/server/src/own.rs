//! Tendon's own surface: whether it is there and ready.

use axum::http::{Method, StatusCode};

use crate::answer::Answer;
use crate::route::{Access, Row};

/// The requests, one row for each.
pub(crate) const ROWS: &[Row] = &[Row {
    method: Method::GET,
    pattern: "/healthz",
    access: Access::Anybody,
    about: "Says that the process is there.",
    handler: |_| Box::pin(async { Ok(Answer::text(StatusCode::OK, "{\"status\":\"ok\"}".to_owned())) }),
}];
