//! `tendon state cancel`.

use diagnostics::printable;
use engine::core::RunEnd;

use super::backend::ItemOptions;
use crate::common::Common;
use crate::exit::{CommandError, Exit};
use crate::output::Streams;

/// End an interrupted deployment as canceled, without running anything of it
///
/// What it has deployed stays. The state must be one that no process works with: a deployment that still runs is canceled where it runs.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    item: ItemOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon state cancel main
  tendon state cancel main --state ./state
  tendon state cancel main --server https://127.0.0.1:8443";

pub(super) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let (item, kept) = arguments.item.find()?;
    kept.end(&item, &RunEnd::Canceled)?;
    if !common.quiet {
        streams.print(&format!("canceled deployment {}\n", printable(item.name())))?;
    }
    Ok(Exit::Fine)
}
