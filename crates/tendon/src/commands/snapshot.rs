//! `tendon snapshot`: what deployments would do, as JSON for golden files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arm::Value;
use arm::deployment::{Deployment, Unresolved, snapshot};
use arm::template::TemplateError;
use clap::ValueEnum;
use diagnostics::printable;

use crate::common::{Common, Form};
use crate::compile::{CompileOptions, work};
use crate::deploy::{
    ContextKind, DeploymentOptions, LoadResult, Loader, LoaderOptions, Reporter, Sources, error_object,
};
use crate::exit::{CommandError, Exit};
use crate::external_inputs::InputOptions;
use crate::files;
use crate::input;
use crate::load_error::DeploymentLoadError;
use crate::output::Streams;
use crate::output_file::OutputFile;
use crate::report::value_text;

/// Predict the resources and outputs of deployments, as JSON
///
/// Nothing is deployed. Everything that is known is worked out, through all modules; what only a cloud can know stays an
/// expression. Only what is given is known of the target: `--scope`, `--location` and `--mocks` say more. The
/// same files give the same result every time, so results can be kept and compared.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Bicep files, Bicep parameters or templates; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Write the results to NAME.snapshot.json beside each file
    #[arg(long)]
    update: bool,

    /// Write nothing: compare the results with NAME.snapshot.json beside each file, and exit with 1 if they differ
    #[arg(long, conflicts_with = "update")]
    check: bool,

    /// What happens to the results, as the public command says it
    #[arg(long, value_enum, value_name = "MODE", hide = true, default_value_t, conflicts_with_all = ["update", "check"])]
    mode: SnapshotMode,

    #[command(flatten)]
    deployment: DeploymentOptions,
    #[command(flatten)]
    compile: CompileOptions,
    #[command(flatten)]
    inputs: InputOptions,
}

/// What becomes of the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum SnapshotMode {
    // One object, or for several files an object by file.
    #[default]
    Print,
    // Written beside the files.
    Overwrite,
    // Compared with what is beside the files.
    Validate,
}

const EXAMPLES: &str = "\
Examples:
  tendon snapshot main.bicep --param name=shop
  tendon snapshot main.bicepparam --scope /subscriptions/S/resourceGroups/G --location westeurope
  tendon snapshot environments/*.bicepparam --update
  tendon snapshot environments/*.bicepparam --check
  tendon snapshot main.bicepparam -- --stage prod";

impl Arguments {
    /// What becomes of the results.
    fn mode(&self) -> SnapshotMode {
        match (self.update, self.check) {
            (true, _) => SnapshotMode::Overwrite,
            (_, true) => SnapshotMode::Validate,
            (false, false) => self.mode,
        }
    }
}

pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let files: Vec<&Path> = arguments.files.iter().map(PathBuf::as_path).collect();
    let options = arguments.deployment.in_project(files.first().copied())?;
    let setup = LoaderOptions {
        inputs: arguments.inputs.given(),
        ..LoaderOptions::new(&options, &arguments.compile, &files)
    };
    let loader = Loader::new(setup, common, streams)?;
    let unresolved = arguments.deployment.unresolved.map_or(Unresolved::Keep, Unresolved::from);
    let surroundings = match unresolved {
        Unresolved::Keep => ContextKind::Predicted,
        Unresolved::Error => ContextKind::Local(Unresolved::Error),
    };
    let predict = |file: &PathBuf| {
        let mut loaded = loader.load(file, surroundings);
        let compiled = loaded.take_compiled();
        let LoadResult { sources, result, .. } = loaded;
        let result = result.and_then(|deployment| Ok(predicted(deployment, unresolved)?));
        SnapshotResult { sources, compiled, result }
    };
    let mut reporter = Reporter::new(common, loader.compiler());
    let mut exit = Exit::Fine;
    let mut all: Vec<(String, Value)> = Vec::new();
    let single = arguments.files.len() == 1 && arguments.mode() == SnapshotMode::Print;
    work::each_in_order(&arguments.files, predict, |file, mut predicted| {
        reporter.findings(streams, std::mem::take(&mut predicted.compiled))?;
        // What one of several files does not ask for, another one may.
        if arguments.files.len() == 1 {
            loader.warn_of_unused_mocks(&predicted.sources, &reporter, streams)?;
        }
        let name = input::display_name(file.as_os_str());
        match predicted.result {
            Ok(value) => match arguments.mode() {
                SnapshotMode::Print => all.push((name, value)),
                SnapshotMode::Overwrite => write(file, &value, common, streams)?,
                SnapshotMode::Validate => exit = exit.max(compare(file, &value, common, streams)?),
            },
            Err(DeploymentLoadError::Failure(failure)) if single => return Err(failure),
            Err(DeploymentLoadError::Failure(failure)) => {
                exit = exit.max(failure.exit());
                streams.flush()?;
                streams.report_error(&failure.to_string());
            }
            Err(DeploymentLoadError::Errors { errors, told }) => {
                exit = exit.max(Exit::Input);
                if common.form() == Form::Json {
                    all.push((name, error_object(errors)));
                } else if !told {
                    reporter.explain(streams, &mut predicted.sources, &errors)?;
                }
            }
        }
        Ok(())
    })?;
    if single {
        if let Some((_, value)) = all.pop() {
            print_snapshot(common, streams, &value)?;
        }
    } else if arguments.mode() == SnapshotMode::Print || !all.is_empty() {
        print_snapshot(common, streams, &Value::object(all))?;
    }
    Ok(exit)
}

/// Prints a snapshot, which is JSON by itself, so that the same input gives the same bytes as in a file.
fn print_snapshot(common: &Common, streams: &mut Streams, value: &Value) -> Result<(), CommandError> {
    match common.form() {
        Form::Json => streams.print_result(&value_text(value)),
        Form::Text | Form::Findings(_) => streams.print(&value_text(value)),
    }
}

struct SnapshotResult {
    sources: Sources,
    compiled: Vec<(crate::compile::Job, bicep::Compilation)>,
    result: Result<Value, DeploymentLoadError>,
}

fn predicted(deployment: Arc<Deployment>, unresolved: Unresolved) -> Result<Value, Vec<TemplateError>> {
    let predicted = snapshot(deployment)?;
    match unresolved {
        Unresolved::Keep => Ok(predicted.to_json()),
        Unresolved::Error => predicted.complete().map(|()| predicted.to_json()),
    }
}

/// The file beside a source that keeps its snapshot.
fn kept(file: &Path) -> Result<PathBuf, CommandError> {
    match file.file_stem() {
        Some(stem) if file.as_os_str() != input::STANDARD_INPUT => {
            Ok(file.with_file_name(format!("{}.snapshot.json", stem.to_string_lossy())))
        }
        _ => Err(CommandError::Usage(
            "standard input has no file beside it; leave out `--update` and `--check`".to_owned(),
        )),
    }
}

fn write(file: &Path, value: &Value, common: &Common, streams: &mut Streams) -> Result<(), CommandError> {
    let target = kept(file)?;
    let shown = printable(&target.to_string_lossy()).into_owned();
    OutputFile::at(&target)
        .write(value_text(value).as_bytes())
        .map_err(|error| CommandError::writing(&format!("`{shown}`"), &error))?;
    if !common.quiet {
        streams.print_error(&format!("wrote `{shown}`\n"))?;
    }
    Ok(())
}

fn compare(file: &Path, value: &Value, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
    let target = kept(file)?;
    let shown = printable(&target.to_string_lossy()).into_owned();
    let bytes =
        files::read(&target).map_err(|unread| CommandError::unread(&format!("`{shown}`"), &unread))?;
    let kept = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
    let text = value_text(value);
    // Who writes files often leaves out or adds the last line break.
    if kept.trim_end() == text.trim_end() {
        if !common.quiet {
            streams.print_error(&format!("{shown}: as predicted\n"))?;
        }
        return Ok(Exit::Fine);
    }
    let (line, was, is) = first_difference(&kept, &text);
    streams.print_error(&format!(
        "{shown}:{line}: the prediction has changed\n  - {}\n  + {}\n  = help: `--update` keeps the new one\n",
        printable(was),
        printable(is)
    ))?;
    Ok(Exit::Input)
}

/// The first line that differs: its number from 1, and what it was and is.
fn first_difference<'t>(was: &'t str, is: &'t str) -> (usize, &'t str, &'t str) {
    let (mut old, mut new) = (was.lines(), is.lines());
    let mut number = 0;
    loop {
        number += 1;
        match (old.next(), new.next()) {
            (Some(old), Some(new)) if old == new => {}
            (old, new) => return (number, old.unwrap_or_default(), new.unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_differs_is_told() {
        assert_eq!(first_difference("a\nb\nc", "a\nx\nc"), (2, "b", "x"));
        assert_eq!(first_difference("a", "a\nb"), (2, "", "b"));
    }

    #[test]
    fn a_snapshot_is_kept_beside_its_source() {
        assert_eq!(kept(Path::new("a/main.bicepparam")).ok(), Some(PathBuf::from("a/main.snapshot.json")));
        assert!(kept(Path::new("-")).is_err());
    }
}
