//! From byte offsets to lines and columns, and back.
//!
//! A line ends at `\n`, at `\r\n` or at a lone `\r`; a text that ends with a line break has an empty last line, as
//! editors show it. Lines and columns count from one.
//!
//! Every offset has an answer. One that lies outside the text, inside a character or between the two halves of
//! `\r\n` stands for the nearest place before it that a cursor could be at; see [`LineIndex::clamp`].

use std::ops::Range;
use std::sync::Arc;

/// A place in a text, counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column, in the unit that was asked for.
    pub column: u32,
}

/// What one column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Columns {
    /// A byte of UTF-8.
    Bytes,
    /// A Unicode scalar value: what people count.
    Scalars,
    /// A UTF-16 code unit: what editors and SARIF count.
    Utf16,
}

/// The line starts of a text, and enough running totals to count its characters quickly.
#[derive(Clone, Debug)]
pub struct LineIndex {
    text: Arc<str>,
    /// Where each line starts; the first entry is 0.
    starts: Box<[u32]>,
    /// How much lies before each block of [`BLOCK`] bytes; empty when the text is ASCII, where all units agree.
    ///
    /// Without these totals a column deep in a line of many megabytes would cost a walk over the whole line, and a
    /// thousand findings in minified JSON a thousand such walks.
    totals: Box<[Total]>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Total {
    scalars: u32,
    utf16: u32,
}

const BLOCK: u32 = 4096;

impl LineIndex {
    /// Reads a text once and remembers where its lines start.
    ///
    /// Offsets are 32 bits wide; what lies beyond 4 GiB is out of reach and treated as absent.
    pub fn new(text: impl Into<Arc<str>>) -> LineIndex {
        let text = text.into();
        let reach = text.floor_char_boundary(u32::MAX as usize);
        let bytes = text.as_bytes().get(..reach).unwrap_or_default();
        let mut starts = vec![0];
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            let cut_in_two = bytes.get(at) == Some(&b'\r') && bytes.get(at + 1) == Some(&b'\n');
            if !cut_in_two {
                starts.push(narrow(at + 1));
            }
        }
        let totals = if bytes.is_ascii() { Box::default() } else { running_totals(bytes) };
        LineIndex { text, starts: starts.into_boxed_slice(), totals }
    }

    /// The text that was read.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The number of lines; at least one.
    pub fn line_count(&self) -> u32 {
        narrow(self.starts.len())
    }

    /// The offset at the end of the text.
    pub fn end(&self) -> u32 {
        narrow(self.text.floor_char_boundary(u32::MAX as usize))
    }

    /// Returns the nearest offset, not after the given one, that a cursor could be at.
    pub fn clamp(&self, offset: u32) -> u32 {
        let at = self.text.floor_char_boundary((offset as usize).min(self.end() as usize));
        let bytes = self.text.as_bytes();
        let between = at > 0 && bytes.get(at - 1) == Some(&b'\r') && bytes.get(at) == Some(&b'\n');
        narrow(if between { at - 1 } else { at })
    }

    /// Returns the offsets of a line's content, without its line break; a line past the end is the last one.
    pub fn line(&self, line: u32) -> Range<u32> {
        let row = line.clamp(1, self.line_count()) as usize - 1;
        let start = self.start(row);
        let Some(&next) = self.starts.get(row + 1) else { return start..self.end() };
        let bytes = self.text.as_bytes();
        let before = |n: u32| next.checked_sub(n).and_then(|at| bytes.get(at as usize));
        let width = if before(1) == Some(&b'\n') && before(2) == Some(&b'\r') { 2 } else { 1 };
        start..next.saturating_sub(width).max(start)
    }

    /// Returns the text of a line, without its line break.
    pub fn line_text(&self, line: u32) -> &str {
        let range = self.line(line);
        self.text.get(range.start as usize..range.end as usize).unwrap_or_default()
    }

    /// Returns the line and column of an offset.
    pub fn position(&self, offset: u32, columns: Columns) -> Position {
        let at = self.clamp(offset);
        let row = self.row(at);
        let column = self.count(at, columns) - self.count(self.start(row), columns);
        Position { line: narrow(row).saturating_add(1), column: column.saturating_add(1) }
    }

    /// Returns the offset of a line and column.
    ///
    /// A column past the end of its line is the end of the line, a line past the end is the end of the text, and a
    /// column inside a character is the start of that character.
    pub fn offset(&self, position: Position, columns: Columns) -> u32 {
        if position.line > self.line_count() {
            return self.end();
        }
        let line = self.line(position.line);
        let units = position.column.max(1) - 1;
        let at = if columns == Columns::Bytes || self.totals.is_empty() {
            line.start.saturating_add(units)
        } else {
            self.seek(self.count(line.start, columns).saturating_add(units), line.start, columns)
        };
        self.clamp(at.min(line.end))
    }

    /// Returns how many units lie before an offset, counted from the start of the text.
    pub fn count(&self, offset: u32, columns: Columns) -> u32 {
        let at = self.clamp(offset);
        if columns == Columns::Bytes {
            return at;
        }
        let Some(total) = self.totals.get((at / BLOCK) as usize) else { return at };
        let block = self.text.as_bytes().get((at / BLOCK * BLOCK) as usize..at as usize).unwrap_or_default();
        total.plus(block).get(columns)
    }

    /// Finds the last character boundary, not before `from`, with at most `target` units before it.
    fn seek(&self, target: u32, from: u32, columns: Columns) -> u32 {
        let block = self.totals.partition_point(|total| total.get(columns) <= target).saturating_sub(1);
        let block_start = narrow(block).saturating_mul(BLOCK).max(from);
        // A block may begin in the middle of a character, which its own total already counts.
        let mut at = self.text.ceil_char_boundary(block_start as usize);
        let mut units = self.count(narrow(at), columns);
        for character in self.text.get(at..).unwrap_or_default().chars() {
            units = units.saturating_add(match columns {
                Columns::Utf16 => narrow(character.len_utf16()),
                Columns::Bytes | Columns::Scalars => 1,
            });
            if units > target {
                break;
            }
            at += character.len_utf8();
        }
        narrow(at)
    }

    /// The zero-based line that holds an offset.
    fn row(&self, offset: u32) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    fn start(&self, row: usize) -> u32 {
        self.starts.get(row).copied().unwrap_or_default()
    }
}

impl Total {
    /// Adds the characters whose first byte is in `bytes`.
    fn plus(self, bytes: &[u8]) -> Total {
        let scalars = bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
        // Only characters of four bytes need a surrogate pair.
        let pairs = bytes.iter().filter(|byte| **byte >= 0xF0).count();
        Total { scalars: self.scalars + narrow(scalars), utf16: self.utf16 + narrow(scalars + pairs) }
    }

    fn get(self, columns: Columns) -> u32 {
        match columns {
            Columns::Utf16 => self.utf16,
            Columns::Bytes | Columns::Scalars => self.scalars,
        }
    }
}

fn running_totals(bytes: &[u8]) -> Box<[Total]> {
    let mut total = Total::default();
    let mut totals = vec![total];
    for block in bytes.chunks(BLOCK as usize) {
        total = total.plus(block);
        totals.push(total);
    }
    totals.into_boxed_slice()
}

/// Offsets fit by construction: nothing is read beyond `u32::MAX`.
fn narrow(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the `line:column` of each place marked with `|` in all three units, and that each one leads back.
    #[track_caller]
    fn check(marked: &str, expect: &[(&str, &str, &str)]) {
        let offsets: Vec<u32> =
            marked.match_indices('|').enumerate().map(|(nth, (at, _))| (at - nth) as u32).collect();
        let index = LineIndex::new(marked.replace('|', ""));
        let show = |offset, columns| {
            let position = index.position(offset, columns);
            assert_eq!(index.offset(position, columns), offset, "{columns:?} {position:?} leads back");
            format!("{}:{}", position.line, position.column)
        };
        let found: Vec<_> = offsets
            .into_iter()
            .map(|at| (show(at, Columns::Bytes), show(at, Columns::Scalars), show(at, Columns::Utf16)))
            .collect();
        let found: Vec<_> = found.iter().map(|(b, s, u)| (b.as_str(), s.as_str(), u.as_str())).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn columns_count_from_one() {
        check("|ab|c", &[("1:1", "1:1", "1:1"), ("1:3", "1:3", "1:3")]);
    }

    #[test]
    fn an_empty_text_has_one_line() {
        check("|", &[("1:1", "1:1", "1:1")]);
        assert_eq!(LineIndex::new("").line_count(), 1);
    }

    #[test]
    fn all_three_line_breaks_end_a_line() {
        check(
            "a|\n|b|\r\n|c|\r|d",
            &[
                ("1:2", "1:2", "1:2"),
                ("2:1", "2:1", "2:1"),
                ("2:2", "2:2", "2:2"),
                ("3:1", "3:1", "3:1"),
                ("3:2", "3:2", "3:2"),
                ("4:1", "4:1", "4:1"),
            ],
        );
    }

    #[test]
    fn a_final_line_break_opens_an_empty_line() {
        check("a\r\n|", &[("2:1", "2:1", "2:1")]);
        check("a\r|", &[("2:1", "2:1", "2:1")]);
    }

    #[test]
    fn units_differ_beyond_ascii() {
        check("é|x", &[("1:3", "1:2", "1:2")]);
        check("語|x", &[("1:4", "1:2", "1:2")]);
        check("😀|x", &[("1:5", "1:2", "1:3")]);
    }

    #[test]
    fn offsets_inside_characters_and_line_breaks_move_back() {
        let index = LineIndex::new("é\r\nb");
        assert_eq!([0, 1, 2, 3, 4, 5, 99].map(|at| index.clamp(at)), [0, 0, 2, 2, 4, 5, 5]);
    }

    #[test]
    fn positions_outside_the_text_move_in() {
        let index = LineIndex::new("ab\r\n😀c");
        let offset = |line, column| index.offset(Position { line, column }, Columns::Utf16);
        assert_eq!(offset(0, 0), 0);
        assert_eq!(offset(1, 99), 2, "the end of the line, before its break");
        assert_eq!(offset(2, 2), 4, "the middle of a surrogate pair");
        assert_eq!(offset(2, 3), 8);
        assert_eq!(offset(7, 1), 9, "the end of the text");
        assert_eq!(offset(u32::MAX, u32::MAX), 9);
        assert_eq!(offset(2, u32::MAX), 9);
    }

    #[test]
    fn line_text_is_without_the_break() {
        let index = LineIndex::new("a\n\r\nbc\rd");
        let lines: Vec<_> = (1..=index.line_count()).map(|line| index.line_text(line)).collect();
        assert_eq!(lines, ["a", "", "bc", "d"]);
        assert_eq!(index.line_text(99), "d");
    }

    #[test]
    fn long_lines_count_across_blocks_that_cut_characters() {
        // 4096 is not a multiple of three: every block begins inside some character.
        let index = LineIndex::new("語".repeat(10_000) + "😀x");
        let position = index.position(30_004, Columns::Utf16);
        assert_eq!(position, Position { line: 1, column: 10_003 });
        assert_eq!(index.offset(position, Columns::Utf16), 30_004);
        for column in [1, 1366, 1367, 2731, 2732, 10_000] {
            let offset = index.offset(Position { line: 1, column }, Columns::Scalars);
            assert_eq!(offset, (column - 1) * 3);
        }
    }
}
