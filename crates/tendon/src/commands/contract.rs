//! `tendon contract show`: a contract as it was understood.

use std::ffi::OsString;

use diagnostics::SourceMap;
use document::ReadLimits;

use crate::against::{self, Reference, ThriftOptions};
use crate::common::Common;
use crate::exit::{CommandError, Exit};
use crate::output::Streams;
use crate::report;

/// Show contracts
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print a contract as it was understood, in its JSON form
    #[command(after_help = EXAMPLES)]
    Show {
        /// The contract: a file, and after `#` a definition in it
        contract: OsString,

        #[command(flatten)]
        thrift: ThriftOptions,
    },
}

const EXAMPLES: &str = "\
Examples:
  tendon contract show order.contract.yaml
  tendon contract show order.contract.json#Item
  tendon contract show 'order.contract.json#/$defs/Item'
  tendon contract show service.thrift#Order";

/// Prints the contract.
pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let Command::Show { contract, thrift } = &arguments.command;
    let mut sources = SourceMap::new();
    match against::load(&Reference::parse(contract), thrift, &mut sources, &ReadLimits::default())? {
        Ok(contract) => {
            let Some(contract) = contract.contract() else {
                let message = "the parameters of a program are not written down as a contract; `tendon check --against` takes them";
                return Err(CommandError::Usage(message.to_owned()));
            };
            streams.print(&contract.to_json())?;
            Ok(Exit::Fine)
        }
        Err(findings) => {
            report::print_findings(common, streams, &sources, &findings)?;
            Ok(Exit::Input)
        }
    }
}
