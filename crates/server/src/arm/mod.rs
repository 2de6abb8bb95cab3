//! The API of ARM: a file for each kind of thing, with the rows of its requests.

mod around;
mod deployment;
mod deployments;
mod filter;
mod groups;
mod kept;
mod metadata;
mod operations;
mod paging;
mod predict;
mod providers;
mod resources;
mod subscriptions;

pub(crate) use deployment::surround;
pub(crate) use kept::group_of;

use crate::route::Row;

/// The tables of requests for deployments, which can be in a group of Radius, too.
const DEPLOYMENTS: &[&[Row]] = &[deployments::ROWS, predict::ROWS, operations::ROWS];

/// The other tables of requests.
const TABLES: &[&[Row]] =
    &[groups::ROWS, resources::LISTS, providers::ROWS, subscriptions::ROWS, metadata::ROWS];

/// The requests for deployments, one row for each.
pub(crate) fn deployment_rows() -> impl Iterator<Item = &'static Row> {
    DEPLOYMENTS.iter().copied().flatten()
}

/// The other requests, one row for each.
pub(crate) fn rows() -> impl Iterator<Item = &'static Row> {
    TABLES.iter().copied().flatten()
}

/// Requests for any resource by its id. Their paths fit almost everything, so they come behind all others.
pub(crate) const RESOURCES: &[Row] = resources::ROWS;
