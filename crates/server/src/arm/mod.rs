//! The API of ARM: a file for each kind of thing, with the rows of its requests.

mod around;
mod deployment;
mod deployments;
mod filter;
mod groups;
mod metadata;
mod operations;
mod paging;
mod predict;
mod providers;
mod resources;
mod stored;
mod subscriptions;

pub(crate) use deployment::surround;
pub(crate) use stored::group_of;

use crate::route::HttpRoute;

/// The tables of requests for deployments, which can be in a group of Radius, too.
const DEPLOYMENTS: &[&[HttpRoute]] = &[deployments::ROWS, predict::ROWS, operations::ROWS];

/// The other tables of requests.
const TABLES: &[&[HttpRoute]] =
    &[groups::ROWS, resources::LISTS, providers::ROWS, subscriptions::ROWS, metadata::ROWS];

/// The requests for deployments, one row for each.
pub(crate) fn deployment_rows() -> impl Iterator<Item = &'static HttpRoute> {
    DEPLOYMENTS.iter().copied().flatten()
}

/// The other requests, one row for each.
pub(crate) fn rows() -> impl Iterator<Item = &'static HttpRoute> {
    TABLES.iter().copied().flatten()
}

/// Requests for any resource by its id. Their paths fit almost everything, so they come behind all others.
pub(crate) const RESOURCES: &[HttpRoute] = resources::ROWS;
