//! Places in files as reports tell them.

use bicep::FilePath;
use diagnostics::{Columns, LineIndex};
use syntax::Span;

use crate::host::Session;
use crate::outcome::{PlacePoint, SourcePlace};
use crate::program::text_of;

/// An offset as a line and a column.
pub(crate) fn point(lines: &LineIndex, offset: u32) -> PlacePoint {
    let position = lines.position(offset, Columns::Scalars);
    PlacePoint { line: position.line, column: position.column, offset }
}

/// A file whose places are told.
pub(crate) struct PlaceFile {
    name: String,
    lines: LineIndex,
}

impl PlaceFile {
    pub(crate) fn new(session: &Session<'_>, path: &FilePath) -> PlaceFile {
        let lines = LineIndex::new(text_of(session.compiler, path));
        PlaceFile { name: session.host.shown(path), lines }
    }

    pub(crate) fn place(&self, span: Span) -> SourcePlace {
        let (start, end) = (point(&self.lines, span.start), point(&self.lines, span.end));
        let line = self.lines.line_text(start.line).trim_end().to_owned();
        SourcePlace { file: self.name.clone(), start, end, line }
    }
}

/// A place of which the line and the column are known.
pub(crate) fn at_line(
    session: &Session<'_>,
    file: &str,
    line: u32,
    column: u32,
    path: Option<&FilePath>,
) -> SourcePlace {
    let Some(path) = path else {
        let start = PlacePoint { line, column, offset: 0 };
        return SourcePlace { file: file.to_owned(), start, end: start, line: String::new() };
    };
    let text = text_of(session.compiler, path);
    let before: usize =
        text.split_inclusive('\n').take((line as usize).saturating_sub(1)).map(str::len).sum();
    let written = text.get(before..).unwrap_or_default().lines().next().unwrap_or_default();
    let skipped =
        written.char_indices().nth((column as usize).saturating_sub(1)).map_or(written.len(), |(at, _)| at);
    let offset = u32::try_from(before + skipped).unwrap_or(u32::MAX);
    let end = u32::try_from(before + written.trim_end().len()).unwrap_or(u32::MAX);
    let lines = LineIndex::new(text.clone());
    let (start, end) = (PlacePoint { line, column, offset }, point(&lines, end.max(offset)));
    SourcePlace { file: file.to_owned(), start, end, line: written.trim_end().to_owned() }
}
