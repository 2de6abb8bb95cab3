//! `tendon lint`: what is wrong with Bicep files.

use std::io::IsTerminal as _;

use bicep::fixes::Fixed;

use crate::cli::Common;
use crate::compile::{self, CompileOptions, Job, Kind, Results, Selection, fix, paths, shortened, work};
use crate::diff;
use crate::exit::{Exit, Failure};
use crate::output::Streams;

/// Report diagnostics of Bicep files
///
/// The same findings as those of `build` and `build-params`, and no results. JSON and SARIF go to standard output.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    selection: Selection,

    /// Make the fixes that findings offer, in the named files, and report what is left
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
pub(crate) fn run(arguments: &Arguments, common: &Common, streams: &mut Streams) -> Result<Exit, Failure> {
    let jobs = arguments.selection.jobs(Kind::Either, None)?;
    let mut restore = arguments.compile.restore(common, streams);
    let mut report = restore.compiler(&paths(&jobs), Vec::new(), common.dialect())?;
    if arguments.fix {
        mend(arguments, &jobs, &report, common, streams)?;
        if arguments.diff {
            return Ok(Exit::Fine);
        }
        report = restore.compiler(&paths(&jobs), Vec::new(), common.dialect())?;
    }
    compile::run(&jobs, &report, Results::Unwanted, common, streams, |_, _| None)
}

/// Makes the fixes of all files, or shows them.
fn mend(
    arguments: &Arguments,
    jobs: &[Job],
    compiler: &bicep::Compiler,
    common: &Common,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let work = |job: &Job| {
        let fixed = fix::fixed(&job.path, compiler);
        if let Some(fixed) = fixed.as_ref().filter(|_| !arguments.diff) {
            fix::replace(&job.named, &fixed.after)?;
        }
        Ok(fixed)
    };
    let to_terminal = std::io::stdout().is_terminal();
    work::each_in_order(jobs, work, |job, fixed: Result<Option<Fixed>, Failure>| {
        let Some(fixed) = fixed? else { return Ok(()) };
        let name = shortened(&job.path);
        if arguments.diff {
            let text = diff::unified(name, &fixed.before, &fixed.after, streams.out_style, to_terminal);
            return streams.print(&text);
        }
        if common.quiet {
            return Ok(());
        }
        let findings = if fixed.count == 1 { "finding" } else { "findings" };
        let name = diagnostics::printable(name);
        streams.print_error(&format!("note: fixed {} {findings} in `{name}`\n", fixed.count))
    })
}
