//! Who asks, and what clients need before they can say it.

mod login;
mod unsigned;

use crate::route::Row;

/// The requests, one row for each.
pub(crate) const ROWS: &[Row] = login::ROWS;
