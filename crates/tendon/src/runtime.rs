//! The runtime that commands wait on: one thread, which is theirs.

use tokio::runtime::{Builder, Runtime};

use crate::exit::Failure;

/// Starts it.
pub(crate) fn start() -> Result<Runtime, Failure> {
    let started = Builder::new_current_thread().enable_all().build();
    started.map_err(|error| Failure::Environment(format!("cannot start: {error}")))
}
