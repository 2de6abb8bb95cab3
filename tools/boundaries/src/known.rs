//! Cells that are known to be broken. The list only shrinks: a row that no cell needs is an error.

use crate::run::Cell;

const ROWS: &str = include_str!("../resources/known.tsv");

/// A row of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// The beginning of the names of boundaries.
    pub boundary: &'static str,
    /// The class, or `*`.
    pub class: &'static str,
    /// How the names of the attacks end; empty for all of the class.
    pub attack: &'static str,
    /// What is wrong, or its beginning.
    pub wrong: &'static str,
}

/// The rows.
pub fn rows() -> Vec<Known> {
    ROWS.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .filter_map(|line| {
            let mut parts = line.split('\t');
            let mut next = || parts.next();
            Some(Known { boundary: next()?, class: next()?, attack: next()?, wrong: next()? })
        })
        .collect()
}

impl Known {
    /// Whether a cell is what the row is about.
    pub fn is_about(&self, cell: &Cell) -> bool {
        cell.boundary.name().starts_with(self.boundary)
            && (self.class == "*" || self.class == format!("{:?}", cell.class))
            && cell.attack.ends_with(self.attack)
            && cell.wrong.iter().all(|wrong| wrong.starts_with(self.wrong))
            && !cell.wrong.is_empty()
    }
}
