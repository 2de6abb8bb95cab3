//! A finding as plain data, with places that people and editors count.

use bicep::Finding;
use diagnostics::{Columns, Diagnostic, Severity, SourceFile, SourceMap, Span, Text};
use serde::Serialize;

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TextPlace {
    /// The file, as it was named.
    pub file: String,
    /// The first line, from 1.
    pub line: u32,
    /// The first column, from 1.
    pub column: u32,
    /// The line of the end, from 1.
    pub end_line: u32,
    /// The column behind the last one, from 1.
    pub end_column: u32,
    /// The start, from the beginning of the text, in the unit of columns.
    pub start: u32,
    /// The place behind the end, in the unit of `start`.
    pub end: u32,
}

impl TextPlace {
    pub(crate) fn of(name: &str, source: &SourceFile, span: Span, columns: Columns) -> TextPlace {
        let (span, lines) = (source.clamp(span), source.lines());
        let (start, end) = (lines.position(span.start, columns), lines.position(span.end, columns));
        TextPlace {
            file: name.to_owned(),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            start: lines.count(span.start, columns),
            end: lines.count(span.end, columns),
        }
    }
}

/// One replacement of a fix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Replacement {
    /// What is replaced; empty for an insertion.
    pub place: TextPlace,
    /// What takes its place.
    pub text: String,
}

/// A change that mends a finding: all replacements together, or none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SuggestedFix {
    /// What editors show for it, in the imperative.
    pub title: String,
    /// The replacements; they do not overlap.
    pub replacements: Vec<Replacement>,
}

/// Something that is to be said about a file or a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlacedDiagnostic {
    /// `error`, `warning` or `info`.
    pub severity: &'static str,
    /// The code that people search for.
    pub code: String,
    /// What is wrong: a fragment, user text in backticks.
    pub message: String,
    /// What to do about it, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Where it is; none if it has no place in a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<TextPlace>,
    /// Where the rule stands that is broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<TextPlace>,
    /// The value that it is about, as a JSON pointer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// Changes that would mend it, the best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fixes: Vec<SuggestedFix>,
}

impl PlacedDiagnostic {
    /// Whether it keeps a result from being made.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error.name()
    }

    /// An error without a place.
    pub(crate) fn plain(code: &str, message: impl Into<String>) -> PlacedDiagnostic {
        PlacedDiagnostic {
            severity: Severity::Error.name(),
            code: code.to_owned(),
            message: message.into(),
            hint: None,
            place: None,
            rule: None,
            pointer: None,
            fixes: Vec::new(),
        }
    }

    /// What a library found, in texts that are numbered.
    pub(crate) fn of(found: &Diagnostic, sources: &SourceMap, columns: Columns) -> PlacedDiagnostic {
        let place = |span: Span| {
            let source = sources.get(span.file)?;
            Some(TextPlace::of(source.name(), source, span, columns))
        };
        PlacedDiagnostic {
            severity: found.severity.name(),
            code: found.code.to_string(),
            message: found.message.to_string(),
            hint: (!found.help.is_empty())
                .then(|| found.help.iter().map(Text::as_ref).collect::<Vec<&str>>().join("; ")),
            place: found.primary.and_then(place),
            rule: found.rule.and_then(place),
            pointer: found.pointer.as_ref().map(ToString::to_string),
            fixes: Vec::new(),
        }
    }

    /// What the compiler found in a program.
    pub(crate) fn of_program(
        found: &Finding,
        name: &str,
        source: Option<&SourceFile>,
        columns: Columns,
    ) -> PlacedDiagnostic {
        let place = |span: syntax::Span| {
            let source = source?;
            Some(TextPlace::of(
                name,
                source,
                Span::new(diagnostics::FileId::FIRST, span.start, span.end),
                columns,
            ))
        };
        let fixes = found.fixes.iter().map(|fix| {
            let replaced = fix
                .edits
                .iter()
                .filter_map(|edit| Some(Replacement { place: place(edit.span)?, text: edit.text.clone() }));
            SuggestedFix { title: fix.title.to_string(), replacements: replaced.collect() }
        });
        PlacedDiagnostic {
            severity: found.severity.name(),
            code: found.code.to_owned(),
            message: found.message.to_string(),
            hint: found.hint.as_ref().map(ToString::to_string),
            place: place(found.span),
            rule: None,
            pointer: None,
            fixes: fixes.collect(),
        }
    }
}
