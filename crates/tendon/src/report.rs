//! The one way to print diagnostics: in one line each, with source lines, as JSON lines, as a SARIF log, as a JSON value.
//!
//! What a command knows beside diagnostics it prints itself: `verdicts` on values, `compile::findings` on programs,
//! `deploy::report` on deployments.

use std::borrow::Cow;

use arm::Value;
use diagnostics::{Diagnostic, SourceMap, bound, build_log, sarif, terminal};
use serde::Serialize;

use crate::common::{self, Common, DiagnosticsFormat, FindingsForm, Output};
use crate::envelope;
use crate::exit::CommandError;
use crate::finding;
use crate::output::Streams;

/// The forms of diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `path(line,column) : Error CODE: message [link]`
    Lines,
    Pretty,
    /// One JSON object per finding.
    JsonLines,
    Sarif,
    /// One SARIF log with no more in it than the original compiler of Bicep writes.
    PlainSarif,
    /// One workflow command of GitHub Actions per finding.
    GitHub,
    JUnit,
    /// One JSON value, where a result was asked for as JSON and there is none.
    Json,
}

impl Form {
    /// The form of what is found in Bicep files: for those who watch, with source lines.
    pub(crate) fn of_sources(common: &Common, watched: bool) -> Form {
        match (common.output, common.diagnostics_format) {
            (Output::Json, _) => Form::Json,
            (_, None) if watched => Form::Pretty,
            (_, None | Some(DiagnosticsFormat::Default)) => Form::Lines,
            (_, Some(DiagnosticsFormat::Pretty)) => Form::Pretty,
            (_, Some(DiagnosticsFormat::Json)) => Form::JsonLines,
            (_, Some(DiagnosticsFormat::Sarif)) if common.drop_in => Form::PlainSarif,
            (_, Some(DiagnosticsFormat::Sarif)) => Form::Sarif,
            (_, Some(DiagnosticsFormat::Github)) => Form::GitHub,
            (_, Some(DiagnosticsFormat::Junit)) => Form::JUnit,
        }
    }

    /// Whether all findings have to be there before the first can be written.
    pub(crate) fn is_whole(self) -> bool {
        match self {
            Form::Lines | Form::Pretty | Form::JsonLines | Form::GitHub => false,
            Form::Sarif | Form::PlainSarif | Form::JUnit | Form::Json => true,
        }
    }

    /// Whether it is for people, not for programs.
    pub(crate) fn is_for_people(self) -> bool {
        match self {
            Form::Lines | Form::Pretty => true,
            Form::JsonLines | Form::Sarif | Form::PlainSarif | Form::GitHub | Form::JUnit | Form::Json => {
                false
            }
        }
    }

    /// Whether it is findings for programs, which are the result where nothing else is asked for.
    pub(crate) fn is_data(self) -> bool {
        !self.is_for_people() && self != Form::Json
    }
}

impl From<common::Form> for Form {
    fn from(form: common::Form) -> Form {
        match form {
            common::Form::Text => Form::Pretty,
            common::Form::Findings(FindingsForm::JsonLines) => Form::JsonLines,
            common::Form::Findings(FindingsForm::Sarif) => Form::Sarif,
            common::Form::Findings(FindingsForm::GitHub) => Form::GitHub,
            common::Form::Findings(FindingsForm::JUnit) => Form::JUnit,
            common::Form::Json => Form::Json,
        }
    }
}

/// Prints findings at once, in the form for diagnostics.
pub(crate) fn print_findings(
    common: &Common,
    streams: &mut Streams,
    sources: &SourceMap,
    findings: &[Diagnostic],
) -> Result<(), CommandError> {
    if common.form() == common::Form::Json {
        return streams.add_findings(sources, &few(findings));
    }
    let text = findings_text(common, streams.out_style, sources, findings)?;
    streams.print(&text)
}

/// Findings in the form for diagnostics.
pub(crate) fn findings_text(
    common: &Common,
    style: terminal::Style,
    sources: &SourceMap,
    findings: &[Diagnostic],
) -> Result<String, CommandError> {
    text(common.form().into(), style, sources, &few(findings))
}

/// What is shown of the findings in one file or value: not more than people read, whatever the file is like.
pub(crate) fn few(findings: &[Diagnostic]) -> Cow<'_, [Diagnostic]> {
    match bound::findings(findings) {
        (shown, 0) => shown,
        (shown, hidden) => {
            let mut shown = shown.into_owned();
            shown.push(Diagnostic::info("not-shown", bound::hidden(hidden)));
            shown.into()
        }
    }
}

/// Findings in a form; the style is for people.
pub(crate) fn text(
    form: Form,
    style: terminal::Style,
    sources: &SourceMap,
    findings: &[Diagnostic],
) -> Result<String, CommandError> {
    let mut text = String::new();
    let written = match form {
        Form::Lines => findings.iter().try_for_each(|it| build_log::write(&mut text, sources, it)),
        Form::Pretty => findings.iter().try_for_each(|it| terminal::write(&mut text, sources, it, style)),
        Form::JsonLines => {
            findings.iter().try_for_each(|it| diagnostics::json::write(&mut text, sources, it))
        }
        Form::Sarif => {
            let tool = sarif::Tool {
                name: "tendon",
                version: env!("CARGO_PKG_VERSION"),
                information_uri: None,
                summary: &finding::summary,
            };
            sarif::write(&mut text, sources, findings, &tool)
        }
        Form::PlainSarif => sarif::write_plain(&mut text, sources, findings, "bicep"),
        Form::GitHub => findings.iter().try_for_each(|it| diagnostics::github::write(&mut text, sources, it)),
        Form::JUnit => diagnostics::junit::write(&mut text, sources, findings, "tendon"),
        // Where there is a result, it has these beside it.
        Form::Json => return Ok(format!("[{}]\n", envelope::json_findings(sources, findings)?.join(","))),
    };
    written.map(|()| text).map_err(|_| unwritable())
}

/// A value as JSON for people and programs: indented, with a line break at the end.
pub(crate) fn json_text(value: &impl Serialize) -> Result<String, CommandError> {
    let mut text = serde_json::to_string_pretty(value).map_err(|_| unwritable())?;
    text.push('\n');
    Ok(text)
}

/// A value of the engine as JSON for people and programs, in the same layout.
pub(crate) fn value_text(value: &Value) -> String {
    let mut text = arm::template_text::indented(value.view());
    text.push('\n');
    text
}

/// Text in memory can always be written, so this is never seen.
pub(crate) fn unwritable() -> CommandError {
    CommandError::Environment("the result cannot be put into text".to_owned())
}
