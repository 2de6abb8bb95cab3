//! The clock of the machine.

use std::time::{SystemTime, UNIX_EPOCH};

use arm::evaluate::Moment;

/// The time of the machine.
pub(crate) fn now() -> Moment {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment { seconds: i64::try_from(since.as_secs()).unwrap_or(i64::MAX), ticks: since.subsec_nanos() / 100 }
}
