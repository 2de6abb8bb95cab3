//! `tendon resource-type`: resource types of Radius, declared in manifests.

mod validate;

use crate::cli::Common;
use crate::exit::{Exit, Failure};
use crate::output::Streams;

/// Check resource types of Radius
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Validate(validate::Arguments),
}

/// Runs the command.
pub(crate) fn run(command: &Command, common: &Common, streams: &mut Streams) -> Result<Exit, Failure> {
    match command {
        Command::Validate(arguments) => validate::run(arguments, common, streams),
    }
}
