//! The clock.

use std::time::{SystemTime, UNIX_EPOCH};

/// Nanoseconds since 1970, for the rules that look at the clock.
pub(crate) fn nanoseconds() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}
