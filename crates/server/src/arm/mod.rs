//! The API of ARM: a file for each kind of thing, with the rows of its requests.

mod deployment;
mod deployments;

use crate::route::Row;

/// The requests, one row for each.
pub(crate) const ROWS: &[Row] = deployments::ROWS;
