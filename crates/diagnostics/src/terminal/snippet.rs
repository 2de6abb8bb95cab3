//! The source lines of one file with the marks under them.
//!
//! Marks within one line are underlined; the label of the right-most stands beside it, the others hang below. A mark
//! over several lines runs in a lane left of the text, from a tip under its first line to a tip under its last:
//!
//! ```text
//! 3 |   resource a = {
//!   |  ______________^
//! 4 | |   name: nane
//!   | |         ---- hanging or beside
//! 5 | | }
//!   | |_^ this object
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::excerpt::Excerpt;
use super::ink::{CellRow, Ink};
use crate::{Columns, SourceFile, Span};

/// A mark over more lines than this shows only the first and the last of them.
const WHOLE: u32 = 5;

/// A place to mark.
pub(super) struct SpanMarker {
    pub(super) span: Span,
    pub(super) ink: Ink,
    /// `^` for the primary place, `-` for the others.
    pub(super) tip: char,
    /// One printable line, possibly empty.
    pub(super) label: String,
}

/// The marks of one file, sorted into lines.
pub(super) struct Snippet<'f> {
    file: &'f SourceFile,
    lines: BTreeMap<u32, Vec<SpanMarker>>,
    reaches: Vec<LineSpanMarker>,
    lanes: usize,
}

/// A mark over several lines.
struct LineSpanMarker {
    mark: SpanMarker,
    first: u32,
    last: u32,
    lane: usize,
}

impl<'f> Snippet<'f> {
    pub(super) fn new(file: &'f SourceFile, marks: Vec<SpanMarker>) -> Snippet<'f> {
        let mut snippet = Snippet { file, lines: BTreeMap::new(), reaches: Vec::new(), lanes: 0 };
        let index = file.lines();
        for mut mark in marks {
            mark.span = file.clamp(mark.span);
            let first = index.position(mark.span.start, Columns::Bytes).line;
            let end = index.position(mark.span.end, Columns::Bytes);
            let mut last = end.line;
            // A span that ends with a line break ends with that line, not before the first character of the next.
            if last > first && end.column == 1 {
                last -= 1;
                mark.span = Span::new(mark.span.file, mark.span.start, index.line(last).end);
            }
            if first == last {
                snippet.lines.entry(first).or_default().push(mark);
            } else {
                snippet.reaches.push(LineSpanMarker { mark, first, last, lane: 0 });
            }
        }
        snippet.assign_lanes();
        snippet
    }

    /// Gives outer marks the outer lanes; a lane is free again after the last line of its mark.
    fn assign_lanes(&mut self) {
        self.reaches.sort_by_key(|reach| (reach.first, std::cmp::Reverse(reach.last)));
        let mut taken_until: Vec<u32> = Vec::new();
        for reach in &mut self.reaches {
            let free = taken_until.iter().position(|until| *until < reach.first);
            reach.lane = free.unwrap_or(taken_until.len());
            match taken_until.get_mut(reach.lane) {
                Some(until) => *until = reach.last,
                None => taken_until.push(reach.last),
            }
        }
        self.lanes = taken_until.len();
    }

    /// The last line that is shown, for the width of the line numbers.
    pub(super) fn last_line(&self) -> u32 {
        let single = self.lines.keys().next_back().copied().unwrap_or_default();
        self.reaches.iter().map(|reach| reach.last).fold(single, u32::max)
    }

    /// Paints all rows; `digits` is the width of the line numbers.
    pub(super) fn rows(&self, digits: usize) -> Vec<CellRow> {
        let mut painter = Painter {
            rows: Vec::new(),
            digits,
            base: digits + 3 + if self.lanes == 0 { 0 } else { self.lanes + 1 },
            active: vec![None; self.lanes],
        };
        let mut previous = None;
        for line in self.shown_lines() {
            if previous.is_some_and(|previous| previous + 1 < line) {
                painter.gap();
            }
            self.paint_line(&mut painter, line);
            previous = Some(line);
        }
        painter.rows
    }

    fn shown_lines(&self) -> BTreeSet<u32> {
        let mut shown: BTreeSet<u32> = self.lines.keys().copied().collect();
        for reach in &self.reaches {
            if reach.last - reach.first < WHOLE {
                shown.extend(reach.first..=reach.last);
            } else {
                shown.extend([reach.first, reach.last]);
            }
        }
        // A gap mark takes a row; where it would stand for one line, that line is the better use of the row.
        let single_gaps: Vec<u32> = shown
            .iter()
            .zip(shown.iter().skip(1))
            .filter(|(line, next)| **line + 2 == **next)
            .map(|(line, _)| line + 1)
            .collect();
        shown.extend(single_gaps);
        shown
    }

    fn paint_line(&self, painter: &mut Painter, line: u32) {
        let marks = self.lines.get(&line).map(Vec::as_slice).unwrap_or_default();
        let opens: Vec<&LineSpanMarker> = self.reaches.iter().filter(|reach| reach.first == line).collect();
        let mut closes: Vec<&LineSpanMarker> =
            self.reaches.iter().filter(|reach| reach.last == line).collect();
        // Inner lanes close first, so that no bar is crossed.
        closes.sort_by_key(|reach| std::cmp::Reverse(reach.lane));

        let points: Vec<u32> = marks
            .iter()
            .flat_map(|mark| [mark.span.start, mark.span.end])
            .chain(opens.iter().map(|reach| reach.mark.span.start))
            .chain(closes.iter().map(|reach| reach.mark.span.end))
            .collect();
        let range = self.file.lines().line(line);
        let hidden = self.file.hidden(&range);
        let excerpt = Excerpt::new(self.file.text(), range, &points, hidden);
        painter.source(line, &excerpt.text);

        let mut strokes: Vec<Stroke<'_>> = marks
            .iter()
            .map(|mark| {
                let start = excerpt.column(mark.span.start);
                Stroke { start, end: excerpt.column(mark.span.end).max(start + 1), mark }
            })
            .collect();
        strokes.sort_by_key(|stroke| (stroke.start, stroke.end, stroke.mark.tip == '^'));
        painter.strokes(&strokes);
        for reach in opens {
            painter.open(reach, excerpt.column(reach.mark.span.start));
        }
        for reach in closes {
            painter.close(reach, excerpt.column(reach.mark.span.end).saturating_sub(1));
        }
    }
}

/// A mark within one line, in terminal columns.
struct Stroke<'m> {
    start: usize,
    end: usize,
    mark: &'m SpanMarker,
}

struct Painter {
    rows: Vec<CellRow>,
    digits: usize,
    /// Where the source text starts.
    base: usize,
    /// The ink of each lane that a mark runs in.
    active: Vec<Option<Ink>>,
}

impl Painter {
    /// A row with its line number, rule and running lanes.
    fn row(&self, number: &str) -> CellRow {
        let mut row = CellRow::default();
        row.put_text(self.digits.saturating_sub(number.len()), number, Ink::Frame);
        row.put(self.digits + 1, '|', Ink::Frame);
        for (lane, ink) in self.active.iter().enumerate() {
            if let Some(ink) = ink {
                row.put(self.lane(lane), '|', *ink);
            }
        }
        row
    }

    fn lane(&self, lane: usize) -> usize {
        self.digits + 3 + lane
    }

    fn source(&mut self, line: u32, text: &str) {
        let mut row = self.row(&line.to_string());
        row.put_text(self.base, text, Ink::Plain);
        self.rows.push(row);
    }

    fn gap(&mut self) {
        let mut row = self.row("");
        row.put_text(0, "...", Ink::Frame);
        self.rows.push(row);
    }

    /// Paints the underlines, one label beside them and the others hanging from theirs.
    fn strokes(&mut self, strokes: &[Stroke<'_>]) {
        let Some(rightmost) = strokes.last() else { return };
        let right = strokes.iter().map(|stroke| stroke.end).fold(0, usize::max);
        let mut row = self.row("");
        // The primary mark is painted last, over the others.
        for tip in ['-', '^'] {
            for stroke in strokes.iter().filter(|stroke| stroke.mark.tip == tip) {
                for column in stroke.start..stroke.end {
                    row.put(self.base + column, tip, stroke.mark.ink);
                }
            }
        }
        let beside = rightmost.end == right;
        if beside {
            row.put_text(self.base + right + 1, &rightmost.mark.label, rightmost.mark.ink);
        }
        self.rows.push(row);

        let below = strokes.len() - usize::from(beside);
        let mut hanging: Vec<&Stroke<'_>> =
            strokes.iter().take(below).filter(|stroke| !stroke.mark.label.is_empty()).collect();
        if hanging.is_empty() {
            return;
        }
        let threads = self.threads(&hanging);
        self.rows.push(threads);
        while let Some(stroke) = hanging.pop() {
            let mut row = self.threads(&hanging);
            row.put_text(self.base + stroke.start, &stroke.mark.label, stroke.mark.ink);
            self.rows.push(row);
        }
    }

    /// A row with a thread down from each stroke whose label is still to come.
    fn threads(&self, hanging: &[&Stroke<'_>]) -> CellRow {
        let mut row = self.row("");
        for stroke in hanging {
            row.put(self.base + stroke.start, '|', stroke.mark.ink);
        }
        row
    }

    fn open(&mut self, reach: &LineSpanMarker, column: usize) {
        let row = self.tip(reach, column);
        self.rows.push(row);
        self.set_lane(reach.lane, Some(reach.mark.ink));
    }

    fn close(&mut self, reach: &LineSpanMarker, column: usize) {
        let mut row = self.tip(reach, column);
        row.put_text(self.base + column + 2, &reach.mark.label, reach.mark.ink);
        self.rows.push(row);
        self.set_lane(reach.lane, None);
    }

    /// A row that leads from the lane of a mark to a column of the text.
    fn tip(&self, reach: &LineSpanMarker, column: usize) -> CellRow {
        let mut row = self.row("");
        for at in self.lane(reach.lane) + 1..self.base + column {
            row.put(at, '_', reach.mark.ink);
        }
        for (lane, ink) in self.active.iter().enumerate() {
            if let Some(ink) = ink {
                row.put(self.lane(lane), '|', *ink);
            }
        }
        row.put(self.base + column, reach.mark.tip, reach.mark.ink);
        row
    }

    fn set_lane(&mut self, lane: usize, ink: Option<Ink>) {
        if let Some(slot) = self.active.get_mut(lane) {
            *slot = ink;
        }
    }
}
