//! How high in its column everything stands: near what it is linked to, in its order, and with space between.

use super::columns::ColumnGraph;
use crate::table::IndexedTable;

/// The space between two boxes.
const GAP: i32 = 20;

/// The space beside the way of a line.
const WAY_GAP: i32 = 10;

/// The largest space between two lines that enter a box.
const PORT: i32 = 26;

/// How often all columns are looked at.
const SWEEPS: usize = 8;

/// The heights at which boxes and lines stand.
pub(super) struct Places {
    /// The upper end of each item.
    pub(super) top: IndexedTable<i32>,
    /// For each link into an item, in the order of `ColumnGraph::before`: how far below the middle of the item it enters.
    pub(super) ports: IndexedTable<Vec<i32>>,
    /// Every link out of an item: where it leads, and how far below the middle of that it enters.
    pub(super) leaving: IndexedTable<Vec<(usize, i32)>>,
}

impl Places {
    /// The middle of an item.
    pub(super) fn middle(&self, items: &ColumnGraph, item: usize) -> i32 {
        self.top[item] + items.height[item] / 2
    }
}

/// Gives everything its place.
pub(super) fn place(items: &mut ColumnGraph) -> Places {
    let ports = ports(items);
    let mut leaving = IndexedTable::of(Vec::new(), items.boxes.len());
    for to in 0..items.boxes.len() {
        for (from, port) in items.before[to].iter().zip(&ports[to]) {
            leaving[*from].push((to, *port));
        }
    }
    let links = Links { ports: &ports, leaving: &leaving };
    let mut top = IndexedTable::of(0i32, items.boxes.len());
    for column in 0..items.columns.len() {
        let list = &items.columns[column];
        let starts = starts(items, list);
        for (item, start) in list.iter().zip(starts) {
            top[*item] = start;
        }
    }
    let columns = items.columns.len();
    for sweep in 0..SWEEPS {
        if sweep % 2 == 0 {
            (1..columns).for_each(|column| align(items, &links, &mut top, column, Towards::Before));
        } else if sweep + 1 < SWEEPS {
            (0..columns).rev().for_each(|column| align(items, &links, &mut top, column, Towards::Both));
        }
    }
    (1..columns).for_each(|column| align(items, &links, &mut top, column, Towards::Before));
    (0..columns).rev().for_each(|column| align(items, &links, &mut top, column, Towards::Both));
    (1..columns).for_each(|column| straighten(items, &mut top, column));
    let least = top.iter().copied().min().unwrap_or(0);
    top.iter_mut().for_each(|top| *top -= least);
    Places { top, ports, leaving }
}

struct Links<'l> {
    ports: &'l IndexedTable<Vec<i32>>,
    leaving: &'l IndexedTable<Vec<(usize, i32)>>,
}

/// Sorts the links into every item by where they come from, and spreads them over its side.
fn ports(items: &mut ColumnGraph) -> IndexedTable<Vec<i32>> {
    let mut ports = IndexedTable::of(Vec::new(), items.boxes.len());
    for item in 0..items.boxes.len() {
        let mut links = std::mem::take(&mut items.before[item]);
        links.sort_by_key(|from| items.position[*from]);
        let count = i32::try_from(links.len()).unwrap_or(i32::MAX);
        let step = (items.height[item] / count.saturating_add(1)).min(PORT);
        // Whole pixels, and as far above the middle as below.
        ports[item] = (0..count).map(|at| (2 * at - (count - 1)) * step / 2).collect();
        items.before[item] = links;
    }
    ports
}

/// The upper ends of the items of a column that is packed as tightly as may be.
fn starts(items: &ColumnGraph, list: &[usize]) -> Vec<i32> {
    let mut starts = Vec::with_capacity(list.len());
    let mut at = 0i32;
    let mut before: Option<usize> = None;
    for item in list {
        if let Some(before) = before {
            let both_boxes = items.boxes[before].is_some() && items.boxes[*item].is_some();
            at = at.saturating_add(if both_boxes { GAP } else { WAY_GAP });
        }
        starts.push(at);
        at = at.saturating_add(items.height[*item]);
        before = Some(*item);
    }
    starts
}

/// How far the way of a line is moved to make it straight.
const BEND: i32 = 12;

/// Takes small bends out of lines where there is room.
fn straighten(items: &ColumnGraph, top: &mut IndexedTable<i32>, column: usize) {
    let list = &items.columns[column];
    let starts = starts(items, list);
    for (at, item) in list.iter().enumerate().filter(|(_, item)| items.boxes[**item].is_none()) {
        let Some(from) = items.before[*item].first() else { continue };
        let wanted = top[*from] + items.height[*from] / 2 - items.height[*item] / 2;
        if (wanted - top[*item]).abs() > BEND {
            continue;
        }
        // As far from its neighbours as they stand when they are packed.
        let room = |other: Option<usize>| {
            let (other, start) = (list.get(other?)?, starts.get(other?)?);
            Some(top[*other] - start)
        };
        let own = starts.get(at).copied().unwrap_or(0);
        let least = room(at.checked_sub(1)).map_or(i32::MIN, |room| room.saturating_add(own));
        let most = room(Some(at + 1)).map_or(i32::MAX, |room| room.saturating_add(own));
        top[*item] = wanted.min(most).max(least);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Towards {
    Before,
    Both,
}

/// Moves the items of a column as near to what they are linked to as their order and the space between them let them: the least sum of
/// squares, by joining neighbours that would overlap into blocks.
fn align(
    items: &ColumnGraph,
    links: &Links<'_>,
    top: &mut IndexedTable<i32>,
    column: usize,
    towards: Towards,
) {
    struct Block {
        items: usize,
        weight: f64,
        sum: f64,
    }
    let list = &items.columns[column];
    let starts = starts(items, list);
    let mut blocks: Vec<Block> = Vec::with_capacity(list.len());
    for (item, start) in list.iter().zip(&starts) {
        let (weight, sum) = wish(items, links, top, *item, towards);
        // Who has no wish wants to stay, a little.
        let (weight, sum) = if weight > 0.0 { (weight, sum) } else { (0.05, 0.05 * f64::from(top[*item])) };
        blocks.push(Block { items: 1, weight, sum: sum - weight * f64::from(*start) });
        while let [.., before, last] = blocks.as_mut_slice()
            && before.sum / before.weight >= last.sum / last.weight
        {
            before.items += last.items;
            before.weight += last.weight;
            before.sum += last.sum;
            blocks.pop();
        }
    }
    let mut placed = list.iter().zip(&starts);
    for block in blocks {
        // Picture coordinates are far from the ends of the type, and saturate there.
        #[expect(clippy::cast_possible_truncation, reason = "casts of floats saturate")]
        let offset = (block.sum / block.weight).round() as i32;
        for (item, start) in placed.by_ref().take(block.items) {
            top[*item] = offset.saturating_add(*start);
        }
    }
}

/// Where an item would like its upper end to be: weights, and the weighted sum.
fn wish(
    items: &ColumnGraph,
    links: &Links<'_>,
    top: &IndexedTable<i32>,
    item: usize,
    towards: Towards,
) -> (f64, f64) {
    let half = items.height[item] / 2;
    let (mut weight, mut sum) = (0.0, 0.0);
    let mut add = |wanted: i32, other: usize| {
        // Long lines should be straight.
        let own = match (items.boxes[item].is_some(), items.boxes[other].is_some()) {
            (true, true) => 1.0,
            (true, false) | (false, true) => 2.0,
            (false, false) => 8.0,
        };
        weight += own;
        sum += own * f64::from(wanted);
    };
    for (from, port) in items.before[item].iter().zip(&links.ports[item]) {
        add(top[*from] + items.height[*from] / 2 - port - half, *from);
    }
    if towards == Towards::Both {
        for (to, port) in &links.leaving[item] {
            add(top[*to] + items.height[*to] / 2 + port - half, *to);
        }
    }
    (weight, sum)
}
