//! What a run over values found, file by file: for people, as JSON lines, as a SARIF log, as one JSON value.

use std::path::Path;
use std::sync::Arc;

use contract::Admitted;
use contract::findings::LocatedViolation;
use diagnostics::{Diagnostic, SourceMap, printable};
use document::Document;
use serde::Serialize;

use crate::common::{Common, Form};
use crate::deploy::html_report;
use crate::exit::{CommandError, Exit};
use crate::finding;
use crate::output::Streams;
use crate::output_file::OutputFile;
use crate::report::{self, print_findings};

/// What is known of one file after a look at it.
#[derive(Default)]
pub(crate) struct CheckedFile {
    /// Its name as people see it.
    pub(crate) name: String,
    /// How many documents were let across.
    valid: usize,
    /// The violations in them, in document order.
    pub(crate) found: Vec<LocatedViolation>,
    /// How many of its documents have violations.
    pub(crate) invalid: usize,
    /// How many of the others have rules that could not run.
    pub(crate) unchecked: usize,
    /// Why it could not be read, if that is the fault of its content.
    pub(crate) errors: Vec<Diagnostic>,
    /// Why it could not be read, if that is the fault of the machine.
    pub(crate) failure: Option<String>,
    /// Whether there are violations that were left out.
    pub(crate) cut: bool,
}

impl CheckedFile {
    /// A file that was not looked at yet.
    pub(crate) fn named(name: String) -> CheckedFile {
        CheckedFile { name, ..CheckedFile::default() }
    }

    /// Counts a document as valid, which only the gate can say of it.
    pub(crate) fn accept(&mut self, _: &Admitted<&Arc<Document>>) {
        self.valid += 1;
    }

    /// How many documents it holds.
    fn documents(&self) -> usize {
        self.valid + self.invalid
    }

    fn is_valid(&self) -> bool {
        self.found.is_empty() && self.errors.is_empty() && self.failure.is_none()
    }
}

/// What all files come to.
#[derive(Default, Serialize)]
struct Totals {
    valid: bool,
    files: usize,
    unreadable: usize,
    values: Values,
    violations: usize,
}

/// What all documents of all files come to.
#[derive(Default, Serialize)]
struct Values {
    valid: usize,
    invalid: usize,
    /// How many of the valid ones have rules that could not run.
    #[serde(skip_serializing_if = "is_zero")]
    unchecked: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Prints results in the form that was asked for, each as soon as it is known.
pub(crate) struct Verdicts<'r> {
    common: &'r Common,
    streams: &'r mut Streams,
    totals: Totals,
    exit: Exit,
    contract: String,
    /// What is told of each file in the JSON form.
    files: Vec<FileRecord>,
    /// For the forms that need all of them at once.
    findings: Vec<Diagnostic>,
    /// The file of the report that is wanted beside, and what it says.
    kept: Option<CheckReport<'r>>,
    /// Whether everything is shown, however much it is.
    shows_all: bool,
}

/// What a report says.
struct CheckReport<'r> {
    file: &'r Path,
    contract: String,
    findings: Vec<pages::DiagnosticView>,
}

impl<'r> Verdicts<'r> {
    /// Begins a report on values that are checked against a contract; the flaws are those of the contract.
    pub(crate) fn begin(
        common: &'r Common,
        streams: &'r mut Streams,
        contract: &str,
        sources: &SourceMap,
        flaws: Vec<Diagnostic>,
        report: Option<&'r Path>,
    ) -> Result<Verdicts<'r>, CommandError> {
        let exit = if flaws.is_empty() { Exit::Fine } else { Exit::Input };
        let kept =
            report.map(|file| CheckReport { file, contract: contract.to_owned(), findings: Vec::new() });
        let mut report = Verdicts {
            common,
            streams,
            totals: Totals::default(),
            exit,
            contract: contract.to_owned(),
            files: Vec::new(),
            findings: Vec::new(),
            kept,
            shows_all: false,
        };
        report.show(sources, flaws)?;
        Ok(report)
    }

    /// Shows everything, however much it is, if this is wanted.
    pub(crate) fn showing_all(mut self, wanted: bool) -> Verdicts<'r> {
        self.shows_all = wanted;
        self
    }

    /// Whether the sources of a file are needed after the file was reported.
    pub(crate) fn keeps_sources(&self) -> bool {
        matches!(self.common.form(), Form::Findings(form) if form.is_whole())
    }

    /// Takes the result of one file.
    pub(crate) fn file(&mut self, sources: &SourceMap, checked: CheckedFile) -> Result<(), CommandError> {
        self.count(&checked);
        if self.common.form() == Form::Json {
            self.files.push(FileRecord::new(&checked));
        }
        if let Some(failure) = &checked.failure {
            self.streams.flush()?;
            self.streams.report_error(failure);
        }
        let fine = checked.is_valid();
        let several = checked.documents() > 1;
        let mut findings = checked.errors;
        findings.extend(checked.found.iter().map(|found| found.diagnostic(sources, several)));
        self.show(sources, findings)?;
        if self.common.form() != Form::Text {
            return Ok(());
        }
        if fine && self.common.verbose {
            self.streams.print(&format!("{}: valid\n", printable(&checked.name)))?;
        }
        if checked.cut && !self.common.quiet {
            let note = "note: there are more violations; `--max-violations` says how many are shown\n\n";
            self.streams.print(note)?;
        }
        Ok(())
    }

    /// Prints what is left to print.
    pub(crate) fn finish(mut self, sources: &SourceMap) -> Result<Exit, CommandError> {
        if let Some(kept) = self.kept.take() {
            kept.write(&self.totals, self.exit)?;
        }
        match self.common.form() {
            Form::Json => {
                self.totals.valid = self.exit == Exit::Fine;
                let (contract, files) = (&self.contract, &self.files);
                let result = ResultRecord { contract, files, summary: &self.totals };
                self.streams.print_result(&report::json_text(&result)?)?;
            }
            Form::Findings(form) if form.is_whole() => {
                let (form, style) = (self.common.form().into(), self.streams.out_style);
                self.streams.print(&report::text(form, style, sources, &self.findings)?)?;
            }
            Form::Findings(_) => {}
            Form::Text if self.common.quiet || self.totals.files == 0 => {}
            Form::Text => {
                self.streams.print(&format!("{}\n", self.totals.sentence()))?;
            }
        }
        Ok(self.exit)
    }

    fn count(&mut self, checked: &CheckedFile) {
        let exit = match checked {
            CheckedFile { failure: Some(_), .. } => Exit::Environment,
            checked if checked.is_valid() => Exit::Fine,
            _ => Exit::Input,
        };
        self.exit = self.exit.max(exit);
        let totals = &mut self.totals;
        totals.files += 1;
        totals.unreadable += usize::from(!checked.errors.is_empty() || checked.failure.is_some());
        totals.values.invalid += checked.invalid;
        totals.values.unchecked += checked.unchecked;
        totals.values.valid += checked.valid;
        totals.violations += checked.found.len();
    }

    fn show(&mut self, sources: &SourceMap, findings: Vec<Diagnostic>) -> Result<(), CommandError> {
        if let Some(kept) = &mut self.kept {
            kept.findings.extend(html_report::findings(sources, &findings));
        }
        match self.common.form() {
            Form::Json => self.streams.add_findings(sources, &findings),
            Form::Findings(form) if form.is_whole() => {
                self.findings.extend(findings);
                Ok(())
            }
            // Who asks for more violations than are shown otherwise gets all of them.
            Form::Text | Form::Findings(_) if self.shows_all => {
                let form = self.common.form().into();
                let text = report::text(form, self.streams.out_style, sources, &findings)?;
                self.streams.print(&text)
            }
            Form::Text | Form::Findings(_) => print_findings(self.common, self.streams, sources, &findings),
        }
    }
}

impl CheckReport<'_> {
    fn write(&self, totals: &Totals, exit: Exit) -> Result<(), CommandError> {
        let text = pages::report(&pages::Report {
            title: format!("Values against {}", self.contract),
            status: if exit == Exit::Fine { pages::Status::Good } else { pages::Status::Bad },
            verdict: match totals.sentence() {
                sentence if sentence.is_empty() => "the contract has flaws".to_owned(),
                sentence => sentence,
            },
            facts: vec![("Contract", self.contract.clone()), ("Files", totals.files.to_string())],
            findings: Some(pages::Group::all(&self.findings, &finding::summary)),
            timeline: None,
            graph: None,
            outputs: Vec::new(),
        });
        let name = format!("`{}`", self.file.display());
        OutputFile::at(self.file).write(text.as_bytes()).map_err(|error| CommandError::writing(&name, &error))
    }
}

impl Totals {
    /// The last line: `1 value valid, 2 invalid, 5 violations`.
    fn sentence(&self) -> String {
        let count = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
        let mut parts = Vec::new();
        let Values { valid, invalid, unchecked } = self.values;
        match (valid, invalid) {
            (0, 0) => {}
            (_, 0) => parts.push(format!("{} valid", count(valid, "value"))),
            (0, _) => parts.push(format!("{} invalid", count(invalid, "value"))),
            (_, _) => parts.push(format!("{} valid, {invalid} invalid", count(valid, "value"))),
        }
        if unchecked > 0 {
            parts.push(format!("{unchecked} with rules that could not run"));
        }
        if self.violations > 0 {
            parts.push(count(self.violations, "violation"));
        }
        if self.unreadable > 0 {
            parts.push(format!("{} not readable", count(self.unreadable, "file")));
        }
        parts.join(", ")
    }
}

/// The JSON form of a result.
#[derive(Serialize)]
struct ResultRecord<'r> {
    contract: &'r str,
    files: &'r [FileRecord],
    summary: &'r Totals,
}

/// One file in the JSON form of a result.
#[derive(Serialize)]
struct FileRecord {
    file: String,
    valid: bool,
    documents: usize,
    /// Whether all violations are told.
    complete: bool,
    /// What kept the file from being read at all.
    failure: Option<String>,
}

impl FileRecord {
    fn new(checked: &CheckedFile) -> FileRecord {
        FileRecord {
            file: checked.name.clone(),
            valid: checked.is_valid(),
            documents: checked.documents(),
            complete: !checked.cut,
            failure: checked.failure.clone(),
        }
    }
}
