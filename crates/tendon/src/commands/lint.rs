//! `tendon lint`: what is wrong with Bicep files.

use std::io::IsTerminal as _;

use bicep::fixes::{FixSafety, Fixed};
use diagnostics::printable;
use diagnostics::terminal::Style;
use serde::Serialize;

use crate::common::{Common, Output};
use crate::compile::{
    self, CompileOptions, FindingPrinter, Job, LanguageUse, Results, Selection, SourceFilter, fix, paths,
    shortened, work,
};
use crate::exit::{CommandError, Exit};
use crate::lint_files::{self, LanguageOptions};
use crate::output::Streams;
use crate::{diff, report};

/// Report diagnostics of files in every language
///
/// Bicep programs and parameters, Thrift files, templates, manifests of resource types and contracts, each by its file type. In a folder, all of
/// them are linted. JSON and SARIF go to standard output.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Do it again whenever a file that was read has changed, until it is interrupted
    #[arg(long)]
    pub(crate) watch: bool,

    #[command(flatten)]
    bicep: BicepArguments,
    #[command(flatten)]
    languages: LanguageOptions,
}

/// Report diagnostics of Bicep files
///
/// The same diagnostics as those of `build` and `build-params`, without results. JSON and SARIF go to standard output.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BicepArguments {
    #[command(flatten)]
    selection: Selection,

    /// Apply the safe fixes that diagnostics offer, in the named files, and report what is left
    #[arg(long)]
    fix: bool,

    /// With `--fix`: also apply fixes that may change what is deployed, or what callers have to give
    #[arg(long, requires = "fix")]
    unsafe_fixes: bool,

    /// With `--fix`: change nothing, and show what would change
    #[arg(long, requires = "fix")]
    diff: bool,

    #[command(flatten)]
    compile: CompileOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon lint main.bicep
  tendon lint .
  tendon lint main.bicep --fix --diff
  tendon lint service.thrift types.yaml order.contract.json
  tendon lint --pattern '**/*.bicepparam'
  tendon lint main.bicep --diagnostics-format sarif > findings.sarif";

/// Lints files of every language.
pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let selection = &arguments.bicep.selection;
    let (jobs, others) = selection.of_every_language(LanguageUse::Lint)?;
    if jobs.is_empty() && others.is_empty() && !common.quiet {
        let what = if selection.is_search() { "there is nothing to lint" } else { "no file is named" };
        streams.print_error(&format!("note: {what}\n"))?;
    }
    lint(&arguments.bicep, &jobs, common, streams, |report| match others.is_empty() {
        true => Ok(()),
        false => report.take_others(|sources| lint_files::lint(&others, &arguments.languages, sources)),
    })
}

/// Lints Bicep files alone.
pub(crate) fn run_bicep(
    arguments: &BicepArguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let jobs = arguments.selection.jobs(SourceFilter::Either, None)?;
    if jobs.is_empty() && !common.quiet {
        streams.print_error("note: no file matches the pattern\n")?;
    }
    lint(arguments, &jobs, common, streams, |_| Ok(()))
}

/// Compiles all Bicep files for their findings, and adds those of others.
fn lint(
    arguments: &BicepArguments,
    jobs: &[Job],
    common: &Common,
    streams: &mut Streams,
    others: impl FnOnce(&mut FindingPrinter<'_>) -> Result<(), CommandError>,
) -> Result<Exit, CommandError> {
    let mut restore = arguments.compile.restore(common, streams);
    let mut report = restore.compiler(&paths(jobs), Vec::new(), common.dialect())?;
    let mut exit = Exit::Fine;
    if arguments.fix {
        exit = mend(arguments, jobs, &report, common, streams)?;
        if arguments.diff {
            return Ok(exit);
        }
        report = restore.compiler(&paths(jobs), Vec::new(), common.dialect())?;
    }
    let left = compile::run_with(jobs, &report, Results::Unwanted, common, streams, |_, _| None, others)?;
    if arguments.fix && !arguments.unsafe_fixes && !common.quiet {
        let count: usize = jobs.iter().map(|job| fix::count_unsafe(&job.path, &report)).sum();
        let findings = if count == 1 { "finding has a fix" } else { "findings have fixes" };
        if count > 0 {
            let note =
                format!("note: {count} {findings} that may change what is deployed, for `--unsafe-fixes`\n");
            streams.print_error(&note)?;
        }
    }
    Ok(exit.max(left))
}

/// Makes the fixes of all files, or shows them. A file that cannot be written does not keep the others from it.
fn mend(
    arguments: &BicepArguments,
    jobs: &[Job],
    compiler: &bicep::Compiler,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let (options, dialect) = (&arguments.compile, common.dialect());
    let mut all: Vec<Option<Fixed>> = Vec::with_capacity(jobs.len());
    let least = if arguments.unsafe_fixes { FixSafety::Unsafe } else { FixSafety::Safe };
    let work = |job: &Job| fix::fixed(&job.path, compiler, least);
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
        streams.print_result(&report::json_text(&RunRecord { files })?)?;
    }
    Ok(())
}
