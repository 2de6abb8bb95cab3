//! `tendon contract`: contracts as they were understood, compared, sampled, converted.

mod convert;
mod diff;
mod diff_json;
mod diff_text;
mod operand;
mod sample;

use std::ffi::OsString;

use diagnostics::SourceMap;
use document::ReadLimits;

use crate::against::{self, Reference, ThriftOptions};
use crate::common::Common;
use crate::exit::{CommandError, Exit};
use crate::output::Streams;
use crate::report;

pub(crate) use self::diff::{Arguments as DiffArguments, run as compare_contracts, version_advice};

/// Show, compare, sample and convert contracts
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
    Diff(diff::Arguments),
    Sample(sample::Arguments),
    Convert(convert::Arguments),
}

const EXAMPLES: &str = "\
Examples:
  tendon contract show order.contract.yaml
  tendon contract show order.contract.json#Item
  tendon contract show 'order.contract.json#/$defs/Item'
  tendon contract show service.thrift#Order";

/// Runs one of the commands.
pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    match &arguments.command {
        Command::Show { contract, thrift } => show(contract, thrift, common, streams),
        Command::Diff(arguments) => diff::run(arguments, common, streams),
        Command::Sample(arguments) => sample::run(arguments, common, streams),
        Command::Convert(arguments) => convert::run(arguments, common, streams),
    }
}

fn show(
    named: &OsString,
    thrift: &ThriftOptions,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let mut sources = SourceMap::new();
    match against::load(&Reference::parse(named), thrift, &mut sources, &ReadLimits::default())? {
        Ok(loaded) => {
            if let Some(contract) = loaded.contract() {
                streams.print(&contract.to_json())?;
                return Ok(Exit::Fine);
            }
            let crossings = loaded.boundaries(named, thrift, &mut sources)?;
            if let Some(crossing) = crossings.first() {
                streams.print(&contract::json::write(&crossing.shape, &crossing.definitions))?;
            }
            Ok(Exit::Fine)
        }
        Err(findings) => {
            report::print_findings(common, streams, &sources, &findings)?;
            Ok(Exit::Input)
        }
    }
}
