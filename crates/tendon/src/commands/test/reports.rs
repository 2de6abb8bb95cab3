//! Files that report a run of tests.

use std::path::{Path, PathBuf};

use testing::TestRun;
use testing::coverage::CoverageRun;
use testing::mutation::MutationRun;
use testing::reports::{events, html, junit, sarif, tap};

use crate::exit::CommandError;
use crate::input;
use crate::output_file::OutputFile;

/// A file to write, and what to.
pub(super) struct Report {
    path: PathBuf,
    form: fn(&Told<'_>) -> String,
}

/// What a report can tell.
pub(super) struct Told<'r> {
    pub(super) run: &'r TestRun,
    /// None if nobody looked.
    pub(super) reached: Option<&'r CoverageRun>,
    /// None if nothing was changed.
    pub(super) mutated: Option<&'r MutationRun>,
}

/// What makes the text of a report.
type Writer = fn(&Told<'_>) -> String;

/// The forms by the endings of files.
const FORMS: [(&str, Writer); 5] = [
    ("xml", |told| junit(told.run)),
    ("jsonl", |told| events(told.run)),
    ("tap", |told| tap(told.run)),
    ("sarif", |told| sarif(told.run, env!("CARGO_PKG_VERSION"))),
    ("html", |told| html(told.run, told.reached, told.mutated)),
];

impl Report {
    pub(super) fn of(path: &Path) -> Result<Report, CommandError> {
        let extension = input::extension(path.as_os_str()).unwrap_or_default();
        let form = FORMS.iter().find(|(ending, _)| *ending == extension).map(|(_, form)| *form);
        let form = form.ok_or_else(|| {
            let endings: Vec<String> = FORMS.iter().map(|(ending, _)| format!("`.{ending}`")).collect();
            let path = path.display();
            CommandError::Usage(format!(
                "`{path}` has no ending that says what to write; there are {}",
                endings.join(", ")
            ))
        })?;
        Ok(Report { path: path.to_owned(), form })
    }

    pub(super) fn write(&self, told: &Told<'_>) -> Result<(), CommandError> {
        let written = OutputFile::at(&self.path).write((self.form)(told).as_bytes());
        written.map_err(|error| CommandError::writing(&format!("`{}`", self.path.display()), &error))
    }
}

/// Writes a text about something.
type TextForm<T> = fn(&T) -> String;

/// The forms of what was reached, by the endings of files.
const COVERAGE_FORMS: [(&str, TextForm<CoverageRun>); 3] =
    [("info", CoverageRun::lcov), ("xml", CoverageRun::cobertura), ("json", coverage_json)];

fn coverage_json(run: &CoverageRun) -> String {
    format!("{}\n", serde_json::to_string_pretty(&run.json()).unwrap_or_default())
}

/// The form that an ending means.
pub(super) fn coverage_form(path: &Path) -> Result<TextForm<CoverageRun>, CommandError> {
    let extension = input::extension(path.as_os_str()).unwrap_or_default();
    let form = COVERAGE_FORMS.iter().find(|(ending, _)| *ending == extension).map(|(_, form)| *form);
    form.ok_or_else(|| {
        let path = path.display();
        CommandError::Usage(format!(
            "`{path}` has no ending that says what to write; there are `.info`, `.xml`, `.json`"
        ))
    })
}

/// Writes what was reached.
pub(super) fn write_coverage(path: &Path, run: &CoverageRun) -> Result<(), CommandError> {
    let form = coverage_form(path)?;
    let written = OutputFile::at(path).write(form(run).as_bytes());
    written.map_err(|error| CommandError::writing(&format!("`{}`", path.display()), &error))
}
