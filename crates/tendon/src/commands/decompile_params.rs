//! `tendon decompile-params`: parameters JSON to a parameters file of Bicep.

use std::path::{Path, PathBuf};

use diagnostics::printable;

use super::decompile::{DISCLAIMER, DecompileOutputOptions, cannot, template_text};
use crate::common::{Common, Form};
use crate::compile::disk::file_path;
use crate::exit::{CommandError, Exit};
use crate::output::Streams;
use crate::output_file::OutputFile;

/// Decompile parameters JSON to a `.bicepparam` file
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The parameters
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    target: DecompileOutputOptions,

    /// The program that the parameters are for
    #[arg(long, value_name = "FILE")]
    bicep_file: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  tendon decompile-params main.parameters.json --bicep-file main.bicep
  tendon decompile-params main.parameters.json --stdout
  tendon decompile-params main.parameters.json --outfile environments/main.bicepparam";

pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    if common.drop_in {
        streams.print_error(DISCLAIMER)?;
    }
    if common.form() == Form::Json && arguments.target.stdout {
        let message = "`--output json` and `--stdout` cannot be combined: both write to standard output";
        return Err(CommandError::Usage(message.to_owned()));
    }
    let target = arguments.target.file(&arguments.file, "bicepparam");
    arguments.target.check_free(&target)?;
    let text = template_text(&arguments.file)?;
    let program =
        arguments.bicep_file.as_ref().map(|program| file_path(program).relative_to(&file_path(&target)));
    let made = match decompile::decompile_parameters(&text, program.as_deref()) {
        Ok(made) => made,
        Err(problem) => return cannot(&arguments.file, &problem, common, streams),
    };
    if arguments.target.stdout {
        streams.print(&made)?;
        return Ok(Exit::Fine);
    }
    write(&target, &made)?;
    if !common.quiet && !common.drop_in {
        streams.print_error(&format!("wrote `{}`\n", printable(&target.to_string_lossy())))?;
    }
    Ok(Exit::Fine)
}

fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    let shown = format!("`{}`", printable(&path.to_string_lossy()));
    OutputFile::at(path).write(text.as_bytes()).map_err(|error| CommandError::writing(&shown, &error))
}
