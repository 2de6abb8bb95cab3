//! `tendon contract sample`: values that a contract accepts, or refuses.

use std::ffi::OsString;

use contract::sample::{SampleOptions, samples_for};
use diagnostics::SourceMap;

use crate::against::{self, Reference, ThriftOptions, WireComparison};
use crate::common::{Common, Form};
use crate::exit::{CommandError, Exit};
use crate::output::Streams;
use crate::report;

/// Print values of a contract: its boundaries first, then values chosen by a seed
///
/// Each value is one line of JSON, checked before it is printed. The same contract and seed give the same values.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The contract: a file, and after `#` a definition in it
    contract: OsString,

    /// The largest number of values to print
    #[arg(long, value_name = "N", default_value_t = 10)]
    count: usize,

    /// Print values that break the contract, each in one place
    #[arg(long)]
    invalid: bool,

    /// Choose other values beyond the boundaries
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Print values of a Thrift type as they are on the wire: a bare struct of the binary protocol, in hex
    #[arg(long)]
    hex: bool,

    #[command(flatten)]
    thrift: ThriftOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon contract sample order.contract.json
  tendon contract sample order.contract.json#Item --count 100 --seed 7
  tendon contract sample main.bicep --invalid
  tendon contract sample service.thrift#Order --count 3
  tendon contract sample service.thrift#Order --invalid --hex";

pub(super) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let mut sources = SourceMap::new();
    let reference = Reference::parse(&arguments.contract);
    let loaded = against::load_whole(&reference, &arguments.thrift, &mut sources)?;
    let against = match loaded {
        Ok(against) => against,
        Err(findings) => {
            report::print_findings(common, streams, &sources, &findings)?;
            return Ok(Exit::Input);
        }
    };
    let crossings = against.boundaries(&arguments.contract, &arguments.thrift, &mut sources)?;
    let several = crossings.len() > 1 && crossings.iter().any(|it| it.name.contains(['.', '#']));
    if several {
        let names: Vec<&str> = crossings.iter().map(|it| it.reference.as_str()).collect();
        return Err(CommandError::Usage(format!("name one of {}", names.join(", "))));
    }
    let Some(crossing) = crossings.first() else {
        return Err(CommandError::Usage("the contract has no boundary".to_owned()));
    };
    let options = SampleOptions { count: arguments.count, seed: arguments.seed, invalid: arguments.invalid };
    let values =
        samples_for(&crossing.shape, &crossing.definitions, options, &|value| crossing.accepts(value));
    let lines: Vec<String> = match arguments.hex {
        false => values.iter().map(ToString::to_string).collect(),
        true => {
            let Some(wire) = WireComparison::new(&crossing.checker, &crossing.checker) else {
                return Err(CommandError::Usage("`--hex` is for structs of Thrift files".to_owned()));
            };
            let form = common.form();
            let quote = if matches!(form, Form::Json) { "\"" } else { "" };
            // A value that has no bytes, such as a text where a number belongs, is left out.
            let told = values.iter().filter(|value| wire.accepts(true, value) != arguments.invalid);
            told.map(|value| format!("{quote}{}{quote}", wire.hex(value))).collect()
        }
    };
    match common.form() {
        Form::Json => streams.print(&format!("[{}]\n", lines.join(",")))?,
        Form::Text | Form::Findings(_) => {
            for line in lines {
                streams.print(&format!("{line}\n"))?;
            }
        }
    }
    Ok(Exit::Fine)
}
