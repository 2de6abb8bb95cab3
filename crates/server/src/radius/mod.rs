//! The API of Radius.

use crate::route::Row;

/// The requests, one row for each.
pub(crate) const ROWS: &[Row] = &[];
