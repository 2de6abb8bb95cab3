//! `tendon thrift`: interface files, and the messages they describe.

mod check;
mod conformance;
mod executor;
mod form;
mod r#gen;
mod proxy;
mod reload;
mod validate;

pub(crate) use form::UnknownFieldsOption;
pub(crate) use validate::{MessageCheck, MessageOptions};

use super::contract::{DiffArguments, compare_contracts};
use crate::common::Common;
use crate::exit::{CommandError, Exit};
use crate::output::Streams;

/// Generate code from Thrift files, run a validating proxy, and test validators
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    #[command(hide = true)]
    Check(check::Arguments),
    #[command(hide = true)]
    Validate(validate::Arguments),
    Gen(Box<r#gen::Arguments>),
    Proxy(Box<proxy::Arguments>),
    Conformance(conformance::Arguments),
    Executor(executor::Arguments),
    /// Compare two Thrift files as sets of values: the same as `tendon contract diff`
    Breaking(DiffArguments),
}

impl Arguments {
    /// Whether it talks to another program on its standard streams.
    pub(crate) fn has_own_output(&self) -> bool {
        matches!(self.command, Command::Proxy(_) | Command::Executor(_))
    }
}

/// Runs the command below.
pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    match &arguments.command {
        Command::Check(arguments) => check::run(arguments, common, streams),
        Command::Validate(arguments) => validate::run(arguments, common, streams),
        Command::Gen(arguments) => r#gen::run(arguments, common, streams),
        Command::Proxy(arguments) => proxy::run(arguments, common, streams),
        Command::Conformance(arguments) => conformance::run(arguments, common, streams),
        Command::Executor(_) => executor::run(streams),
        Command::Breaking(arguments) => compare_contracts(arguments, common, streams),
    }
}
