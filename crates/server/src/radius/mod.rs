//! The API of Radius: a file for each kind of thing, with the rows of its requests.
//!
//! `list` pages, `refuse` says what refusals of the registry are to a client, `place` checks planes, groups and versions.

mod credentials;
mod environments;
mod error_response;
mod graph;
mod groups;
mod kubernetes;
mod list;
mod planes;
mod registry;
mod request_scope;
mod resources;
mod summaries;

pub(crate) use request_scope::check_group;

use crate::api_error::{ApiError, broken};
use crate::response::HttpResponse;
use crate::route::{HttpRoute, Pending};
use crate::routed_request::RoutedRequest;

/// The tables of requests. What is more special comes first.
const TABLES: &[&[HttpRoute]] = &[
    kubernetes::ROWS,
    planes::ROWS,
    credentials::ROWS,
    groups::ROWS,
    registry::ROWS,
    summaries::ROWS,
    environments::ROWS,
    graph::ROWS,
    resources::ROWS,
];

/// The requests, one row for each.
pub(crate) fn rows() -> impl Iterator<Item = &'static HttpRoute> {
    TABLES.iter().copied().flatten()
}

/// Answers where waiting for the disk hinders nobody: what writes, and what reads much.
fn elsewhere(call: RoutedRequest, work: fn(&RoutedRequest) -> Result<HttpResponse, ApiError>) -> Pending {
    Box::pin(async move {
        let done = tokio::task::spawn_blocking(move || work(&call)).await;
        done.map_err(|error| broken(&error))?
    })
}
