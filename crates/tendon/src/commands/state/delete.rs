//! `tendon state delete`.

use arm::Value;
use diagnostics::printable;

use super::backend::ItemOptions;
use crate::common::{Common, Form};
use crate::exit::{CommandError, Exit};
use crate::output::Streams;
use crate::report::value_text;

/// Delete a deployment, a resource group, or a resource and what is inside it
///
/// A resource group is deleted with its resources and the records of its deployments. `tendon destroy` deletes in the order of dependencies.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    item: ItemOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon state delete main
  tendon state delete account
  tendon state delete /subscriptions/ID/resourceGroups/shop
  tendon state delete \\
    /subscriptions/ID/resourceGroups/shop/providers/Microsoft.Storage/storageAccounts/a
  tendon state delete main --state ./state
  tendon state delete main --server https://tendon.example:8443";

pub(super) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let name = arguments.item.id.as_str();
    let kept = arguments.item.place.open()?;
    let groups = kept.groups(name)?;
    let item = if groups.is_empty() { Some(kept.item(name)?) } else { kept.item_if_any(name)? };
    let (what, id) = match (item, groups.first()) {
        (Some(item), None) => {
            if item.is_active {
                return Err(CommandError::Environment(format!(
                    "the deployment `{}` is still running; wait for it, or resume it with `tendon deploy --resume`",
                    item.name()
                )));
            }
            kept.delete(&item)?;
            match item.is_deployment {
                true => (format!("deployment {}", item.name()), item.id),
                false => (format!("resource {}", item.id), item.id),
            }
        }
        (None, Some(group)) if groups.len() == 1 => {
            kept.delete_group(group)?;
            (format!("resource group {group}"), group.clone())
        }
        (item, _) => {
            let ids = item.map(|item| item.id).into_iter().chain(groups);
            let ids: Vec<String> = ids.map(|id| format!("`{id}`")).collect();
            let message = format!("`{name}` may be {}; give the whole id of one", ids.join(" or "));
            return Err(CommandError::Usage(message));
        }
    };
    match common.form() {
        Form::Json => {
            let deleted = Value::object([("deleted", Value::array(vec![Value::text(id)]))]);
            streams.print_result(&value_text(&deleted))?;
        }
        Form::Text | Form::Findings(_) if common.quiet => {}
        Form::Text | Form::Findings(_) => {
            streams.print(&format!("deleted {}\n", printable(&what)))?;
        }
    }
    Ok(Exit::Fine)
}
