//! `bicep test`: the tests of a program, in the words of the public compiler.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bicep::files::SourceFile;
use bicep::{Compiler, FilePath};
use clap::ValueEnum;
use diagnostics::SourceMap;
use diagnostics::terminal::Style;
use testing::reports::{junit, sarif};
use testing::upstream::lines;
use testing::{RunOptions, Session};

use super::files;
use super::host::{CommandHost, Review};
use super::{jobs, print};
use crate::common::Common;
use crate::compile::disk::file_path;
use crate::compile::{CompileOptions, SourceFilter, check_name, diagnostic};
use crate::exit::{CommandError, Exit};
use crate::input;
use crate::local_state::TypeOptions;
use crate::output::Streams;
use crate::report;

/// Run the tests of a program, or test files
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The program with the tests, or a test file; with `--recursive` also a folder
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// Run the tests whose id contains TEXT; may be repeated
    #[arg(long, value_name = "TEXT")]
    filter: Vec<String>,

    /// Look for test files in the folder and those below it
    #[arg(long)]
    recursive: bool,

    /// Print a report in the place of lines
    #[arg(long, value_enum, value_name = "FORM", ignore_case = true)]
    format: Option<PublicForm>,

    #[command(flatten)]
    compile: CompileOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon test main.bicep
  tendon test --recursive .";

/// The reports that the draft of the public command names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PublicForm {
    Junit,
    Sarif,
}

/// Says something in the public words, and that it is over.
fn refused(streams: &mut Streams, line: &str) -> Result<Exit, CommandError> {
    streams.print_error(&format!("{line}\n"))?;
    Ok(Exit::Input)
}

/// Prints what is wrong with a program and its targets, in the form for diagnostics.
fn print_errors(
    compiler: &Compiler,
    path: &FilePath,
    common: &Common,
    streams: &mut Streams,
) -> Result<(), CommandError> {
    let (mut sources, mut errors) = (SourceMap::new(), Vec::new());
    for (file, found) in compiler.compile(path).findings {
        let text = match compiler.file(&file).as_deref() {
            Ok(SourceFile::Bicep(source)) => source.tree.shared_text(),
            _ => "".into(),
        };
        let id = sources.add(file.as_str(), text);
        let wrong = found.iter().filter(|finding| finding.is_error());
        errors.extend(wrong.map(|finding| diagnostic(id, finding)));
    }
    if errors.is_empty() {
        return Ok(());
    }
    let form = report::Form::of_sources(common, streams.watched);
    let text = report::text(form, streams.error_style, &sources, &report::few(&errors))?;
    streams.print_error(&text)
}

fn is_test_file(path: &Path) -> bool {
    input::extension(path.as_os_str()).as_deref() == Some("biceptest")
}

pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let Some(file) = &arguments.file else {
        return refused(streams, "The input file path was not specified");
    };
    let is_ours = is_test_file(file) || arguments.recursive;
    if !is_ours && check_name(file, SourceFilter::Program).is_err() {
        let line = format!(
            "The specified input \"{}\" was not recognized as a Bicep file. Bicep files must use the .bicep extension.",
            file.display()
        );
        return refused(streams, &line);
    }
    let paths = match is_ours {
        true => files::test_files(std::slice::from_ref(file))?,
        false => vec![file_path(file)],
    };
    let named = arguments.compile.clone().with_symbolic_names();
    let dialect = common.dialect();
    let compiler = named.restore(common, streams).compiler(&paths, Vec::new(), dialect)?;
    let plain = arguments.compile.restore(common, streams).compiler(&paths, Vec::new(), dialect)?;
    if let (false, Some(path)) = (is_ours, paths.first()) {
        crate::files::read(file)
            .map_err(|unread| CommandError::unread(&format!("`{}`", file.display()), &unread))?;
        if !compiler.has_test_framework(path) {
            return refused(streams, "TestFrameWork not enabled");
        }
    }
    let options = RunOptions { filters: arguments.filter.clone(), jobs: jobs(None), ..RunOptions::default() };
    let types = Arc::new(arguments.compile.engine_types(Some(&*compiler)));
    let host = CommandHost {
        style: Style::Plain,
        types: TypeOptions::default(),
        auto: None,
        review: Review::default(),
    };
    let session = Session::new(&compiler, &plain, types, options, &host);
    let (run, count) = testing::run(&session, &paths).map_err(CommandError::Environment)?;
    if count == 0 && is_ours {
        return Err(CommandError::Usage("no test was found".to_owned()));
    }
    match (arguments.format, is_ours) {
        (Some(PublicForm::Junit), _) => streams.print(&junit(&run))?,
        (Some(PublicForm::Sarif), _) => streams.print(&sarif(&run, env!("CARGO_PKG_VERSION")))?,
        (None, true) => print(&run, common, streams)?,
        (None, false) => {
            let none = testing::FileOutcome::default();
            let outcome = run.files.first().unwrap_or(&none);
            paths.iter().try_for_each(|path| print_errors(&compiler, path, common, streams))?;
            for (is_result, line) in lines(outcome) {
                let line = format!("{line}\n");
                if is_result { streams.print(&line)? } else { streams.print_error(&line)? }
            }
        }
    }
    let is_fine = match is_ours {
        true => run.is_fine(),
        // What the compiler finds in the program does not count; what keeps a test from being evaluated does.
        false => run.summary.failed == 0,
    };
    Ok(if is_fine { Exit::Fine } else { Exit::Input })
}
