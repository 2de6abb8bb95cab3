//! The API of ARM: a file for each kind of thing, with the rows of its requests.

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
mod results;
mod subscriptions;

pub(crate) use results::Results;

use crate::route::Row;

/// The tables of requests.
const TABLES: &[&[Row]] = &[
    deployments::ROWS,
    predict::ROWS,
    operations::ROWS,
    groups::ROWS,
    resources::LISTS,
    providers::ROWS,
    subscriptions::ROWS,
    metadata::ROWS,
];

/// The requests, one row for each.
pub(crate) fn rows() -> impl Iterator<Item = &'static Row> {
    TABLES.iter().copied().flatten()
}

/// Requests for any resource by its id. Their paths fit almost everything, so they come behind all others.
pub(crate) const RESOURCES: &[Row] = resources::ROWS;
