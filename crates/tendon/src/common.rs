//! The options that every command takes.

use std::path::PathBuf;

use bicep::Dialect;
use clap::ValueEnum;

use crate::output::Colour;

/// The options that every command takes.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Common options")]
pub(crate) struct Common {
    /// The form of the result: for people, or one JSON value
    #[arg(short, long, global = true, value_enum, value_name = "FORM", default_value_t)]
    pub(crate) output: Output,

    /// The form of diagnostics: with source lines, one JSON object per line, a SARIF log, or for continuous integration
    ///
    /// By default, diagnostics have source lines; those of Bicep files have one line each if standard error is not a terminal.
    #[arg(long, global = true, value_enum, value_name = "FORM", ignore_case = true)]
    pub(crate) diagnostics_format: Option<DiagnosticsFormat>,

    /// Use colour; `auto` means on a terminal, unless NO_COLOR is set
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value_t,
        hide_possible_values = false
    )]
    pub(crate) color: Colour,

    /// Print diagnostics only: no summary, no progress
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Also report what is valid
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,

    /// Write the names of the files that were read as input to a file, for `--watch`
    #[arg(long, global = true, hide = true, value_name = "FILE")]
    pub(crate) note_inputs: Option<PathBuf>,

    /// Whether the program stands in for another one, whose output is expected.
    #[arg(skip)]
    pub(crate) drop_in: bool,
}

/// The one form that the two options about forms come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    /// Findings alone, for programs.
    Findings(FindingsForm),
    /// One JSON value for everything.
    Json,
}

/// The forms of findings for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FindingsForm {
    /// One JSON object for each finding.
    JsonLines,
    /// One SARIF log for all findings.
    Sarif,
    /// One workflow command of GitHub Actions for each finding.
    GitHub,
    /// One JUnit report for all findings.
    JUnit,
}

impl FindingsForm {
    /// Whether all findings have to be there before the first can be written.
    pub(crate) fn is_whole(self) -> bool {
        matches!(self, FindingsForm::Sarif | FindingsForm::JUnit)
    }
}

impl Common {
    /// The language of Bicep files: in the place of the public compiler, its own.
    pub(crate) fn dialect(&self) -> Dialect {
        if self.drop_in { Dialect::Public } else { Dialect::Tendon }
    }

    /// The form of the output.
    pub(crate) fn form(&self) -> Form {
        match (self.output, self.diagnostics_format) {
            (Output::Json, _) => Form::Json,
            (Output::Text, None | Some(DiagnosticsFormat::Default | DiagnosticsFormat::Pretty)) => Form::Text,
            (Output::Text, Some(DiagnosticsFormat::Json)) => Form::Findings(FindingsForm::JsonLines),
            (Output::Text, Some(DiagnosticsFormat::Sarif)) => Form::Findings(FindingsForm::Sarif),
            (Output::Text, Some(DiagnosticsFormat::Github)) => Form::Findings(FindingsForm::GitHub),
            (Output::Text, Some(DiagnosticsFormat::Junit)) => Form::Findings(FindingsForm::JUnit),
        }
    }
}

/// The forms of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    // For people.
    #[default]
    Text,
    // One JSON value for the whole run.
    Json,
}

/// The forms of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiagnosticsFormat {
    // As the command prints them by itself; for Bicep files, one line each.
    Default,
    // With source lines and marks.
    Pretty,
    // One JSON object per line.
    Json,
    // One SARIF 2.1.0 log.
    Sarif,
    // Workflow commands of GitHub Actions, which show findings beside the lines.
    Github,
    // One JUnit report, in which errors are tests that failed.
    Junit,
}
