//! The API of Radius: a file for each kind of thing, with the rows of its requests.
//!
//! `list` pages, `refuse` says what refusals of the registry are to a client, `place` checks planes, groups and versions.

mod credentials;
mod environments;
mod graph;
mod groups;
mod kubernetes;
mod list;
mod place;
mod planes;
mod refuse;
mod registry;
mod resources;
mod summaries;

pub(crate) use place::check_group;

use crate::answer::Answer;
use crate::call::Call;
use crate::refusal::{Refusal, broken};
use crate::route::{Pending, Row};

/// The tables of requests. What is more special comes first.
const TABLES: &[&[Row]] = &[
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
pub(crate) fn rows() -> impl Iterator<Item = &'static Row> {
    TABLES.iter().copied().flatten()
}

/// Answers where waiting for the disk hinders nobody: what writes, and what reads much.
fn elsewhere(call: Call, work: fn(&Call) -> Result<Answer, Refusal>) -> Pending {
    Box::pin(async move {
        let done = tokio::task::spawn_blocking(move || work(&call)).await;
        done.map_err(|error| broken(&error))?
    })
}
