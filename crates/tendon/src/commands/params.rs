//! `tendon params`: parameters files for tools that know less.

use std::path::{Path, PathBuf};

use diagnostics::printable;

use crate::common::Common;
use crate::compile::CompileOptions;
use crate::deploy::{DeploymentOptions, Loader, LoaderOptions, Reporter};
use crate::exit::{CommandError, Exit};
use crate::external_inputs::InputOptions;
use crate::output::Streams;
use crate::output_file::OutputFile;

/// Work with parameters files
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Resolve(ResolveArguments),
}

/// Write parameters JSON with the values of all external inputs in it
///
/// The result has `value` instead of each `expression`, so that tools without external inputs can deploy it. Inputs come from the
/// environment, the arguments after `--`, files, standard input, the terminal and the commands of `bicepconfig.json`; only those that
/// are used are asked for. The result holds all of them as plain text.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ResolveArguments {
    /// Bicep parameters, or a parameters file in JSON or YAML; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The file to write; without it, the result is printed
    #[arg(long = "outfile", value_name = "FILE")]
    outfile: Option<PathBuf>,

    /// The value of one parameter in place of what the file says: JSON where it is JSON, else text; `NAME=@FILE` reads a file
    #[arg(long, value_name = "NAME=VALUE")]
    param: Vec<String>,

    #[command(flatten)]
    compile: CompileOptions,
    #[command(flatten)]
    inputs: InputOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon params resolve main.bicepparam
  tendon params resolve main.bicepparam --outfile main.parameters.json -- --stage prod
  tendon params resolve main.parameters.json --param size=3 > resolved.json";

pub(crate) fn run(command: &Command, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
    match command {
        Command::Resolve(arguments) => resolve(arguments, common, streams),
    }
}

fn resolve(
    arguments: &ResolveArguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let mut options = DeploymentOptions::default();
    options.param.clone_from(&arguments.param);
    let files = [arguments.file.as_path()];
    let setup = LoaderOptions {
        inputs: Some(&arguments.inputs),
        ..LoaderOptions::new(&options, &arguments.compile, &files)
    };
    let loader = Loader::new(setup, common, streams)?;
    let mut loaded = loader.parameters(&arguments.file);
    let mut reporter = Reporter::new(common, loader.compiler());
    reporter.findings(streams, std::mem::take(&mut loaded.compiled))?;
    let result = loaded.result.and_then(|inputs| {
        let resolved = inputs.external_inputs().iter().any(|input| input.value.is_some());
        Ok((inputs.resolved()?, resolved))
    });
    let (text, holds_inputs) = match result {
        Ok(result) => result,
        Err(refused) => return reporter.refuse(streams, &mut loaded.sources, refused),
    };
    let text = format!("{}\n", text.trim_end());
    match &arguments.outfile {
        Some(path) => write(path, &text)?,
        None => streams.print(&text)?,
    }
    if holds_inputs {
        let shown = match &arguments.outfile {
            Some(path) => format!("`{}`", printable(&path.to_string_lossy())),
            None => "the result".to_owned(),
        };
        streams.print_error(&format!(
            "warning: {shown} holds the values of external inputs as plain text, secrets among them; do not keep it longer than needed\n"
        ))?;
    }
    Ok(Exit::Fine)
}

/// Writes a file that only its owner can read.
fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    let shown = format!("`{}`", printable(&path.to_string_lossy()));
    OutputFile::at(path)
        .private()
        .write(text.as_bytes())
        .map_err(|error| CommandError::writing(&shown, &error))
}
