//! `tendon state list`.

use arm::{ProvisioningState, Value};
use diagnostics::printable;

use crate::common::{Common, Form};
use crate::exit::{CommandError, Exit};
use crate::output::Streams;
use crate::remote::BackendOptions;
use crate::report::value_text;

/// List the deployments and resources
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Only what is below this id
    #[arg(long, value_name = "ID", default_value = "")]
    scope: String,
    #[command(flatten)]
    place: BackendOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon state list
  tendon state list --scope /subscriptions/ID/resourceGroups/shop
  tendon state list --state ./state -o json
  tendon state list --server https://tendon.example:8443";

pub(super) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    arguments.place.note_earlier(common, streams)?;
    let kept = arguments.place.open()?;
    let deployments = kept.deployments(&arguments.scope)?;
    let resources = kept.resources(&arguments.scope)?;
    if common.form() == Form::Json {
        let all = Value::object([
            ("deployments", Value::array(deployments)),
            ("resources", Value::array(resources)),
        ]);
        streams.print_result(&value_text(&all))?;
        return Ok(Exit::Fine);
    }
    for deployment in &deployments {
        let state = ProvisioningState::word_in(deployment).unwrap_or_default();
        let line = format!("deployment  {state:<10}  {}", text(deployment, &["id"]));
        streams.print(&format!("{}\n", printable(&line)))?;
    }
    for resource in &resources {
        streams.print(&format!("resource    {}\n", printable(text(resource, &["id"]))))?;
    }
    if deployments.is_empty() && resources.is_empty() && !common.quiet {
        let note = match arguments.place.project_folder()? {
            Some(folder) => format!("nothing is kept in `{}`", folder.display()),
            None => "nothing is kept here".to_owned(),
        };
        streams.print(&format!("{}\n", printable(&note)))?;
    }
    Ok(Exit::Fine)
}

fn text<'v>(value: &'v Value, path: &[&str]) -> &'v str {
    let found = path.iter().try_fold(value, |value, name| value.as_object()?.get(name));
    found.and_then(Value::as_str).unwrap_or_default()
}
