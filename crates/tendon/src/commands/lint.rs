//! `tendon lint`: what is wrong with Bicep files.

use std::io::IsTerminal as _;

use bicep::fixes::Fixed;
use diagnostics::printable;
use diagnostics::terminal::Style;
use serde::Serialize;

use crate::common::{Common, Output};
use crate::compile::{
    self, CompileOptions, Job, Results, Selection, SourceFilter, fix, paths, shortened, work,
};
use crate::exit::{CommandError, Exit};
use crate::output::Streams;
use crate::{diff, report};

/// Report diagnostics of Bicep files
///
/// The same diagnostics as those of `build` and `build-params`, without results. JSON and SARIF go to standard output.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    selection: Selection,

    /// Apply the fixes that diagnostics offer, in the named files, and report what is left
    #[arg(long)]
    fix: bool,

    /// With `--fix`: change nothing, and show what would change
    #[arg(long, requires = "fix")]
    diff: bool,

    #[command(flatten)]
    compile: CompileOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon lint main.bicep
  tendon lint main.bicep --fix --diff
  tendon lint --pattern '**/*.bicepparam'
  tendon lint main.bicep --diagnostics-format sarif > findings.sarif";

/// Compiles all files for their findings.
pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let jobs = arguments.selection.jobs(SourceFilter::Either, None)?;
    let mut restore = arguments.compile.restore(common, streams);
    let mut report = restore.compiler(&paths(&jobs), Vec::new(), common.dialect())?;
    let mut exit = Exit::Fine;
    if arguments.fix {
        exit = mend(arguments, &jobs, &report, common, streams)?;
        if arguments.diff {
            return Ok(exit);
        }
        report = restore.compiler(&paths(&jobs), Vec::new(), common.dialect())?;
    }
    let left = compile::run(&jobs, &report, Results::Unwanted, common, streams, |_, _| None)?;
    Ok(exit.max(left))
}

/// Makes the fixes of all files, or shows them. A file that cannot be written does not keep the others from it.
fn mend(
    arguments: &Arguments,
    jobs: &[Job],
    compiler: &bicep::Compiler,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let (options, dialect) = (&arguments.compile, common.dialect());
    let mut all: Vec<Option<Fixed>> = Vec::with_capacity(jobs.len());
    let work = |job: &Job| fix::fixed(&job.path, compiler);
    work::each_in_order(jobs, work, |_, fixed| {
        all.push(fixed);
        Ok(())
    })?;
    if jobs.len() > 1 && all.iter().any(Option::is_some) {
        fix::revert_breaking_fixes(jobs, &mut all, compiler, options, dialect, |job, other| {
            let (name, other) = (printable(shortened(&job.path)), printable(shortened(&other.path)));
            streams.print_error(&format!(
                "note: `{name}` stays as it is: with its fixes, `{other}` would have errors\n"
            ))
        })?;
    }
    if arguments.diff {
        show(jobs, &all, common, streams)?;
        return Ok(Exit::Fine);
    }
    let mut exit = Exit::Fine;
    for (job, fixed) in jobs.iter().zip(&all) {
        let Some(fixed) = fixed else { continue };
        let name = shortened(&job.path);
        if let Err(failure) = fix::replace(&job.named, fixed) {
            exit = exit.max(failure.exit());
            streams.report_error(&failure.to_string());
        } else if !common.quiet {
            let findings = if fixed.count == 1 { "finding" } else { "findings" };
            let name = printable(name);
            streams.print_error(&format!("note: fixed {} {findings} in `{name}`\n", fixed.count))?;
        }
    }
    Ok(exit)
}

/// One file in the JSON form of what would change.
#[derive(Serialize)]
struct FileRecord {
    file: String,
    fixed: usize,
    diff: String,
}

/// The JSON form of what would change.
#[derive(Serialize)]
struct RunRecord {
    files: Vec<FileRecord>,
}

/// Shows what the fixes would change.
fn show(
    jobs: &[Job],
    all: &[Option<Fixed>],
    common: &Common,
    streams: &mut Streams,
) -> Result<(), CommandError> {
    let is_json = common.output == Output::Json;
    let to_terminal = !is_json && std::io::stdout().is_terminal();
    let style = if is_json { Style::Plain } else { streams.out_style };
    let mut files = Vec::new();
    for (job, fixed) in jobs.iter().zip(all) {
        let Some(fixed) = fixed else { continue };
        let name = shortened(&job.path);
        let diff = diff::unified(name, &fixed.before, &fixed.after, style, to_terminal);
        match is_json {
            true => files.push(FileRecord { file: name.to_owned(), fixed: fixed.count, diff }),
            false => streams.print(&diff)?,
        }
    }
    if is_json {
        streams.print(&report::json_text(&RunRecord { files })?)?;
    }
    Ok(())
}
