//! Places in files as reports tell them.

use std::sync::Arc;

use bicep::files::SourceFile;
use bicep::{Compiler, FilePath};
use diagnostics::{Columns, LineIndex};
use syntax::Span;

use crate::outcome::{PlacePoint, SourcePlace};

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
    pub(crate) fn new(compiler: &Compiler, name: String, path: &FilePath) -> PlaceFile {
        PlaceFile { name, lines: LineIndex::new(text_of(compiler, path)) }
    }

    pub(crate) fn place(&self, span: Span) -> SourcePlace {
        let (start, end) = (point(&self.lines, span.start), point(&self.lines, span.end));
        let line = self.lines.line_text(start.line).trim_end().to_owned();
        SourcePlace { file: self.name.clone(), start, end, line }
    }
}

/// A place of which the line and the column are known.
pub(crate) fn at_line(
    compiler: &Compiler,
    file: &str,
    line: u32,
    column: u32,
    path: Option<&FilePath>,
) -> SourcePlace {
    let Some(path) = path else {
        let start = PlacePoint { line, column, offset: 0 };
        return SourcePlace { file: file.to_owned(), start, end: start, line: String::new() };
    };
    let text = text_of(compiler, path);
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

/// The text of a file; empty if it cannot be had.
pub(crate) fn text_of(compiler: &Compiler, path: &FilePath) -> Arc<str> {
    match compiler.file(path).as_deref() {
        Ok(SourceFile::Bicep(file)) => file.tree.shared_text(),
        _ => compiler.world().read(path).map_or_else(|_| "".into(), |it| String::from_utf8_lossy(&it).into()),
    }
}
