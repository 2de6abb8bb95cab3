//! The files that spans point into.

use std::sync::{Arc, OnceLock};

use crate::{Columns, FileId, LineIndex, Position, Span};

/// A set of source files, each known by its [`FileId`].
///
/// The map holds texts that somebody else read; it never opens a file. Texts are given without a byte order mark.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

/// One file: the name people see and its text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    name: Arc<str>,
    text: Arc<str>,
    /// Built when the first line number is asked for: most files have nothing to report.
    lines: OnceLock<LineIndex>,
}

/// The two ends of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Where the span starts.
    pub start: Position,
    /// Where the span ends; the character there is not part of it.
    pub end: Position,
}

impl SourceMap {
    /// Makes an empty map.
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Adds a file under the name that renderers print, and returns its id.
    pub fn add(&mut self, name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        self.files.push(SourceFile { name: name.into(), text: text.into(), lines: OnceLock::new() });
        id
    }

    /// Returns a file, or `None` when the id is of another map.
    pub fn get(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.0 as usize)
    }

    /// Returns the name of a file.
    pub fn name(&self, id: FileId) -> Option<&str> {
        self.get(id).map(SourceFile::name)
    }

    /// Returns the text of a file.
    pub fn text(&self, id: FileId) -> Option<&Arc<str>> {
        self.get(id).map(|file| &file.text)
    }

    /// Returns all files with their ids, in the order they were added.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        (0..).map(FileId).zip(&self.files)
    }

    /// Returns the lines and columns of a span.
    pub fn extent(&self, span: Span, columns: Columns) -> Option<Extent> {
        self.get(span.file).map(|file| file.extent(span, columns))
    }

    /// Returns the text of a span.
    pub fn slice(&self, span: Span) -> Option<&str> {
        self.get(span.file).map(|file| file.slice(span))
    }
}

impl SourceFile {
    /// The name people see.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The line index, built on first use.
    pub fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(Arc::clone(&self.text)))
    }

    /// Returns the span moved to offsets that exist in this text, its end not before its start.
    pub fn clamp(&self, span: Span) -> Span {
        Span::new(span.file, self.lines().clamp(span.start), self.lines().clamp(span.end))
    }

    /// Returns the lines and columns of a span.
    pub fn extent(&self, span: Span, columns: Columns) -> Extent {
        let span = self.clamp(span);
        Extent {
            start: self.lines().position(span.start, columns),
            end: self.lines().position(span.end, columns),
        }
    }

    /// Returns the text of a span.
    pub fn slice(&self, span: Span) -> &str {
        let span = self.clamp(span);
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_follow_the_order_of_adding() {
        let mut map = SourceMap::new();
        let a = map.add("a.bicep", "one");
        let b = map.add("b.bicep", Arc::<str>::from("two"));
        assert_eq!((a, b), (FileId(0), FileId(1)));
        assert_eq!((map.name(b), map.text(b).map(|text| &**text)), (Some("b.bicep"), Some("two")));
        let names: Vec<_> = map.iter().map(|(id, file)| (id.0, file.name())).collect();
        assert_eq!(names, [(0, "a.bicep"), (1, "b.bicep")]);
    }

    #[test]
    fn an_unknown_file_has_no_answer() {
        let map = SourceMap::new();
        assert_eq!(map.extent(Span::empty(FileId(3), 0), Columns::Bytes), None);
        assert_eq!(map.slice(Span::empty(FileId(3), 0)), None);
    }

    #[test]
    fn a_text_is_shared_and_not_copied() {
        let text = Arc::<str>::from("shared");
        let mut map = SourceMap::new();
        let id = map.add("a", Arc::clone(&text));
        assert!(Arc::ptr_eq(map.get(id).unwrap().lines().text(), &text));
    }

    #[test]
    fn stale_spans_are_clamped() {
        let mut map = SourceMap::new();
        let file = map.add("a", "é = 1");
        assert_eq!(map.slice(Span::new(file, 1, 99)), Some("é = 1"));
        assert_eq!(map.slice(Span { file, start: 4, end: 2 }), Some(""));
        assert_eq!(map.slice(Span::new(file, 50, 99)), Some(""));
    }
}
