//! `tendon state show`.

use super::backend::ItemOptions;
use crate::common::{Common, Form};
use crate::exit::{CommandError, Exit};
use crate::output::Streams;
use crate::report::value_text;

/// Show a deployment or a resource, by its id or its name
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    item: ItemOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon state show main
  tendon state show \\
    /subscriptions/ID/resourceGroups/shop/providers/Microsoft.Storage/storageAccounts/a
  tendon state show main --state ./state
  tendon state show main --server https://tendon.example:8443";

pub(super) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let (item, _) = arguments.item.find()?;
    match common.form() {
        Form::Json => streams.print_result(&value_text(&item.body))?,
        Form::Text | Form::Findings(_) => streams.print(&value_text(&item.body))?,
    }
    Ok(Exit::Fine)
}
