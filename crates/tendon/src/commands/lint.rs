//! `tendon lint`: what is wrong with Bicep files.

use crate::cli::Common;
use crate::compile::{self, CompileOptions, Kind, Results, Selection};
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
    #[command(flatten)]
    compile: CompileOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon lint main.bicep
  tendon lint --pattern '**/*.bicepparam'
  tendon lint main.bicep --diagnostics-format sarif > findings.sarif";

/// Compiles all files for their findings.
pub(crate) fn run(arguments: &Arguments, common: &Common, streams: &mut Streams) -> Result<Exit, Failure> {
    let jobs = arguments.selection.jobs(Kind::Either, None)?;
    let compiler = arguments.compile.compiler(Vec::new(), common.dialect())?;
    compile::run(&jobs, &compiler, Results::Unwanted, common, streams, |_, _| None)
}
