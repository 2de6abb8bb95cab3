//! `bicep deploy` and `bicep what-if`: the parameters file says where to with `using ... with`.
//!
//! Both do what `tendon deploy` and `tendon what-if` do, where those do it, and tell it as the original does.

use std::ffi::OsString;
use std::path::Path;

use bicep::{Config, Feature};
use clap::ValueEnum;

use super::{deployed, predicted};
use crate::commands::{deploy, what_if};
use crate::common::Common;
use crate::compile::disk::{Disk, file_path};
use crate::compile::{SourceFilter, check_name};
use crate::exit::{CommandError, Exit};
use crate::external_inputs::PUBLIC_PREFIX;
use crate::output::Streams;

/// Deploy a parameters file to where it says
///
/// The file says where to with `using ... with`, which needs the experimental feature `deployCommands`. It is deployed to the endpoint in TENDON_ENDPOINT or
/// behind `--endpoint`, such as `https://management.azure.com`, to a server, or else to the state on this machine.
#[derive(Debug, clap::Args)]
#[command(after_help = DEPLOY_EXAMPLES)]
pub(super) struct DeployArguments {
    /// How to print the result: Default or Json
    #[arg(long, value_enum, value_name = "FORM", ignore_case = true, hide_possible_values = true)]
    format: Option<Form>,

    #[command(flatten)]
    own: deploy::Arguments,
}

/// How a result is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    // As tables.
    Default,
    // As one object.
    Json,
}

const DEPLOY_EXAMPLES: &str = "\
Examples:
  bicep deploy main.bicepparam
  bicep deploy main.bicepparam --arg-stage prod --format json
  TENDON_ENDPOINT=https://management.azure.com bicep deploy main.bicepparam";

/// Tell what a deployment of a parameters file would change
///
/// The file says where to with `using ... with`, which needs the experimental feature `deployCommands`.
#[derive(Debug, clap::Args)]
#[command(after_help = WHAT_IF_EXAMPLES)]
pub(super) struct WhatIfArguments {
    #[command(flatten)]
    own: what_if::Arguments,
}

const WHAT_IF_EXAMPLES: &str = "\
Examples:
  bicep what-if main.bicepparam
  bicep what-if main.bicepparam --arg-stage prod
  TENDON_ENDPOINT=https://management.azure.com bicep what-if main.bicepparam";

pub(super) fn run(
    arguments: DeployArguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let own = arguments.own.in_public(match arguments.format {
        Some(Form::Json) => deployed::json,
        Some(Form::Default) | None => deployed::tables,
    });
    if let Some(file) = own.file() {
        check(file)?;
    }
    if own.is_local()? {
        // The original has no such place, so that who expects Azure has to be told.
        streams.print_error("note: the deployment goes to the state on this machine; TENDON_ENDPOINT=https://management.azure.com deploys to Azure\n")?;
    }
    deploy::run(&own, common, streams)
}

/// Tells what a deployment would change.
pub(super) fn what_if(
    arguments: WhatIfArguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let own = arguments.own.in_public(predicted::text);
    check(own.file())?;
    what_if::run(&own, common, streams)
}

/// Refuses what is not a parameters file that says where it is deployed to.
fn check(file: &Path) -> Result<(), CommandError> {
    check_name(file, SourceFilter::Parameters)?;
    let path = file_path(file);
    match Config::find(&Disk::default(), &path.folder()).features().has(Feature::DeployCommands) {
        true => Ok(()),
        false => Err(CommandError::Usage(format!(
            "the experimental feature `deployCommands` has to be on; write `{{ \"experimentalFeaturesEnabled\": {{ \"deployCommands\": true }} }}` to a bicepconfig.json above `{}`",
            file.display()
        ))),
    }
}

/// The commands whose files can ask for arguments.
const TAKES_ARGUMENTS: [&str; 2] = ["deploy", "what-if"];

/// Arguments as the parser wants them: `--arg-NAME VALUE` stands behind `--`, as `--NAME=VALUE`.
pub(super) fn with_inputs_at_the_end(arguments: Vec<OsString>) -> Result<Vec<OsString>, CommandError> {
    let takes_them = |command: &OsString| TAKES_ARGUMENTS.iter().any(|known| command == known);
    if !arguments.get(1).is_some_and(takes_them) {
        return Ok(arguments);
    }
    let (mut kept, mut inputs) = (Vec::with_capacity(arguments.len()), Vec::new());
    let mut rest = arguments.into_iter();
    while let Some(argument) = rest.next() {
        if argument == "--" {
            kept.push(argument);
            kept.extend(inputs);
            kept.extend(rest);
            return Ok(kept);
        }
        let word = argument.to_string_lossy();
        let prefix = word.get(..PUBLIC_PREFIX.len());
        let name = prefix
            .filter(|prefix| prefix.eq_ignore_ascii_case(PUBLIC_PREFIX))
            .and_then(|_| word.get(PUBLIC_PREFIX.len()..));
        let Some(name) = name else {
            kept.push(argument);
            continue;
        };
        let mut input = OsString::from(format!("--{name}"));
        if !name.contains('=') {
            let Some(value) = rest.next() else {
                return Err(CommandError::Usage(format!("`{PUBLIC_PREFIX}{name}` has no value")));
            };
            input.push("=");
            input.push(value);
        }
        inputs.push(input);
    }
    if !inputs.is_empty() {
        kept.push("--".into());
        kept.extend(inputs);
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expect: &str) {
        let words = line.split(' ').map(OsString::from).collect();
        let moved = with_inputs_at_the_end(words);
        let moved = moved.map_or_else(
            |failure| failure.to_string(),
            |words| words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" "),
        );
        assert_eq!(moved, expect);
    }

    #[test]
    fn arguments_of_inputs_move_behind_the_others() {
        check("bicep deploy a.bicepparam", "bicep deploy a.bicepparam");
        check(
            "bicep deploy --arg-x 1 a.bicepparam --ARG-y --z --format json",
            "bicep deploy a.bicepparam --format json -- --x=1 --y=--z",
        );
        check("bicep what-if a.bicepparam --arg-x=1 -- --y=2", "bicep what-if a.bicepparam -- --x=1 --y=2");
        check("bicep build --arg-x 1", "bicep build --arg-x 1");
        check("bicep deploy a.bicepparam --arg-x", "`--arg-x` has no value");
    }
}
