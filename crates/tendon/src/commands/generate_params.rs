//! `tendon generate-params`: a parameters file for a program, to begin with.

use std::path::{Path, PathBuf};

use bicep::{PlaceholderForm, PlaceholderSet};
use clap::ValueEnum;
use contract::Node;
use diagnostics::printable;
use document::{Document, FileId, JsonOptions, ReadLimits};

use crate::common::Common;
use crate::compile::{self, CompileOptions, Job, Results, SourceFilter, check_name, disk};
use crate::exit::{CommandError, Exit};
use crate::files;
use crate::output::Streams;

/// Write a starter parameters file for a program
///
/// Parameters have their defaults, where these are constants, and otherwise an empty value of their type. Values in an existing JSON file are kept; any
/// other existing file is replaced only with `--force`. The file is beside the program, with the extension `.parameters.json` or `.bicepparam`, unless told otherwise.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The program
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The form of the parameters file
    #[arg(long, value_enum, value_name = "FORM", ignore_case = true, default_value_t = Form::Json)]
    output_format: Form,

    /// The parameters to write: those without a default, or all
    #[arg(long, value_enum, value_name = "SET", ignore_case = true, default_value_t = Which::Requiredonly)]
    include_params: Which,

    /// Print the file instead of writing it
    #[arg(long, conflicts_with_all = ["outdir", "outfile"])]
    stdout: bool,

    /// Write the file to a folder
    #[arg(long, value_name = "DIR", conflicts_with = "outfile")]
    outdir: Option<PathBuf>,

    /// Write the file there
    #[arg(long, value_name = "FILE")]
    outfile: Option<PathBuf>,

    /// Replace a file that is there, also if its values cannot be kept
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    compile: CompileOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon generate-params main.bicep
  tendon generate-params main.bicep --output-format bicepparam --include-params all
  tendon generate-params main.bicep --stdout | jq .parameters";

/// The forms of parameters files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    // Parameters JSON.
    Json,
    // A `.bicepparam` file.
    Bicepparam,
}

/// Which parameters a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Which {
    // Those without a default.
    Requiredonly,
    // All.
    All,
}

pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    check_name(&arguments.file, SourceFilter::Program)?;
    let (form, extension) = match arguments.output_format {
        Form::Json => (PlaceholderForm::Json, "parameters.json"),
        Form::Bicepparam => (PlaceholderForm::Bicepparam, "bicepparam"),
    };
    let set = match arguments.include_params {
        Which::Requiredonly => PlaceholderSet::Required,
        Which::All => PlaceholderSet::All,
    };
    let target = match (&arguments.outfile, &arguments.outdir) {
        (Some(file), _) => file.clone(),
        (None, Some(folder)) => {
            folder.join(arguments.file.file_name().unwrap_or_default()).with_extension(extension)
        }
        (None, None) => arguments.file.with_extension(extension),
    };
    let existing = match arguments.stdout {
        true => None,
        false => files::read(&target).ok().and_then(|bytes| String::from_utf8(bytes).ok()),
    };
    if !arguments.stdout && !arguments.force && !common.drop_in && !can_replace(&target, form) {
        let shown = printable(&target.to_string_lossy()).into_owned();
        return Err(CommandError::Usage(match form {
            PlaceholderForm::Json => format!(
                "the file `{shown}` already exists and is not parameters JSON; with `--force`, it is replaced"
            ),
            PlaceholderForm::Bicepparam => {
                format!("the file `{shown}` already exists; with `--force`, it is replaced")
            }
        }));
    }
    let path = disk::file_path(&arguments.file);
    let output = (!arguments.stdout).then_some(target);
    let jobs = [Job { path: path.clone(), named: arguments.file.clone(), output }];
    let mut restore = arguments.compile.restore(common, streams);
    let compiler = restore.compiler(std::slice::from_ref(&path), Vec::new(), common.dialect())?;
    let results = if arguments.stdout { Results::Printed } else { Results::InPlace };
    compile::run(&jobs, &compiler, results, common, streams, |job, compilation| {
        compilation.template.as_ref()?;
        compiler.placeholders(&job.path, form, set, existing.as_deref()).map(Into::into)
    })
}

/// Tells whether nothing is lost if a file is written: there is none, or the values in it stay.
fn can_replace(target: &Path, form: PlaceholderForm) -> bool {
    let Ok(bytes) = files::read(target) else { return !target.exists() };
    let Ok(text) = String::from_utf8(bytes) else { return false };
    let read = || Document::from_json_with(&text, FileId::FIRST, &ReadLimits::DEFAULT, JsonOptions::RELAXED);
    let is_json = || read().is_ok_and(|it| matches!(it.root().node(), Node::Object(_)));
    text.trim().is_empty() || form == PlaceholderForm::Json && is_json()
}
