//! Files that report a run of tests.

use std::path::{Path, PathBuf};

use testing::TestRun;
use testing::coverage::CoverageRun;
use testing::reports::{events, junit, sarif, tap};

use crate::exit::CommandError;
use crate::input;
use crate::output_file::OutputFile;

/// A file to write, and what to.
pub(super) struct Report {
    path: PathBuf,
    form: TextForm<TestRun>,
}

fn sarif_log(run: &TestRun) -> String {
    sarif(run, env!("CARGO_PKG_VERSION"))
}

/// Writes a text about something.
type TextForm<T> = fn(&T) -> String;

/// The forms by the endings of files.
const FORMS: [(&str, TextForm<TestRun>); 4] =
    [("xml", junit), ("jsonl", events), ("tap", tap), ("sarif", sarif_log)];

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

    pub(super) fn write(&self, run: &TestRun) -> Result<(), CommandError> {
        let written = OutputFile::at(&self.path).write((self.form)(run).as_bytes());
        written.map_err(|error| CommandError::writing(&format!("`{}`", self.path.display()), &error))
    }
}

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
