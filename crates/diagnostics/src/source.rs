//! The files that spans point into.

use std::ops::Range;
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
    /// What of the text may be shown.
    shown: SourceVisibility,
    /// Built when the first line number is asked for: most files have nothing to report.
    lines: OnceLock<LineIndex>,
}

/// How much of a text renderers may print.
#[derive(Clone, Debug)]
enum SourceVisibility {
    /// All but these ranges, which are sorted and apart from each other.
    Except(Vec<Range<u32>>),
    /// No line of the source is shown.
    Nothing,
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
        self.files.push(SourceFile::new(name, text));
        id
    }

    /// Keeps renderers from printing these parts of files: each is shown as a mask of fixed width.
    ///
    /// Places keep their lines and columns, so that only the words are hidden, not where they stand.
    pub fn hide(&mut self, spans: impl IntoIterator<Item = Span>) {
        for span in spans {
            let Some(file) = self.files.get_mut(span.file.0 as usize) else { continue };
            let span = file.clamp(span);
            if let SourceVisibility::Except(hidden) = &mut file.shown {
                hidden.push(span.start..span.end);
            }
        }
        for file in &mut self.files {
            if let SourceVisibility::Except(hidden) = &mut file.shown {
                merge(hidden);
            }
        }
    }

    /// Keeps renderers from printing any line of a file; places in it are still named.
    pub fn withhold(&mut self, id: FileId) {
        if let Some(file) = self.files.get_mut(id.0 as usize) {
            file.shown = SourceVisibility::Nothing;
        }
    }

    /// Whether nothing of this part of a file may be printed.
    pub fn is_hidden(&self, span: Span) -> bool {
        let Some(file) = self.get(span.file) else { return false };
        let within = span.start..span.end.max(span.start.saturating_add(1));
        let covers = |part: &Range<u32>| part.start <= within.start && within.end <= part.end;
        file.is_withheld() || file.hidden(&within).iter().any(covers)
    }

    /// How many parts of this part of a file must not be printed. A place without a length is as long as what stands there.
    pub fn hidden_parts(&self, span: Span) -> usize {
        let Some(file) = self.get(span.file) else { return 0 };
        let within = span.start..span.end.max(span.start.saturating_add(1));
        if file.is_withheld() { 1 } else { file.hidden(&within).len() }
    }

    /// The number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there is no file.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Forgets all files but the first so many; the ids of the others are given out again.
    pub fn truncate(&mut self, count: usize) {
        self.files.truncate(count);
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
    /// A text that stands alone, all of which may be shown.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> SourceFile {
        let shown = SourceVisibility::Except(Vec::new());
        SourceFile { name: name.into(), text: text.into(), shown, lines: OnceLock::new() }
    }

    /// The name people see.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text, shared with whoever made it.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Whether no line of the text may be printed.
    pub(crate) fn is_withheld(&self) -> bool {
        matches!(self.shown, SourceVisibility::Nothing)
    }

    /// The parts within a range that must not be printed, in order.
    pub(crate) fn hidden(&self, within: &Range<u32>) -> &[Range<u32>] {
        let SourceVisibility::Except(hidden) = &self.shown else { return &[] };
        let first = hidden.partition_point(|part| part.end <= within.start);
        let rest = hidden.get(first..).unwrap_or_default();
        let count = rest.partition_point(|part| part.start < within.end);
        rest.get(..count).unwrap_or_default()
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

/// Sorts ranges and joins those that touch; empty ones go.
fn merge(ranges: &mut Vec<Range<u32>>) {
    ranges.retain(|range| !range.is_empty());
    ranges.sort_by_key(|range| range.start);
    ranges.dedup_by(|next, kept| {
        let touches = next.start <= kept.end;
        if touches {
            kept.end = kept.end.max(next.end);
        }
        touches
    });
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

    #[test]
    fn hidden_parts_are_sorted_joined_and_found_by_range() {
        let mut map = SourceMap::new();
        let file = map.add("a", "0123456789");
        map.hide([Span::new(file, 7, 9), Span::new(file, 2, 4), Span::new(file, 3, 5), Span::empty(file, 6)]);
        map.hide([Span::new(FileId(9), 0, 1), Span::new(file, 9, 99)]);
        let hidden = |range| {
            let parts = map.get(file).unwrap().hidden(&range);
            parts.iter().map(|part| (part.start, part.end)).collect::<Vec<_>>()
        };
        assert_eq!(hidden(0..10), [(2, 5), (7, 10)]);
        assert_eq!(hidden(4..7), [(2, 5)]);
        assert_eq!(hidden(5..7), []);
        assert_eq!(hidden(8..9), [(7, 10)]);
        let is_hidden = |start, end| map.is_hidden(Span::new(file, start, end));
        assert_eq!(
            [is_hidden(2, 5), is_hidden(3, 3), is_hidden(1, 5), is_hidden(5, 7)],
            [true, true, false, false]
        );
        let parts = |start, end| map.hidden_parts(Span::new(file, start, end));
        assert_eq!((parts(0, 10), parts(0, 3), parts(3, 3), parts(5, 7)), (2, 1, 1, 0));
    }

    #[test]
    fn forgotten_ids_are_given_out_again() {
        let mut map = SourceMap::new();
        map.add("a", "");
        let b = map.add("b", "");
        map.truncate(1);
        assert_eq!((map.len(), map.is_empty()), (1, false));
        assert_eq!(map.add("c", ""), b);
    }
}
