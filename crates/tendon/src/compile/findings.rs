//! What the compiler found in programs, file by file, in the form that was asked for.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bicep::files::SourceFile;
use bicep::fixes::FixSafety;
use bicep::{Compilation, Compiler, FilePath, Finding};
use diagnostics::{Diagnostic, FileId, Fix, SourceMap, Span, Summary, printable};
use serde::Serialize;

use super::select::Job;
use crate::common::Common;
use crate::exit::{CommandError, Exit};
use crate::output::Streams;
use crate::report::{self, Form};

/// What is known of one file after it was compiled.
pub(crate) struct CompiledFile {
    /// What the compiler says.
    pub(crate) compilation: Compilation,
    /// What kept the file from being read, or the result from being written.
    pub(crate) failure: Option<CommandError>,
}

/// What was found in files, and which files could not be read.
#[derive(Default)]
pub(crate) struct LanguageFindings {
    pub(crate) findings: Vec<Diagnostic>,
    /// The files that were looked at, each with what kept it from being read.
    pub(crate) files: Vec<(PathBuf, Option<CommandError>)>,
}

/// Prints findings in the form that was asked for, file by file, each file of a program once.
pub(crate) struct FindingPrinter<'r> {
    common: &'r Common,
    streams: &'r mut Streams,
    compiler: &'r Compiler,
    form: Form,
    /// Whether findings are the result, so that data goes to standard output.
    is_result: bool,
    seen: BTreeSet<FilePath>,
    sources: SourceMap,
    /// For the forms that need all of them at once.
    findings: Vec<Diagnostic>,
    records: Vec<FileRecord>,
    /// How many files were looked at, and the results that were written.
    looked_at: usize,
    written: Vec<PathBuf>,
    /// Whether the command says in one line what it did.
    says_what_was_done: bool,
    summary: Summary,
    warned: BTreeSet<&'static str>,
    /// Members of the JSON form that only this command has.
    members: serde_json::Map<String, serde_json::Value>,
    exit: Exit,
}

/// One file in the JSON form of a result.
#[derive(Serialize)]
struct FileRecord {
    file: String,
    output: Option<String>,
    failure: Option<String>,
}

impl<'r> FindingPrinter<'r> {
    /// Begins a report; `is_result` says that nothing but findings was asked for.
    pub(crate) fn begin(
        common: &'r Common,
        streams: &'r mut Streams,
        compiler: &'r Compiler,
        is_result: bool,
    ) -> FindingPrinter<'r> {
        let form = Form::of_sources(common, streams.watched);
        FindingPrinter {
            common,
            streams,
            compiler,
            form,
            is_result,
            seen: BTreeSet::new(),
            sources: SourceMap::new(),
            findings: Vec::new(),
            records: Vec::new(),
            looked_at: 0,
            written: Vec::new(),
            says_what_was_done: false,
            summary: Summary::default(),
            warned: BTreeSet::new(),
            members: serde_json::Map::new(),
            exit: Exit::Fine,
        }
    }

    /// Says at the end in one line what was done, unless only findings are wanted.
    pub(crate) fn saying_what_was_done(self) -> FindingPrinter<'r> {
        FindingPrinter { says_what_was_done: true, ..self }
    }

    /// Adds members to the JSON form.
    pub(crate) fn add_members(&mut self, members: Vec<(&'static str, serde_json::Value)>) {
        self.members.extend(members.into_iter().map(|(name, value)| (name.to_owned(), value)));
    }

    /// Takes the outcome of one file.
    pub(crate) fn take(&mut self, job: &Job, outcome: CompiledFile) -> Result<(), CommandError> {
        if outcome.compilation.has_errors() {
            self.exit = self.exit.max(Exit::Input);
        }
        self.warn_of_experiments(job)?;
        if let Some(failure) = &outcome.failure {
            self.exit = self.exit.max(failure.exit());
            self.streams.flush()?;
            self.streams.report_error(&failure.to_string());
        }
        self.looked_at += 1;
        if outcome.failure.is_none()
            && let (Some(_), Some(path)) = (&outcome.compilation.template, &job.output)
        {
            self.written.push(path.clone());
        }
        if self.form == Form::Json {
            let written = outcome.compilation.template.as_ref().and(job.output.as_ref());
            self.records.push(FileRecord {
                file: job.named.to_string_lossy().into_owned(),
                output: written.map(|path| path.to_string_lossy().into_owned()),
                failure: outcome.failure.as_ref().map(ToString::to_string),
            });
        }
        if outcome.failure.is_some() {
            return Ok(());
        }
        let is_folded = self.form == Form::Pretty && outcome.compilation.has_errors();
        let followers = match is_folded {
            true => bicep::editor::followers(self.compiler, &outcome.compilation.findings),
            false => BTreeSet::new(),
        };
        for (file, (path, found)) in outcome.compilation.findings.iter().enumerate() {
            if self.seen.insert(path.clone()) {
                self.add(path, found, &|place| followers.contains(&(file, place)))?;
            }
        }
        Ok(())
    }

    /// Takes what is found in files of other languages, whose texts become files of the sources.
    pub(crate) fn take_others(
        &mut self,
        find: impl FnOnce(&mut SourceMap) -> Result<LanguageFindings, CommandError>,
    ) -> Result<(), CommandError> {
        let keeps = self.form.is_whole();
        if !keeps {
            self.sources.truncate(0);
        }
        let found = find(&mut self.sources)?;
        for (file, failure) in found.files {
            if let Some(failure) = &failure {
                self.exit = self.exit.max(failure.exit());
                self.streams.flush()?;
                self.streams.report_error(&failure.to_string());
            }
            let failure = failure.as_ref().map(ToString::to_string);
            let file = file.to_string_lossy().into_owned();
            self.looked_at += 1;
            self.records.push(FileRecord { file, output: None, failure });
        }
        if found.findings.iter().any(Diagnostic::is_error) {
            self.exit = self.exit.max(Exit::Input);
        }
        self.summary += Summary::of(&found.findings);
        let shown = report::few(&found.findings);
        if keeps {
            self.findings.extend(shown.into_owned());
            return Ok(());
        }
        let text = report::text(self.form, self.streams.error_style, &self.sources, &shown)?;
        self.print(&text)
    }

    /// Prints what is left to print.
    pub(crate) fn finish(mut self) -> Result<Exit, CommandError> {
        let text = match self.form {
            Form::Json => {
                self.streams.add_findings(&self.sources, &self.findings)?;
                let (files, summary, members) = (&self.records, Counts::of(&self.summary), &self.members);
                self.streams.print_result(&report::json_text(&RunRecord { files, summary, members })?)?;
                return Ok(self.exit);
            }
            Form::Sarif | Form::PlainSarif | Form::JUnit => {
                report::text(self.form, self.streams.error_style, &self.sources, &self.findings)?
            }
            Form::Pretty if !self.common.quiet && self.summary != Summary::default() => {
                format!("{}\n", self.summary)
            }
            Form::Pretty | Form::Lines | Form::JsonLines | Form::GitHub => String::new(),
        };
        self.print(&text)?;
        self.say_what_was_done()?;
        Ok(self.exit)
    }

    /// Says in one line what was done, where nothing else says it.
    fn say_what_was_done(&mut self) -> Result<(), CommandError> {
        let is_silent = self.common.quiet || self.common.drop_in || !self.form.is_for_people();
        if is_silent || !self.says_what_was_done {
            return Ok(());
        }
        let files = |count: usize| format!("{count} file{}", if count == 1 { "" } else { "s" });
        let line = match self.written.as_slice() {
            [only] => format!("wrote `{}`", printable(&only.to_string_lossy())),
            [_, ..] => format!("wrote {}", files(self.written.len())),
            [] if self.is_result && self.looked_at > 0 && self.exit == Exit::Fine => {
                match self.summary == Summary::default() {
                    true => format!("no problems found in {}", files(self.looked_at)),
                    false => return Ok(()),
                }
            }
            [] => return Ok(()),
        };
        self.streams.print_error(&format!("{line}\n"))
    }

    /// Adds what was found in a file. For people, errors that follow from others come behind them, and only if everything is wanted.
    fn add(
        &mut self,
        path: &FilePath,
        found: &[Finding],
        follows: &dyn Fn(usize) -> bool,
    ) -> Result<(), CommandError> {
        let text = text_of(self.compiler, path);
        let keeps = self.form.is_whole();
        if !keeps {
            self.sources.truncate(0);
        }
        let whole = matches!(self.form, Form::Lines | Form::PlainSarif);
        let name = if whole { path.as_str() } else { shortened(path) };
        let file = self.sources.add(name, text);
        let diagnostics: Vec<Diagnostic> = found.iter().map(|finding| diagnostic(file, finding)).collect();
        self.summary += Summary::of(&diagnostics);
        let diagnostics = causes_first(diagnostics, follows, self.common.verbose);
        let shown = report::few(&diagnostics);
        if keeps {
            self.findings.extend(shown.into_owned());
            return Ok(());
        }
        let text = report::text(self.form, self.streams.error_style, &self.sources, &shown)?;
        self.print(&text)
    }

    /// Prints findings: as data to standard output if nothing else is asked for, else to standard error.
    fn print(&mut self, text: &str) -> Result<(), CommandError> {
        if self.is_result && self.form.is_data() {
            self.streams.print(text)
        } else {
            self.streams.print_error(text)
        }
    }

    /// Says which experimental features are on, each once.
    fn warn_of_experiments(&mut self, job: &Job) -> Result<(), CommandError> {
        if self.common.quiet || !self.form.is_for_people() {
            return Ok(());
        }
        let features = self.compiler.experimental_features(&job.path);
        let mut new: Vec<&str> = Vec::new();
        for feature in features.iter().filter(|feature| feature.warrants_warning()) {
            if self.warned.insert(feature.title()) {
                new.push(feature.title());
            }
        }
        if new.is_empty() {
            return Ok(());
        }
        let text = format!(
            "WARNING: these experimental features of Bicep are on: {}. They can change or go away; do not use them in production.\n",
            new.join(", ")
        );
        self.streams.print_error(&text)
    }
}

/// Findings with those that follow from others behind them; how many there are stands for them, unless all are wanted.
fn causes_first(diagnostics: Vec<Diagnostic>, follows: &dyn Fn(usize) -> bool, all: bool) -> Vec<Diagnostic> {
    let (mut causes, mut followers) = (Vec::new(), Vec::new());
    for (place, diagnostic) in diagnostics.into_iter().enumerate() {
        if follows(place) { &mut followers } else { &mut causes }.push(diagnostic);
    }
    match followers.len() {
        0 => {}
        _ if all => causes.extend(followers),
        count => {
            let errors = if count == 1 { "1 error follows" } else { &format!("{count} errors follow") };
            let message = format!("{errors} from others; `--verbose` shows all");
            causes.push(Diagnostic::info("not-shown", message));
        }
    }
    causes
}

/// The text that findings of a file point into.
fn text_of(compiler: &Compiler, path: &FilePath) -> Arc<str> {
    let is_config = path.extension().eq_ignore_ascii_case(".json");
    match compiler.file(path).as_deref() {
        Ok(SourceFile::Bicep(file)) => file.tree.shared_text(),
        _ if is_config => {
            let bytes = compiler.world().read(path);
            bytes.map_or_else(|_| "".into(), |bytes| String::from_utf8_lossy(&bytes).into())
        }
        _ => "".into(),
    }
}

/// What the compiler found in a file, with the text that it points into.
pub(crate) fn diagnostics_of(
    compiler: &Compiler,
    path: &FilePath,
    found: &[Finding],
) -> (SourceMap, Vec<Diagnostic>) {
    let mut sources = SourceMap::new();
    let file = sources.add(shortened(path), text_of(compiler, path));
    (sources, found.iter().map(|finding| diagnostic(file, finding)).collect())
}

/// A finding of the compiler as one of ours.
pub(crate) fn diagnostic(file: FileId, finding: &Finding) -> Diagnostic {
    let place = Span::new(file, finding.span.start, finding.span.end);
    let mut found = Diagnostic::new(finding.severity, finding.code, finding.message.clone()).at(place);
    found.help.extend(finding.hint.clone());
    let is_safe = finding.fix_safety() == FixSafety::Safe;
    found.fixes.extend(finding.fixes.iter().map(|fix| {
        fix.edits.iter().fold(Fix::new(fix.title.clone()).safe(is_safe), |made, edit| {
            made.replace(Span::new(file, edit.span.start, edit.span.end), edit.text.clone())
        })
    }));
    match bicep::lint::link(finding.code) {
        Some(page) => found.docs(page),
        None => found,
    }
}

/// A path for people: as it is seen from the current folder, if it is below it.
pub(crate) fn shortened(path: &FilePath) -> &str {
    let Ok(here) = std::env::current_dir() else { return path.as_str() };
    let below = Path::new(path.as_str()).strip_prefix(here).ok();
    below.and_then(Path::to_str).filter(|below| !below.is_empty()).unwrap_or(path.as_str())
}

/// The whole run in the JSON form of a result.
#[derive(Serialize)]
struct RunRecord<'r> {
    files: &'r [FileRecord],
    summary: Counts,
    #[serde(flatten)]
    members: &'r serde_json::Map<String, serde_json::Value>,
}

/// How many findings there are.
#[derive(Serialize)]
struct Counts {
    errors: usize,
    warnings: usize,
    infos: usize,
}

impl Counts {
    fn of(summary: &Summary) -> Counts {
        Counts { errors: summary.errors, warnings: summary.warnings, infos: summary.infos }
    }
}
