//! `tendon state export`.

use std::path::PathBuf;

use arm::Value;

use super::kept::Place;
use crate::exit::{Exit, Failure};
use crate::output::Streams;
use crate::report::value_text;

/// Write everything as one JSON object
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The file to write; standard output if it is left out
    #[arg(long, short = 'f', value_name = "FILE")]
    outfile: Option<PathBuf>,
    #[command(flatten)]
    place: Place,
}

const EXAMPLES: &str = "\
Examples:
  tendon state export
  tendon state export --outfile state.json
  tendon state export --state ./state | jq .resources";

/// Runs the command.
pub(super) fn run(arguments: &Arguments, streams: &mut Streams) -> Result<Exit, Failure> {
    let kept = arguments.place.open()?;
    let resources = kept.resources("")?;
    let deployments = kept.deployments("")?;
    let whole = |deployment: &Value| {
        let id = deployment.as_object().and_then(|it| it.get("id")).and_then(Value::as_str);
        kept.item(id.unwrap_or_default()).map(|item| item.body)
    };
    let deployments = deployments.iter().map(whole).collect::<Result<_, _>>()?;
    let all =
        Value::object([("deployments", Value::array(deployments)), ("resources", Value::array(resources))]);
    let text = value_text(&all);
    match &arguments.outfile {
        None => streams.print(&text)?,
        Some(file) => std::fs::write(file, text)
            .map_err(|error| Failure::writing(&format!("`{}`", file.display()), &error))?,
    }
    Ok(Exit::Fine)
}
