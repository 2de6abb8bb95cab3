//! What `build`, `build-params` and `lint` have in common: which files are meant, where the compiler finds files,
//! modules and types, many files at a time, and how findings are shown.

pub(crate) mod disk;
mod findings;
pub(crate) mod fix;
mod folders;
mod glob;
mod options;
mod pasted;
pub(crate) mod restore;
mod select;
pub(crate) mod work;

use std::path::Path;
use std::sync::Arc;
use std::{fs, io};

use crate::output_file::OutputFile;
use bicep::{Compilation, Compiler};
use diagnostics::printable;

pub(crate) use options::{
    CompileOptions, CompilerParts, LANGUAGE_VERSION, default_types, folder_source, today,
};
pub(crate) use select::{
    Job, LanguageUse, OutputOptions, SelectedFile, Selection, SourceFilter, check_name, paths,
};

pub(crate) use self::findings::{
    CompiledFile, FindingPrinter, LanguageFindings, diagnostic, diagnostics_of, shortened,
};
pub(crate) use self::folders::LintLanguage;
use crate::common::{Common, Output};
use crate::exit::{CommandError, Exit};
use crate::output::Streams;

/// What becomes of the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Results {
    /// They are written to the files of the jobs.
    Written,
    /// They are written over files that were read to make them.
    InPlace,
    Printed,
    /// Nobody wants them, only the findings.
    Unwanted,
}

/// Compiles all files; `text` gives the result of one.
pub(crate) fn run(
    jobs: &[Job],
    compiler: &Compiler,
    results: Results,
    common: &Common,
    streams: &mut Streams,
    text: impl Fn(&Job, &Compilation) -> Option<Arc<str>> + Sync,
) -> Result<Exit, CommandError> {
    if jobs.is_empty() && !common.quiet {
        streams.print_error("note: no file matches the pattern\n")?;
    }
    run_with(jobs, compiler, results, common, streams, text, |_| Ok(()))
}

/// Compiles all files, and reports with what was found in them what `others` takes into the report.
pub(crate) fn run_with(
    jobs: &[Job],
    compiler: &Compiler,
    results: Results,
    common: &Common,
    streams: &mut Streams,
    text: impl Fn(&Job, &Compilation) -> Option<Arc<str>> + Sync,
    others: impl FnOnce(&mut FindingPrinter<'_>) -> Result<(), CommandError>,
) -> Result<Exit, CommandError> {
    if results == Results::Printed && common.output == Output::Json {
        let message = "`--output json` and `--stdout` both want standard output, leave out one of them";
        return Err(CommandError::Usage(message.to_owned()));
    }
    let mut printed: Option<Arc<str>> = None;
    let mut report =
        FindingPrinter::begin(common, streams, compiler, results == Results::Unwanted).saying_what_was_done();
    // Of many files, the result of one can be an input of another; which comes first is not for the user to know.
    let in_place = results == Results::InPlace || jobs.len() > 1;
    let work = |job: &Job| {
        // A file that is not there is no finding about a program. The compiler keeps what it reads, so that a file is
        // opened once unless there is something to explain.
        if compiler.file(&job.path).is_err()
            && let Err(error) = can_open(&job.named)
        {
            let failure = match bicep::files::with_other_capitals(compiler.world(), &job.path) {
                Some(other) if error.kind() == io::ErrorKind::NotFound => CommandError::Environment(format!(
                    "cannot read `{}`: it does not exist, but `{other}` does: capitals count",
                    job.named.display()
                )),
                _ => CommandError::reading(&format!("`{}`", job.named.display()), &error),
            };
            return (CompiledFile { compilation: Compilation::default(), failure: Some(failure) }, None);
        }
        let compilation = compiler.compile(&job.path);
        let text = text(job, &compilation).filter(|_| results != Results::Unwanted);
        let failure = match (&text, &job.output) {
            (Some(text), Some(output)) => write(output, text, in_place).err(),
            _ => None,
        };
        (CompiledFile { compilation, failure }, text.filter(|_| results == Results::Printed))
    };
    work::each_in_order(jobs, work, |job, (outcome, text)| {
        printed = text;
        report.take(job, outcome)
    })?;
    others(&mut report)?;
    let exit = report.finish()?;
    if let Some(text) = printed {
        streams.print(&text)?;
    }
    Ok(exit)
}

/// Writes a result, and the folders above it if they are not there.
fn write(path: &Path, text: &str, in_place: bool) -> Result<(), CommandError> {
    let shown = format!("`{}`", printable(&path.to_string_lossy()));
    let file = OutputFile::at(path);
    let file = if in_place { file.in_place() } else { file };
    file.write(text.as_bytes()).map_err(|error| CommandError::writing(&shown, &error))
}

/// Why a file cannot be opened. What is not a regular file is not even tried: a pipe would wait for a writer.
fn can_open(path: &Path) -> io::Result<()> {
    if fs::metadata(path)?.is_file() { fs::File::open(path).map(drop) } else { Ok(()) }
}
