//! `tendon state delete`.

use diagnostics::printable;

use super::backend::ItemOptions;
use crate::common::Common;
use crate::exit::{CommandError, Exit};
use crate::output::Streams;

/// Delete a deployment, or a resource and what is inside it
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    item: ItemOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon state delete main
  tendon state delete \\
    /subscriptions/ID/resourceGroups/shop/providers/Microsoft.Storage/storageAccounts/a
  tendon state delete main --state ./state
  tendon state delete main --server https://tendon.example:8443";

/// Runs the command.
pub(super) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let (item, kept) = arguments.item.find()?;
    if item.is_active {
        return Err(CommandError::Environment(format!(
            "the deployment `{}` is still running; wait for it, or resume it with `tendon deploy --resume`",
            item.name()
        )));
    }
    kept.delete(&item)?;
    if !common.quiet {
        let what = if item.is_deployment {
            format!("deployment {}", item.name())
        } else {
            format!("resource {}", item.id)
        };
        streams.print(&format!("deleted {}\n", printable(&what)))?;
    }
    Ok(Exit::Fine)
}
