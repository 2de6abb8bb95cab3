//! Byte offsets to lines and UTF-16 columns.

use syntax::Span;

pub(crate) struct Lines<'s> {
    text: &'s str,
    starts: Vec<u32>,
}

impl<'s> Lines<'s> {
    pub(crate) fn new(text: &'s str) -> Self {
        let bytes = text.as_bytes();
        let breaks = bytes
            .iter()
            .enumerate()
            .filter(|(at, byte)| **byte == b'\n' || (**byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')));
        let starts = std::iter::once(0).chain(breaks.map(|(at, _)| at as u32 + 1)).collect();
        Self { text, starts }
    }

    /// Returns line and column of the start, and the column after the end as if there were no line breaks.
    pub(crate) fn place(&self, span: Span) -> (usize, usize, usize) {
        let line = self.starts.partition_point(|start| *start <= span.start) - 1;
        let start = self.starts.get(line).copied().unwrap_or(0);
        let column = utf16(Span::new(start, span.start).text(self.text));
        (line, column, column + utf16(span.text(self.text)))
    }
}

fn utf16(text: &str) -> usize {
    text.encode_utf16().count()
}
