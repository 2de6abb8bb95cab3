//! `tendon state fail`.

use diagnostics::printable;
use engine::Failure;
use engine::core::RunEnd;

use super::backend::ItemOptions;
use crate::common::Common;
use crate::exit::{CommandError, Exit};
use crate::output::Streams;

/// End an interrupted deployment as failed, without running anything of it
///
/// What it has deployed stays. It is for a deployment that ends every process that resumes it, on a state that no process works with.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    item: ItemOptions,
    /// The message of the error that its record has
    #[arg(long, value_name = "TEXT", default_value = "an operator ended the deployment")]
    reason: String,
}

const EXAMPLES: &str = "\
Examples:
  tendon state fail main
  tendon state fail main --reason 'its parameters are lost'
  tendon state fail main --state ./state --reason 'it ends the server'";

pub(super) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let (item, kept) = arguments.item.find()?;
    let failure = Failure::new("DeploymentFailed", arguments.reason.clone());
    kept.end(&item, &RunEnd::Failed(failure))?;
    if !common.quiet {
        streams.print(&format!("failed deployment {}\n", printable(item.name())))?;
    }
    Ok(Exit::Fine)
}
