//! The runtime that commands wait on: one thread, which is theirs.

use tokio::runtime::{Builder, Runtime};

use crate::exit::CommandError;

pub(crate) fn start() -> Result<Runtime, CommandError> {
    let started = Builder::new_current_thread().enable_all().build();
    started.map_err(|error| CommandError::Environment(format!("cannot start: {error}")))
}
