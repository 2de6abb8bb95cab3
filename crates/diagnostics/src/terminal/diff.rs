//! What a fix changes, as lines taken away and lines brought, when that is short enough to read.

use super::ink::{CellRow, Ink};
use crate::{Columns, Edit, Fix, SourceMap, Span, apply, printable};

/// A change over more lines than this is told by its title alone.
const LINES: u32 = 6;

/// So is one over more bytes than this, before or after.
const BYTES: usize = 1200;

/// The lines that a fix changes.
pub(super) struct Diff {
    first: u32,
    removed: Vec<String>,
    added: Vec<String>,
}

impl Diff {
    /// Works out the change, or returns `None` when it is too long, touches several files or does not apply.
    pub(super) fn new(sources: &SourceMap, fix: &Fix) -> Option<Diff> {
        let whole = fix.edits.iter().map(|edit| edit.span).map(Some).reduce(|a, b| a?.cover(b?))??;
        let file = sources.get(whole.file)?;
        let extent = file.extent(whole, Columns::Bytes);
        let (first, last) = (extent.start.line, extent.end.line);
        let block = file.lines().line(first).start..file.lines().line(last).end;
        let inserted: usize = fix.edits.iter().map(|edit| edit.text.len()).sum();
        // A diff shows whole lines, and a mask in it would read as part of the change.
        if file.is_withheld() || !file.hidden(&block).is_empty() {
            return None;
        }
        if last - first >= LINES || block.len() + inserted > BYTES || whole.end > block.end {
            return None;
        }
        let old = file.slice(Span::new(whole.file, block.start, block.end));
        let moved: Vec<Edit> = fix.edits.iter().map(|edit| moved_back(edit, block.start)).collect();
        let new = apply(old, &moved)?;
        let mut diff = Diff { first, removed: lines(old), added: lines(&new) };
        diff.drop_common_lines();
        (diff.added.len() <= 2 * LINES as usize).then_some(diff)
    }

    fn drop_common_lines(&mut self) {
        let same = self.removed.iter().zip(&self.added).take_while(|(old, new)| old == new).count();
        self.removed.drain(..same);
        self.added.drain(..same);
        self.first = self.first.saturating_add(u32::try_from(same).unwrap_or(u32::MAX));
        let same = self.removed.iter().rev().zip(self.added.iter().rev()).take_while(|(old, new)| old == new);
        let same = same.count();
        self.removed.truncate(self.removed.len() - same);
        self.added.truncate(self.added.len() - same);
    }

    /// The last line number that is shown.
    pub(super) fn last_line(&self) -> u32 {
        let count = self.removed.len().max(self.added.len());
        self.first.saturating_add(u32::try_from(count).unwrap_or(u32::MAX))
    }

    /// Paints all rows; `digits` is the width of the line numbers.
    pub(super) fn rows(&self, digits: usize) -> impl Iterator<Item = CellRow> {
        let removed = self.removed.iter().map(|line| (line, '-', Ink::Removed));
        let added = self.added.iter().map(|line| (line, '+', Ink::Added));
        let numbered = |first: u32| move |(at, line)| (first.saturating_add(at), line);
        let rows = (0u32..)
            .zip(removed)
            .map(numbered(self.first))
            .chain((0u32..).zip(added).map(numbered(self.first)));
        rows.map(move |(number, (line, sign, ink))| {
            let mut row = CellRow::default();
            let number = number.to_string();
            row.put_text(digits.saturating_sub(number.len()), &number, Ink::Frame);
            row.put(digits + 1, sign, ink);
            row.put_text(digits + 3, line, ink);
            row
        })
    }
}

fn moved_back(edit: &Edit, by: u32) -> Edit {
    let Span { file, start, end } = edit.span;
    Edit {
        span: Span { file, start: start.saturating_sub(by), end: end.saturating_sub(by) },
        text: edit.text.clone(),
    }
}

/// The printable lines of a text.
fn lines(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let printed = |line: &str| {
        let mut out = String::new();
        for character in line.chars() {
            printable::push(&mut out, character);
        }
        out
    };
    text.split('\n').map(printed).collect()
}
