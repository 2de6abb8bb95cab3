//! The full form for people: message, source lines with marks, help and link.
//!
//! ```text
//! error[BCP082]: the name `nane` does not exist
//!  --> main.bicep:2:9
//!   |
//! 2 | var a = nane
//!   |         ^^^^ not found
//!   |
//!   = help: did you mean `name`?
//! ```
//!
//! Nothing from a file or a message reaches the terminal as a control sequence, and of a long line only the parts
//! around the marks are shown.

mod diff;
mod excerpt;
mod fit;
mod ink;
mod snippet;

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use self::diff::Diff;
use self::ink::{CellRow, Ink};
use self::snippet::{Snippet, SpanMarker};
use crate::{Columns, Diagnostic, FileId, SourceFile, SourceMap, Span, printable};

pub use self::fit::{cells, fit};

/// Whether to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Characters only: the output may be a file.
    Plain,
    /// With colour sequences, for terminals.
    Colour,
}

/// Writes one finding, followed by an empty line.
pub fn write(out: &mut dyn Write, sources: &SourceMap, diagnostic: &Diagnostic, style: Style) -> fmt::Result {
    let sections = sections(sources, diagnostic);
    let diffs: Vec<Option<Diff>> = diagnostic.fixes.iter().map(|fix| Diff::new(sources, fix)).collect();
    let last_lines =
        sections.iter().map(|s| s.snippet.last_line()).chain(diffs.iter().flatten().map(Diff::last_line));
    let digits = last_lines.max().unwrap_or(1).to_string().len();

    let mut rows = vec![title(diagnostic)];
    for (nth, section) in sections.iter().enumerate() {
        if nth > 0 {
            rows.push(rule(digits));
        }
        rows.push(section.origin(digits));
        if !section.file.is_withheld() {
            rows.push(rule(digits));
            rows.extend(section.snippet.rows(digits));
        }
    }
    let mut notes = Vec::new();
    for label in &diagnostic.labels {
        if sources.get(label.span.file).is_none_or(SourceFile::is_withheld) {
            note(&mut notes, digits, "note", &label.message);
        }
    }
    for help in &diagnostic.help {
        note(&mut notes, digits, "help", help);
    }
    for (fix, diff) in diagnostic.fixes.iter().zip(&diffs) {
        note(&mut notes, digits, "fix", &fix.title);
        notes.extend(diff.iter().flat_map(|diff| diff.rows(digits)));
    }
    if let Some(docs) = &diagnostic.docs {
        note(&mut notes, digits, "docs", docs);
    }
    if !sections.is_empty() && !notes.is_empty() {
        rows.push(rule(digits));
    }
    rows.append(&mut notes);
    rows.push(CellRow::default());
    rows.iter().try_for_each(|row| row.write(out, style))
}

/// The marks in one file.
struct FileMarkers<'s> {
    file: &'s SourceFile,
    /// `-->` for the first file, `:::` for the others.
    arrow: &'static str,
    /// The place named beside the file.
    place: Span,
    snippet: Snippet<'s>,
}

/// Sorts all marks by file, the file of the primary place first.
fn sections<'s>(sources: &'s SourceMap, diagnostic: &Diagnostic) -> Vec<FileMarkers<'s>> {
    let mut marks: BTreeMap<(bool, FileId), Vec<SpanMarker>> = BTreeMap::new();
    let mut labels: Vec<_> = diagnostic.labels.iter().collect();
    let home = diagnostic.primary.map(|span| span.file);
    if let Some(span) = diagnostic.primary {
        // The first label on the primary place itself is the text at its caret.
        let own = labels.iter().position(|label| label.span == span).map(|at| labels.remove(at));
        let label = own.map(|label| printable::line(&label.message).into_owned()).unwrap_or_default();
        let ink = Ink::Severity(diagnostic.severity);
        marks.entry((false, span.file)).or_default().push(SpanMarker { span, ink, tip: '^', label });
    }
    for label in labels {
        let key = (home != Some(label.span.file), label.span.file);
        let text = printable::line(&label.message).into_owned();
        marks.entry(key).or_default().push(SpanMarker {
            span: label.span,
            ink: Ink::Label,
            tip: '-',
            label: text,
        });
    }
    let known = marks.into_iter().filter_map(|((_, id), marks)| Some((sources.get(id)?, marks)));
    known
        .enumerate()
        .filter_map(|(nth, (file, marks))| {
            let place = marks.first()?.span;
            let arrow = if nth == 0 { "-->" } else { ":::" };
            Some(FileMarkers { file, arrow, place, snippet: Snippet::new(file, marks) })
        })
        .collect()
}

impl FileMarkers<'_> {
    fn origin(&self, digits: usize) -> CellRow {
        let at = self.file.extent(self.place, Columns::Scalars).start;
        let mut row = CellRow::default();
        row.put_text(digits, self.arrow, Ink::Frame);
        row.push(&format!(" {}:{}:{}", printable::line(self.file.name()), at.line, at.column), Ink::Plain);
        row
    }
}

fn title(diagnostic: &Diagnostic) -> CellRow {
    let Diagnostic { severity, code, message, .. } = diagnostic;
    let mut row = CellRow::default();
    row.push(&format!("{severity}[{}]", printable::line(code)), Ink::Severity(*severity));
    row.push(&format!(": {}", printable::line(message)), Ink::Strong);
    row
}

fn rule(digits: usize) -> CellRow {
    let mut row = CellRow::default();
    row.put(digits + 1, '|', Ink::Frame);
    row
}

/// Adds a note; its further lines stand under the first.
fn note(rows: &mut Vec<CellRow>, digits: usize, kind: &str, text: &str) {
    for (nth, line) in text.lines().enumerate() {
        let mut row = CellRow::default();
        if nth == 0 {
            row.put(digits + 1, '=', Ink::Frame);
            row.put_text(digits + 3, kind, Ink::Strong);
            row.push(":", Ink::Plain);
        }
        row.put_text(digits + 3 + kind.len() + 2, &printable::line(line), Ink::Plain);
        rows.push(row);
    }
}

#[cfg(test)]
mod tests;
