//! The ratios in the tables that benchmarks print, and which of them fell.

use std::collections::BTreeMap;
use std::fmt;

use crate::Result;

/// A ratio that is less than this part of what is kept has fallen.
const LEAST: f64 = 0.9;

/// What the columns with ratios are called, at least in part. In all of them more is better.
const COLUMN: &str = "times as fast";

/// A table, a line of it and one of its columns.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cell {
    table: String,
    line: String,
    /// The columns of ratios are counted from one: several have the same name.
    column: usize,
}

/// The ratios of some tables.
#[derive(Debug, Default)]
pub(crate) struct Ratios(BTreeMap<Cell, f64>);

/// A ratio that fell.
#[derive(Debug)]
pub(crate) struct FallenRatio {
    pub(crate) cell: Cell,
    kept: f64,
    /// None where it was not measured.
    found: Option<f64>,
}

impl Ratios {
    /// Reads tables in Markdown. What stands last before a table is its title. Of several figures in a cell the last one
    /// counts, which is that of the least times.
    pub(crate) fn read(text: &str) -> Ratios {
        let mut ratios = Ratios::default();
        let mut title = String::new();
        let mut columns: Option<Vec<usize>> = None;
        for line in text.lines() {
            let Some(cells) = cells(line) else {
                columns = None;
                if !line.trim().is_empty() {
                    title = line.trim().trim_start_matches('#').trim().to_owned();
                }
                continue;
            };
            let Some(columns) = &columns else {
                let wanted = cells.iter().enumerate().filter(|(_, cell)| cell.contains(COLUMN));
                columns = Some(wanted.map(|(place, _)| place).collect());
                continue;
            };
            let name = cells.first().copied().unwrap_or_default();
            for (column, place) in columns.iter().enumerate() {
                let figure = cells.get(*place).and_then(|cell| cell.rsplit(',').next());
                if let Some(Ok(ratio)) = figure.map(|figure| figure.trim().parse::<f64>()) {
                    let cell = Cell { table: title.clone(), line: name.to_owned(), column: column + 1 };
                    ratios.0.insert(cell, ratio);
                }
            }
        }
        ratios
    }

    /// Fails where there are none: nothing could fall.
    pub(crate) fn require(&self) -> Result {
        match self.0.is_empty() {
            true => Err(format!("there is no table with a column `{COLUMN}`")),
            false => Ok(()),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Those that are lower now by more than a tenth, or not there any more.
    pub(crate) fn fallen(&self, now: &Ratios) -> Vec<FallenRatio> {
        let fallen = self.0.iter().filter_map(|(cell, kept)| {
            let found = now.0.get(cell).copied();
            let fell = found.is_none_or(|found| found.is_nan() || found < kept * LEAST);
            fell.then(|| FallenRatio { cell: cell.clone(), kept: *kept, found })
        });
        fallen.collect()
    }
}

/// The cells of a line of a table.
fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    Some(inner.split('|').map(str::trim).collect())
}

impl fmt::Display for FallenRatio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cell { table, line, column } = &self.cell;
        write!(f, "{table}: {line}, column {column}: {:.2} before, ", self.kept)?;
        match self.found {
            Some(found) => write!(f, "{found:.2} now"),
            None => f.write_str("not measured now"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEPT: &str = "agreed\n\n### Valid documents\n\n\
        | case | theirs | ours | times as fast (median, least) | more | times as fast |\n\
        |---|--:|--:|--:|--:|--:|\n\
        | flat | 9 ns | 3 ns | 3.10, 3.00 | 4 ns | 2.00 |\n\
        | mean | | | 2.00, 2.00 | | |\n\n\
        compiling\n\n| case | times as fast |\n|---|--:|\n| flat | 5.0 |\n";

    fn fallen(now: &str) -> Vec<String> {
        Ratios::read(KEPT).fallen(&Ratios::read(now)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn ratios_are_read_with_their_tables() {
        let ratios = Ratios::read(KEPT);
        assert_eq!(ratios.0.values().copied().collect::<Vec<_>>(), [3.0, 2.0, 2.0, 5.0]);
        assert!(ratios.require().is_ok());
        assert!(Ratios::read("| a | b |\n|---|---|\n| 1 | 2 |").require().is_err());
    }

    #[test]
    fn a_ratio_that_falls_by_more_than_a_tenth_is_named() {
        assert!(fallen(KEPT).is_empty());
        assert!(fallen(&KEPT.replace("3.10, 3.00", "1.00, 2.71")).is_empty());
        assert!(fallen(&KEPT.replace("| 5.0 |", "| 50.0 |")).is_empty());
        assert_eq!(
            fallen(&KEPT.replace("3.10, 3.00", "9.00, 2.69")),
            ["Valid documents: flat, column 1: 3.00 before, 2.69 now"]
        );
        assert_eq!(
            fallen(&KEPT.replace("| flat | 5.0 |\n", "")),
            ["compiling: flat, column 1: 5.00 before, not measured now"]
        );
        assert_eq!(fallen("").len(), 4);
        assert_eq!(fallen(&KEPT.replace("2.00, 2.00", "2.00, NaN")).len(), 1);
    }
}
