//! Where something is: a file and a range of bytes in it.

/// A file of a [`SourceMap`](crate::SourceMap).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

impl FileId {
    /// The first file, which is also what a text is that nobody has numbered.
    pub const FIRST: FileId = FileId(0);

    /// A file that no source map has: of what was written there, no line can be shown.
    pub const NONE: FileId = FileId(u32::MAX);
}

/// A range of bytes in one file.
///
/// A span is a claim, not a proof: its offsets may lie outside the text or inside a character. Everything that
/// reads a span clamps it first, so that a stale span gives a slightly wrong picture and never a panic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file that the bytes are of; [`FileId::NONE`] before it has a number.
    pub file: FileId,
    /// The offset of the first byte.
    pub start: u32,
    /// The offset after the last byte.
    pub end: u32,
}

impl Span {
    /// Makes a span; an end before the start gives an empty span at the start.
    pub const fn new(file: FileId, start: u32, end: u32) -> Span {
        Span { file, start, end: if end < start { start } else { end } }
    }

    /// Makes the empty span at an offset.
    pub const fn empty(file: FileId, offset: u32) -> Span {
        Span { file, start: offset, end: offset }
    }

    /// The number of bytes.
    pub const fn len(self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    /// Whether the span holds no byte: it then marks a place between two characters.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Whether a cursor at the offset touches the span; both ends count.
    pub const fn touches(self, offset: u32) -> bool {
        self.start <= offset && offset <= self.end
    }

    /// Returns the smallest span that holds both, or `None` when they lie in different files.
    pub fn cover(self, other: Span) -> Option<Span> {
        (self.file == other.file)
            .then(|| Span::new(self.file, self.start.min(other.start), self.end.max(other.end)))
    }

    /// Returns the span up to the end of another one in the same file; one in another file leaves it as it is.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        self.cover(other).unwrap_or(self)
    }

    /// Returns the empty span after the last byte.
    #[must_use]
    pub const fn after(self) -> Span {
        Span { start: self.end, ..self }
    }

    /// Cuts the spanned text out of the file's text; empty when the text has no such range.
    pub fn text(self, source: &str) -> &str {
        source.get(self.start as usize..self.end as usize).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: FileId = FileId(0);
    const B: FileId = FileId(1);

    #[test]
    fn an_end_before_the_start_is_an_empty_span() {
        assert_eq!(Span::new(A, 5, 3), Span::empty(A, 5));
        assert_eq!(Span { file: A, start: 5, end: 3 }.len(), 0);
    }

    #[test]
    fn a_cursor_touches_both_ends() {
        let span = Span::new(A, 2, 4);
        assert_eq!([1, 2, 3, 4, 5].map(|at| span.touches(at)), [false, true, true, true, false]);
    }

    #[test]
    fn a_cover_needs_one_file() {
        assert_eq!(Span::new(A, 2, 4).cover(Span::new(A, 7, 9)), Some(Span::new(A, 2, 9)));
        assert_eq!(Span::new(A, 2, 4).cover(Span::new(B, 7, 9)), None);
    }

    #[test]
    fn a_span_reaches_to_another_of_its_file() {
        assert_eq!(Span::new(A, 2, 4).to(Span::new(A, 7, 9)), Span::new(A, 2, 9));
        assert_eq!(Span::new(A, 2, 4).to(Span::new(B, 7, 9)), Span::new(A, 2, 4));
        assert_eq!(Span::new(A, 2, 4).after(), Span::empty(A, 4));
    }

    #[test]
    fn text_outside_the_file_is_empty() {
        assert_eq!(Span::new(A, 2, 4).text("namespace"), "me");
        assert_eq!([Span::new(A, 8, 12).text("namespace"), Span::new(A, 1, 2).text("\u{e9}")], ["", ""]);
    }

    #[test]
    fn a_span_stays_small() {
        assert_eq!(size_of::<Span>(), 12);
        assert_eq!(size_of::<Option<Span>>(), 16);
    }
}
