//! Which column a box stands in: right of all that it depends on, and no column much higher than the picture should be.

use super::Sizes;
use crate::table::IndexedTable;

/// How much wider than high a picture should be.
const ASPECT: f64 = 1.5;

/// The column of every box. Boxes without any line must not be among them.
pub(super) fn layers(sizes: &Sizes<'_>, edges: &[(usize, usize)]) -> IndexedTable<usize> {
    let count = sizes.boxes.len();
    let mut before: IndexedTable<Vec<usize>> = IndexedTable::of(Vec::new(), count);
    let mut after: IndexedTable<Vec<usize>> = IndexedTable::of(Vec::new(), count);
    for (from, to) in edges {
        before[*to].push(*from);
        after[*from].push(*to);
    }
    let order = topological(&before, &after);
    let mut depth = IndexedTable::of(0usize, count);
    for at in &order {
        depth[*at] = before[*at].iter().map(|from| depth[*from] + 1).max().unwrap_or(0);
    }
    let mut rest = IndexedTable::of(0usize, count);
    for at in order.iter().rev() {
        rest[*at] = after[*at].iter().map(|to| rest[*to] + 1).max().unwrap_or(0);
    }
    // Of those that could stand in a column, the ones with more behind them come first.
    let mut sorted = order;
    sorted.sort_by_key(|at| (depth[*at], usize::MAX - rest[*at], *at));

    let mut columns = Columns::new(sizes);
    let mut layer = IndexedTable::of(0usize, count);
    for at in &sorted {
        let least = before[*at].iter().map(|from| layer[*from] + 1).max().unwrap_or(0);
        layer[*at] = columns.take(least, sizes.step(*at));
    }
    // What depends on nothing stands near the first that needs it, if there is room.
    for at in sorted.iter().rev().filter(|at| before[**at].is_empty()) {
        let Some(first) = after[*at].iter().map(|to| layer[*to]).min() else { continue };
        let (wanted, height) = (first.saturating_sub(1), sizes.step(*at));
        if wanted > layer[*at] && columns.has_room(wanted, height) {
            columns.leave(layer[*at], height);
            columns.enter(wanted, height);
            layer[*at] = wanted;
        }
    }
    without_gaps(layer)
}

/// The boxes, each behind all that it depends on.
fn topological(before: &IndexedTable<Vec<usize>>, after: &IndexedTable<Vec<usize>>) -> Vec<usize> {
    let mut waits: IndexedTable<usize> = before.iter().map(Vec::len).collect();
    let mut order: Vec<usize> = (0..waits.len()).filter(|at| waits[*at] == 0).collect();
    let mut next = 0;
    while let Some(at) = order.get(next).copied() {
        next += 1;
        for to in &after[at] {
            waits[*to] -= 1;
            if waits[*to] == 0 {
                order.push(*to);
            }
        }
    }
    order
}

/// How high the columns are.
struct Columns {
    used: Vec<i64>,
    most: i64,
    smallest: i64,
    /// From a column to the next one that may have room; a full one points past itself.
    next: Vec<usize>,
}

impl Columns {
    fn new(sizes: &Sizes<'_>) -> Columns {
        let steps = || (0..sizes.boxes.len()).map(|at| sizes.step(at));
        let area: f64 =
            sizes.boxes.iter().map(|size| f64::from(size.0 + super::CHANNEL) * f64::from(size.1)).sum();
        // A picture is never wanted so high that casting could lose anything.
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the root of an area of boxes that fit a picture"
        )]
        let most = (area / ASPECT).sqrt() as i64;
        let largest = steps().max().unwrap_or(0);
        Columns {
            used: Vec::new(),
            most: most.max(largest),
            smallest: steps().min().unwrap_or(0),
            next: Vec::new(),
        }
    }

    fn has_room(&self, column: usize, height: i64) -> bool {
        self.used.get(column).is_none_or(|used| *used == 0 || used + height <= self.most)
    }

    /// Takes room in the first column from `least` on that has some.
    fn take(&mut self, least: usize, height: i64) -> usize {
        let mut column = self.open(least);
        while !self.has_room(column, height) {
            column = self.open(column + 1);
        }
        self.enter(column, height);
        column
    }

    /// The first column from one on that is not full.
    fn open(&mut self, from: usize) -> usize {
        let mut column = from;
        while let Some(next) = self.next.get(column).copied().filter(|next| *next != column) {
            column = next;
        }
        // The next search takes one step.
        let mut at = from;
        while let Some(next) = self.next.get_mut(at).filter(|next| **next != at) {
            at = std::mem::replace(next, column);
        }
        column
    }

    fn enter(&mut self, column: usize, height: i64) {
        while self.used.len() <= column {
            self.next.push(self.used.len());
            self.used.push(0);
        }
        if let Some(used) = self.used.get_mut(column) {
            *used += height;
            if *used + self.smallest > self.most
                && let Some(next) = self.next.get_mut(column)
            {
                *next = column + 1;
            }
        }
    }

    fn leave(&mut self, column: usize, height: i64) {
        if let Some(used) = self.used.get_mut(column) {
            *used -= height;
        }
    }
}

/// Numbers the columns that are used from 0 on.
fn without_gaps(layer: IndexedTable<usize>) -> IndexedTable<usize> {
    let mut used: Vec<usize> = layer.iter().copied().collect();
    used.sort_unstable();
    used.dedup();
    layer.iter().map(|layer| used.binary_search(layer).unwrap_or(0)).collect()
}
