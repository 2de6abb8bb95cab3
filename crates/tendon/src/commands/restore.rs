//! `tendon restore`: the modules and extensions of registries, fetched to the cache.

use std::collections::BTreeSet;
use std::sync::Arc;

use bicep::files::RestoreFailure;
use bicep::{Compilation, Compiler, Finding};

use crate::common::Common;
use crate::compile::{
    CompileOptions, CompiledFile, FindingPrinter, Job, Selection, SourceFilter, paths, work,
};
use crate::exit::{CommandError, Exit};
use crate::output::Streams;

/// Fetch modules and extensions from registries into the cache
///
/// Fetches what programs refer to with `br:` and the cache does not have, many at a time, and checks it against its digests. The cache is that of the public
/// Bicep command: `~/.bicep`, unless `cacheRootDirectory` in bicepconfig.json or `--modules` names another one. Other commands use the cache as it is,
/// unless they are given `--restore`. With `--no-restore`, it only reports what is missing.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    compile: CompileOptions,

    /// Also fetch what is in the cache
    #[arg(long)]
    force: bool,
}

const EXAMPLES: &str = "\
Examples:
  tendon restore main.bicep
  tendon restore --pattern '**/*.bicep' --force
  BICEP_TRUSTED_REGISTRIES=registry.example.com tendon restore main.bicep";

/// Restores what all files refer to, and reports what could not be.
pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let jobs = arguments.selection.jobs(SourceFilter::Either, None)?;
    let entries = paths(&jobs);
    let mut restore = arguments.compile.restore_if(true, common, streams);
    if arguments.force {
        restore.again(&entries, common.dialect())?;
    }
    let compiler = restore.compiler(&entries, Vec::new(), common.dialect())?;
    let mut reported = BTreeSet::new();
    let mut report = FindingPrinter::begin(common, streams, &compiler, true);
    let work = |job: &Job| unrestored(&compiler, job);
    work::each_in_order(&jobs, work, |job, (outcome, references)| {
        reported.extend(references);
        report.take(job, outcome)
    })?;
    let mut exit = report.finish()?;
    // What is in the cache is no finding of a program, also if it could not be fetched again.
    for (name, why) in restore.failures.iter().filter(|(name, _)| !reported.contains(*name)) {
        exit = exit.max(Exit::Input);
        let why = match why {
            RestoreFailure::Failed(why) => why,
            RestoreFailure::Untrusted => "its registry is not trusted",
        };
        streams.report_error(&format!("`{name}` cannot be restored, and stays in the cache as it is: {why}"));
    }
    if restore.count > 0 && !common.quiet && !common.drop_in {
        let things = if restore.count == 1 { "artifact" } else { "artifacts" };
        streams.print_error(&format!("note: restored {} {things}\n", restore.count))?;
    }
    Ok(exit)
}

/// What a file needs and is not there: the findings about it, and the names.
fn unrestored(compiler: &Compiler, job: &Job) -> (CompiledFile, Vec<String>) {
    if compiler.file(&job.path).is_err()
        && let Err(error) = std::fs::File::open(&job.named)
    {
        let failure = CommandError::reading(&format!("`{}`", job.named.display()), &error);
        return (CompiledFile { compilation: Compilation::default(), failure: Some(failure) }, Vec::new());
    }
    let missing = compiler.unrestored(&job.path);
    if missing.is_empty() {
        return (CompiledFile { compilation: Compilation::default(), failure: None }, Vec::new());
    }
    let mut compilation = Compilation::default();
    for (path, found) in compiler.compile(&job.path).findings {
        let found: Arc<[Finding]> = found.iter().filter(|it| it.is_about_restoring()).cloned().collect();
        if !found.is_empty() {
            compilation.findings.push((path, found));
        }
    }
    let names = missing.iter().map(|artifact| artifact.reference.full_name()).collect();
    (CompiledFile { compilation, failure: None }, names)
}
