//! `tendon build`: programs to templates.

use crate::common::Common;
use crate::compile::{self, CompileOptions, OutputOptions, Results, Selection, SourceFilter, paths};
use crate::exit::{CommandError, Exit};
use crate::output::Streams;

/// Compile Bicep files to template JSON
///
/// A result is written beside its source, with the extension `.json`, unless an option says otherwise. Diagnostics go to standard error.
/// A file with errors has no result.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    output: OutputOptions,
    #[command(flatten)]
    compile: CompileOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon build main.bicep
  tendon build main.bicep --stdout | jq .resources
  tendon build --pattern 'modules/**/main.bicep' --outdir out
  tendon build main.bicep --types az.pack --diagnostics-format sarif 2> findings.sarif";

pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let jobs = arguments.selection.jobs(SourceFilter::Program, Some(&arguments.output))?;
    let mut restore = arguments.compile.restore(common, streams);
    let compiler = restore.compiler(&paths(&jobs), Vec::new(), common.dialect())?;
    let results = if arguments.output.stdout { Results::Printed } else { Results::Written };
    compile::run(&jobs, &compiler, results, common, streams, |_, compilation| compilation.template.clone())
}
