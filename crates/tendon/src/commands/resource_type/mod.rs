//! `tendon resource-type`: resource types of Radius, declared in manifests.

mod create;
mod query;
pub(crate) mod registry;
mod validate;

use crate::common::Common;
use crate::exit::{CommandError, Exit};
use crate::output::Streams;

/// Check and register resource types of Radius
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    #[command(hide = true)]
    Validate(validate::Arguments),
    Create(create::Arguments),
    /// Change registered resource types
    Update(create::Arguments),
    List(query::ListArguments),
    Show(query::ShowArguments),
    Delete(query::DeleteArguments),
}

impl Command {
    /// Whether it shows what is registered.
    pub(crate) fn is_query(&self) -> bool {
        matches!(self, Command::List(_) | Command::Show(_))
    }
}

pub(crate) fn run(command: &Command, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
    match command {
        Command::Validate(arguments) => validate::run(arguments, common, streams),
        Command::Create(arguments) => create::run(arguments, false, common, streams),
        Command::Update(arguments) => create::run(arguments, true, common, streams),
        Command::List(arguments) => query::list(arguments, common, streams),
        Command::Show(arguments) => query::show(arguments, common, streams),
        Command::Delete(arguments) => query::delete(arguments, common, streams),
    }
}
