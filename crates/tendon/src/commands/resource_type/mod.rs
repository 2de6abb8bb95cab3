//! `tendon resource-type`: resource types of Radius, declared in manifests.

mod create;
mod look;
pub(crate) mod registry;
mod validate;

use crate::cli::Common;
use crate::exit::{Exit, Failure};
use crate::output::Streams;

/// Check and register resource types of Radius
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Validate(validate::Arguments),
    Create(create::Arguments),
    /// Change registered resource types
    Update(create::Arguments),
    List(look::ListArguments),
    Show(look::ShowArguments),
    Delete(look::DeleteArguments),
}

/// Runs the command.
pub(crate) fn run(command: &Command, common: &Common, streams: &mut Streams) -> Result<Exit, Failure> {
    match command {
        Command::Validate(arguments) => validate::run(arguments, common, streams),
        Command::Create(arguments) => create::run(arguments, false, common, streams),
        Command::Update(arguments) => create::run(arguments, true, common, streams),
        Command::List(arguments) => look::list(arguments, common, streams),
        Command::Show(arguments) => look::show(arguments, common, streams),
        Command::Delete(arguments) => look::delete(arguments, common, streams),
    }
}
