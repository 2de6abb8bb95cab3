//! Rows of characters, each with an ink, and how inks look.

use std::fmt::{self, Write};

use super::Style;
use crate::Severity;

/// What a character is part of, and so how it is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    /// Source text and words.
    Plain,
    /// The message, which stands out from its code and its place.
    Strong,
    /// Line numbers, rules and arrows.
    Frame,
    /// The severity, and the marks at the primary place.
    Severity(Severity),
    /// Marks at other places.
    Label,
    /// A line that a fix takes away.
    Removed,
    /// A line that a fix brings.
    Added,
}

impl Ink {
    /// The parameters of the "select graphic rendition" sequence.
    const fn code(self) -> &'static str {
        match self {
            Ink::Plain => "",
            Ink::Strong => "1",
            Ink::Frame | Ink::Label => "1;94",
            Ink::Severity(Severity::Error) => "1;91",
            Ink::Severity(Severity::Warning) => "1;93",
            Ink::Severity(Severity::Info) => "1;96",
            Ink::Removed => "91",
            Ink::Added => "92",
        }
    }
}

/// One row of output, painted cell by cell.
///
/// INVARIANT: nothing is placed by column after text with wide characters, so that one cell per character will do.
#[derive(Clone, Debug, Default)]
pub(super) struct CellRow {
    cells: Vec<(char, Ink)>,
}

impl CellRow {
    /// Paints one cell; cells that were skipped are blank.
    pub(super) fn put(&mut self, column: usize, character: char, ink: Ink) {
        if self.cells.len() <= column {
            self.cells.resize(column + 1, (' ', Ink::Plain));
        }
        if let Some(cell) = self.cells.get_mut(column) {
            *cell = (character, ink);
        }
    }

    /// Paints text from a column on.
    pub(super) fn put_text(&mut self, column: usize, text: &str, ink: Ink) {
        for (at, character) in text.chars().enumerate() {
            self.put(column + at, character, ink);
        }
    }

    /// Paints text after everything that is there.
    pub(super) fn push(&mut self, text: &str, ink: Ink) {
        self.cells.extend(text.chars().map(|character| (character, ink)));
    }

    /// Writes the row and a line break, without blanks at the end.
    pub(super) fn write(&self, out: &mut dyn Write, style: Style) -> fmt::Result {
        let used = self.cells.iter().rposition(|(character, _)| *character != ' ').map_or(0, |last| last + 1);
        let mut current = Ink::Plain;
        for &(character, ink) in self.cells.iter().take(used) {
            // A blank looks the same in every ink.
            if style == Style::Colour && ink.code() != current.code() && character != ' ' {
                if current != Ink::Plain {
                    out.write_str("\u{1b}[0m")?;
                }
                if ink != Ink::Plain {
                    write!(out, "\u{1b}[{}m", ink.code())?;
                }
                current = ink;
            }
            out.write_char(character)?;
        }
        if current != Ink::Plain {
            out.write_str("\u{1b}[0m")?;
        }
        out.write_char('\n')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(row: &CellRow, style: Style, expect: &str) {
        let mut out = String::new();
        row.write(&mut out, style).unwrap();
        assert_eq!(out, expect);
    }

    #[test]
    fn a_row_changes_ink_only_where_it_must() {
        let mut row = CellRow::default();
        row.push("3 | ", Ink::Frame);
        row.push("a b", Ink::Plain);
        row.put(9, '^', Ink::Severity(Severity::Error));
        row.put(12, ' ', Ink::Strong);
        check(&row, Style::Plain, "3 | a b  ^\n");
        check(&row, Style::Colour, "\u{1b}[1;94m3 | \u{1b}[0ma b  \u{1b}[1;91m^\u{1b}[0m\n");
    }

    #[test]
    fn an_empty_row_is_a_line_break() {
        check(&CellRow::default(), Style::Colour, "\n");
    }
}
