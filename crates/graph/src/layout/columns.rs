//! Boxes and lines in columns. A line that passes a column has an item there, which keeps its way free of boxes.
//!
//! All lines that start at a box share their way until they part, so that a resource that many need has one trunk and not a bundle.

use super::{LayoutError, MAX_ITEMS, Sizes};
use crate::table::IndexedTable;

/// How high the way of a line through a column is.
const WAY: i32 = 4;

/// What stands in columns, and what is linked to what in the next one.
pub(super) struct ColumnGraph {
    /// The box of an item, or none if it is the way of a line.
    pub(super) boxes: IndexedTable<Option<usize>>,
    /// The column of each.
    pub(super) column: IndexedTable<usize>,
    /// How high each is.
    pub(super) height: IndexedTable<i32>,
    /// What each is linked to in the column before.
    pub(super) before: IndexedTable<Vec<usize>>,
    /// What each is linked to in the column behind.
    pub(super) after: IndexedTable<Vec<usize>>,
    /// The items of every column, from above.
    pub(super) columns: IndexedTable<Vec<usize>>,
    /// The place of each in its column.
    pub(super) position: IndexedTable<usize>,
    /// The ways that a box's lines have, by column behind it.
    ways: IndexedTable<Vec<usize>>,
}

impl ColumnGraph {
    /// Makes the items of boxes whose columns are known.
    pub(super) fn new(
        sizes: &Sizes<'_>,
        edges: &[(usize, usize)],
        layer: &IndexedTable<usize>,
    ) -> Result<ColumnGraph, LayoutError> {
        let count = sizes.boxes.len();
        let mut items = ColumnGraph {
            boxes: (0..count).map(Some).collect(),
            column: layer.clone(),
            height: sizes.boxes.iter().map(|size| size.1).collect(),
            before: IndexedTable::of(Vec::new(), count),
            after: IndexedTable::of(Vec::new(), count),
            columns: IndexedTable::of(Vec::new(), layer.iter().max().map_or(0, |last| last + 1)),
            position: IndexedTable::of(0, count),
            ways: IndexedTable::of(Vec::new(), count),
        };
        let mut last = IndexedTable::of(0usize, count);
        for (from, to) in edges {
            last[*from] = last[*from].max(layer[*to]);
        }
        for at in 0..count {
            items.columns[layer[at]].push(at);
            let mut before = at;
            for column in layer[at] + 1..last[at] {
                let way = items.way(column)?;
                items.link(before, way);
                items.ways[at].push(way);
                before = way;
            }
        }
        for (from, to) in edges {
            items.link(items.last(*from, *to), *to);
        }
        items.number();
        Ok(items)
    }

    fn way(&mut self, column: usize) -> Result<usize, LayoutError> {
        if self.boxes.len() >= MAX_ITEMS {
            return Err(LayoutError::TooTangled);
        }
        self.column.add(column);
        self.height.add(WAY);
        self.before.add(Vec::new());
        self.after.add(Vec::new());
        self.position.add(0);
        let item = self.boxes.add(None);
        self.columns[column].push(item);
        Ok(item)
    }

    fn link(&mut self, from: usize, to: usize) {
        self.after[from].push(to);
        self.before[to].push(from);
    }

    /// The last item of the line between two boxes before the second one.
    fn last(&self, from: usize, to: usize) -> usize {
        let between = self.column[to] - self.column[from] - 1;
        let way = between.checked_sub(1).and_then(|at| self.ways[from].get(at));
        way.copied().unwrap_or(from)
    }

    /// All items of the line between two boxes, with both.
    pub(super) fn line(&self, from: usize, to: usize) -> impl Iterator<Item = usize> {
        let between = self.column[to] - self.column[from] - 1;
        std::iter::once(from).chain(self.ways[from].iter().take(between).copied()).chain([to])
    }

    /// How many links there are.
    pub(super) fn links(&self) -> usize {
        self.after.iter().map(Vec::len).sum()
    }

    /// Notes the places of all items in their columns.
    pub(super) fn number(&mut self) {
        for list in self.columns.iter() {
            for (position, item) in list.iter().enumerate() {
                self.position[*item] = position;
            }
        }
    }
}
