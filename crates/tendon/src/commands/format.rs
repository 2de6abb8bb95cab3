//! `tendon format`: formats files of every language.

use std::collections::BTreeMap;
use std::io;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use bicep::{Config, FilePath, Finding, Severity};
use clap::ValueEnum;
use diagnostics::{Diagnostic, FileId, SourceMap, printable};
use serde::Serialize;
use syntax::format::{FormatOptions, IndentKind, NewlineKind};
use syntax::{SourceKind, SyntaxTree};

use crate::common::{Common, Output};
use crate::compile::disk::{Disk, file_path};
use crate::compile::{Job, LanguageUse, Selection, SourceFilter, diagnostic, shortened, work};
use crate::exit::{CommandError, Exit};
use crate::formatters::PlainLanguage;
use crate::lint_files::is_written_by_people;
use crate::output::Streams;
use crate::output_file::OutputFile;
use crate::report::{self, Form};
use crate::{diff, files, formatters};

/// Format files in every language
///
/// Bicep programs and parameters, Thrift, JSON and YAML, each by its file type. Files are changed in place, unless an
/// option says otherwise; files that are formatted already are not written. In a folder, JSON and YAML are formatted if
/// they are templates, parameters, manifests of resource types or contracts. The settings come from the nearest
/// `bicepconfig.json`, and options override them. A file with syntax errors is not changed.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    selection: Selection,

    /// Change nothing: list the files that are not formatted, and exit with 1 if there are any
    #[arg(long, conflicts_with_all = ["stdout", "outdir", "outfile"])]
    check: bool,

    /// Change nothing: print the changes as a unified diff
    #[arg(long, conflicts_with_all = ["stdout", "outdir", "outfile"])]
    diff: bool,

    /// Print the result; for one file
    #[arg(long, conflicts_with_all = ["outdir", "outfile", "pattern"])]
    stdout: bool,

    /// Write results to a folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["outfile", "pattern"])]
    outdir: Option<PathBuf>,

    /// Write the result to a file; for one file
    #[arg(long, value_name = "FILE", conflicts_with = "pattern")]
    outfile: Option<PathBuf>,

    #[command(flatten)]
    form: FormOptions,
}

/// What overrides the configuration.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Formatting")]
struct FormOptions {
    /// The longest line of Bicep that is not broken, in columns
    #[arg(long, value_name = "N")]
    width: Option<u32>,

    /// The character that indents lines: Space or Tab
    #[arg(long, value_enum, value_name = "KIND", ignore_case = true, hide_possible_values = true)]
    indent_kind: Option<Indents>,

    /// The number of spaces of one level
    #[arg(long, value_name = "N")]
    indent_size: Option<u32>,

    /// The line ending: LF, CRLF or CR
    #[arg(long, value_enum, value_name = "KIND", ignore_case = true, hide_possible_values = true)]
    newline_kind: Option<Newlines>,

    /// End the last line with a line break, or with `=false`, without one
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", ignore_case = true)]
    insert_final_newline: Option<bool>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Indents {
    Space,
    Tab,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Newlines {
    Lf,
    Crlf,
    Cr,
}

const EXAMPLES: &str = "\
Examples:
  tendon format main.bicep
  tendon format --pattern '**/*.bicep' --check
  tendon format .
  tendon format service.thrift main.parameters.json types.yaml
  tendon format main.bicep main.bicepparam --diff
  tendon format main.bicep --stdout --width 80";

impl FormOptions {
    fn over(&self, configured: FormatOptions) -> FormatOptions {
        FormatOptions {
            width: self.width.unwrap_or(configured.width),
            indent_kind: match self.indent_kind {
                Some(Indents::Space) => IndentKind::Space,
                Some(Indents::Tab) => IndentKind::Tab,
                None => configured.indent_kind,
            },
            indent_size: self.indent_size.unwrap_or(configured.indent_size),
            newline_kind: match self.newline_kind {
                Some(Newlines::Lf) => NewlineKind::Lf,
                Some(Newlines::Crlf) => NewlineKind::CrLf,
                Some(Newlines::Cr) => NewlineKind::Cr,
                None => configured.newline_kind,
            },
            insert_final_newline: self.insert_final_newline.unwrap_or(configured.insert_final_newline),
        }
    }
}

/// A file that was looked at.
struct Looked {
    /// The text before, for what is found in it and what is changed.
    before: Arc<str>,
    /// Syntax errors, and what is wrong with the configuration.
    findings: Vec<Finding>,
    /// The syntax errors of a language other than Bicep.
    others: Vec<Diagnostic>,
    /// The text after, if there is one.
    after: Option<String>,
}

impl Looked {
    fn is_changed(&self) -> bool {
        self.after.as_deref().is_some_and(|after| after != &*self.before)
    }
}

/// The configurations of folders, each read once.
#[derive(Default)]
struct Configs(Mutex<BTreeMap<FilePath, Arc<Config>>>);

impl Configs {
    fn of(&self, folder: &FilePath) -> Arc<Config> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(config) = known().get(folder) {
            return Arc::clone(config);
        }
        let config = Arc::new(Config::find(&Disk::default(), folder));
        known().insert(folder.clone(), Arc::clone(&config));
        config
    }
}

pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let jobs = arguments.jobs(common.drop_in)?;
    if arguments.stdout && common.output == Output::Json {
        let message = "`--output json` and `--stdout` both want standard output, leave out one of them";
        return Err(CommandError::Usage(message.to_owned()));
    }
    if jobs.is_empty() && !common.quiet {
        streams.print_error("note: no file matches the pattern\n")?;
    }
    let configs = Configs::default();
    let mut run = Run::begin(arguments, common, streams);
    let look = |job: &Job| {
        let looked = arguments.look(job, &configs, common.drop_in)?;
        if let (Some(output), Some(after)) = (&job.output, &looked.after)
            && (looked.is_changed() || *output != job.named)
        {
            write(output, after)?;
        }
        Ok(looked)
    };
    work::each_in_order(&jobs, look, |job, looked| run.take(job, looked))?;
    run.finish()
}

impl Arguments {
    /// The files, and where their results go: nowhere, if nothing is to be changed.
    fn jobs(&self, drop_in: bool) -> Result<Vec<Job>, CommandError> {
        let mut jobs = match drop_in {
            true => self.selection.jobs(SourceFilter::Either, None)?,
            false => self.jobs_of_every_language()?,
        };
        let one = if self.stdout { Some("--stdout") } else { self.outfile.as_ref().map(|_| "--outfile") };
        if let Some(option) = one.filter(|_| jobs.len() > 1) {
            let message = format!("`{option}` is for one file, and {} are named", jobs.len());
            return Err(CommandError::Usage(message));
        }
        if self.check || self.diff || self.stdout {
            return Ok(jobs);
        }
        for job in &mut jobs {
            let beside =
                || self.outdir.as_ref().map(|folder| folder.join(job.named.file_name().unwrap_or_default()));
            job.output = Some(self.outfile.clone().or_else(beside).unwrap_or_else(|| job.named.clone()));
        }
        let mut outputs: Vec<&PathBuf> = jobs.iter().filter_map(|job| job.output.as_ref()).collect();
        outputs.sort();
        if let Some([twice, _]) = outputs
            .windows(2)
            .find(|pair| matches!(pair, [a, b] if a == b))
            .and_then(|pair| pair.first_chunk::<2>())
        {
            return Err(CommandError::Usage(format!(
                "two results would be written to `{}`",
                twice.display()
            )));
        }
        Ok(jobs)
    }

    /// The files of Bicep, then the others. Of a folder, only data that people write is meant.
    fn jobs_of_every_language(&self) -> Result<Vec<Job>, CommandError> {
        let (mut jobs, mut others) = self.selection.of_every_language(LanguageUse::Format)?;
        if !self.selection.is_pattern() {
            let is_data = |path: &Path| PlainLanguage::of_name(path) != Some(PlainLanguage::Thrift);
            others.retain(|it| it.is_named || !is_data(&it.path) || is_written_by_people(it));
        }
        jobs.extend(others.into_iter().map(|it| Job {
            path: file_path(&it.path),
            named: it.path,
            output: None,
        }));
        Ok(jobs)
    }

    /// Reads and formats a file.
    fn look(&self, job: &Job, configs: &Configs, drop_in: bool) -> Result<Looked, CommandError> {
        let shown = format!("`{}`", printable(&job.named.to_string_lossy()));
        let bytes = files::read(&job.named).map_err(|unread| CommandError::unread(&shown, &unread))?;
        let text = String::from_utf8(bytes).map_err(|_| {
            CommandError::Environment(format!(
                "cannot read {shown}: it is not UTF-8, and so it is not changed"
            ))
        })?;
        let config = configs.of(&job.path.folder());
        let faults = config.faults().iter().map(|fault| fault.at(syntax::Span::new(0, 0)));
        let options = self.form.over(config.formatting());
        if let Some(language) = PlainLanguage::of_name(&job.named) {
            let findings: Vec<Finding> = faults.collect();
            let style = formatters::style(&options)?;
            let (after, others) = match language.format(&text, FileId::FIRST, &style) {
                Ok(after) => (findings.is_empty().then_some(after), Vec::new()),
                Err(others) => (None, others),
            };
            return Ok(Looked { before: text.into(), findings, others, after });
        }
        let is_params = job.path.extension().eq_ignore_ascii_case(".bicepparam");
        let kind = if is_params { SourceKind::Params } else { SourceKind::Bicep };
        let tree = syntax::parse(text, kind);
        // In the place of the public command, declarations with errors stay as they are, and nothing is said.
        let findings: Vec<Finding> =
            if drop_in { faults.collect() } else { faults.chain(mistakes(&tree)).collect() };
        let after = findings.is_empty().then(|| match drop_in {
            true => syntax::format::format_once(&tree, &options),
            false => syntax::format::format(&tree, &options),
        });
        Ok(Looked { before: tree.shared_text(), findings, others: Vec::new(), after })
    }
}

/// The syntax errors of a program.
fn mistakes(tree: &SyntaxTree) -> impl Iterator<Item = Finding> {
    tree.diagnostics().iter().map(|found| Finding {
        span: found.span,
        code: found.code.as_str(),
        severity: Severity::Error,
        message: found.message(tree.text()).into(),
        hint: found.code.hint().map(Into::into),
        fixes: Vec::new(),
    })
}

/// A diagnostic of the first file, in another one.
fn in_file(mut diagnostic: Diagnostic, file: FileId) -> Diagnostic {
    let places =
        diagnostic.primary.iter_mut().chain(diagnostic.labels.iter_mut().map(|label| &mut label.span));
    places.for_each(|span| span.file = file);
    diagnostic
}

/// Writes a result, which may be the source itself.
fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    let shown = format!("`{}`", printable(&path.to_string_lossy()));
    OutputFile::at(path)
        .in_place()
        .write(text.as_bytes())
        .map_err(|error| CommandError::writing(&shown, &error))
}

/// What is told while files are formatted, one after the other.
struct Run<'r> {
    arguments: &'r Arguments,
    common: &'r Common,
    streams: &'r mut Streams,
    form: Form,
    to_terminal: bool,
    sources: SourceMap,
    findings: Vec<Diagnostic>,
    records: Vec<FileRecord>,
    /// How many files were read, and how many of them are not formatted.
    looked_at: usize,
    changed: usize,
    /// How many have errors, so that they are not formatted.
    failed: usize,
    exit: Exit,
}

/// One file in the JSON form of the result.
#[derive(Serialize)]
struct FileRecord {
    file: String,
    changed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    failure: Option<String>,
}

/// The JSON form of the result.
#[derive(Serialize)]
struct RunRecord<'r> {
    files: &'r [FileRecord],
}

impl<'r> Run<'r> {
    fn begin(arguments: &'r Arguments, common: &'r Common, streams: &'r mut Streams) -> Run<'r> {
        let form = Form::of_sources(common, streams.watched);
        Run {
            arguments,
            common,
            streams,
            form,
            to_terminal: io::stdout().is_terminal(),
            sources: SourceMap::new(),
            findings: Vec::new(),
            records: Vec::new(),
            looked_at: 0,
            changed: 0,
            failed: 0,
            exit: Exit::Fine,
        }
    }

    /// Tells what became of one file.
    fn take(&mut self, job: &Job, looked: Result<Looked, CommandError>) -> Result<(), CommandError> {
        let file = job.named.to_string_lossy().into_owned();
        let looked = match looked {
            Ok(looked) => looked,
            Err(failure) => {
                self.exit = self.exit.max(failure.exit());
                self.streams.flush()?;
                self.streams.report_error(&failure.to_string());
                self.records.push(FileRecord {
                    file,
                    changed: false,
                    diff: None,
                    failure: Some(failure.to_string()),
                });
                return Ok(());
            }
        };
        self.tell_findings(job, &looked)?;
        let is_changed = looked.is_changed();
        self.looked_at += 1;
        self.changed += usize::from(is_changed);
        self.failed += usize::from(looked.after.is_none());
        if is_changed && self.arguments.check {
            self.exit = self.exit.max(Exit::Input);
        }
        let after = looked.after.as_deref().unwrap_or_default();
        let diff = (is_changed && self.arguments.diff).then(|| {
            let to_people = self.form != Form::Json;
            let style = if to_people { self.streams.out_style } else { diagnostics::terminal::Style::Plain };
            diff::unified(&file, &looked.before, after, style, to_people && self.to_terminal)
        });
        if self.form == Form::Json {
            self.records.push(FileRecord { file, changed: is_changed, diff, failure: None });
            return Ok(());
        }
        if self.arguments.stdout {
            return self.streams.print(&self.shown(after));
        }
        if let Some(diff) = diff {
            return self.streams.print(&diff);
        }
        if is_changed && (self.arguments.check || self.common.verbose) {
            self.streams.print(&format!("{}\n", printable(&file)))?;
        }
        Ok(())
    }

    /// The text as it can be printed: on a terminal, what would be no text there is escaped.
    fn shown(&self, text: &str) -> String {
        if !self.to_terminal {
            return text.to_owned();
        }
        text.split_inclusive('\n')
            .map(|line| match line.strip_suffix('\n') {
                Some(line) => format!("{}\n", printable(line)),
                None => printable(line).to_string(),
            })
            .collect()
    }

    /// Says in one line what was done.
    fn say_what_was_done(&mut self) -> Result<(), CommandError> {
        let (common, arguments) = (self.common, self.arguments);
        let is_silent = common.quiet || common.drop_in || !self.form.is_for_people();
        if is_silent || arguments.stdout || arguments.diff || self.looked_at == 0 {
            return Ok(());
        }
        let (changed, all) = (self.changed, self.looked_at);
        let files = if all == 1 { "1 file" } else { &format!("{all} files") };
        let line = match (changed, arguments.check) {
            (0, _) if self.failed == 0 => format!("nothing to format in {files}"),
            (_, true) => format!("{changed} of {files} not formatted"),
            (_, false) => format!("formatted {changed} of {files}"),
        };
        let errors = match self.failed {
            0 => String::new(),
            1 => ", 1 has errors".to_owned(),
            failed => format!(", {failed} have errors"),
        };
        self.streams.print_error(&format!("{line}{errors}\n"))
    }

    fn tell_findings(&mut self, job: &Job, looked: &Looked) -> Result<(), CommandError> {
        if looked.findings.is_empty() && looked.others.is_empty() {
            return Ok(());
        }
        self.exit = self.exit.max(Exit::Input);
        let keeps = self.form.is_whole();
        if !keeps {
            self.sources.truncate(0);
        }
        let whole = matches!(self.form, Form::Lines | Form::PlainSarif);
        let name = if whole { job.path.as_str() } else { shortened(&job.path) };
        let file = self.sources.add(name, Arc::clone(&looked.before));
        if !looked.others.is_empty() && formatters::may_hold_secrets(&looked.before) {
            self.sources.withhold(file);
        }
        let own = looked.findings.iter().map(|finding| diagnostic(file, finding));
        let found: Vec<Diagnostic> =
            own.chain(looked.others.iter().map(|it| in_file(it.clone(), file))).collect();
        if keeps {
            self.findings.extend(found);
            return Ok(());
        }
        let text = report::text(self.form, self.streams.error_style, &self.sources, &found)?;
        self.streams.print_error(&text)
    }

    fn finish(mut self) -> Result<Exit, CommandError> {
        self.say_what_was_done()?;
        if self.form == Form::Json {
            self.streams.add_findings(&self.sources, &self.findings)?;
            self.streams.print_result(&report::json_text(&RunRecord { files: &self.records })?)?;
        } else if self.form.is_whole() {
            let text = report::text(self.form, self.streams.error_style, &self.sources, &self.findings)?;
            self.streams.print_error(&text)?;
        }
        Ok(self.exit)
    }
}
