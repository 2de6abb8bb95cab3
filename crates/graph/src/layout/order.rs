//! The order of what stands in a column, so that few lines cross.

use super::columns::ColumnGraph;

/// How often all columns are looked at, forth and back.
const SWEEPS: usize = 8;

/// Past so many links a sweep costs more than it helps.
const MANY: usize = 30_000;

/// Orders the items of every column.
pub(super) fn reduce_crossings(items: &mut ColumnGraph) {
    // The first sweep makes a start out of the order of the template.
    let sweeps = if items.links() > MANY { 2 } else { SWEEPS };
    let mut best = items.columns.clone();
    let mut fewest = usize::MAX;
    for _ in 0..sweeps {
        for column in 1..items.columns.len() {
            sort(items, column, Side::Before);
        }
        keep_if_better(items, &mut best, &mut fewest);
        for column in (0..items.columns.len().saturating_sub(1)).rev() {
            sort(items, column, Side::After);
        }
        keep_if_better(items, &mut best, &mut fewest);
        if fewest == 0 {
            break;
        }
    }
    items.columns = best;
    items.number();
}

#[derive(Clone, Copy)]
enum Side {
    Before,
    After,
}

/// Sorts a column by the mean position of what its items are linked to on one side; what has no link stays where it is.
fn sort(items: &mut ColumnGraph, column: usize, side: Side) {
    let list = std::mem::take(&mut items.columns[column]);
    let mut keyed: Vec<(f64, usize, usize)> = list
        .iter()
        .enumerate()
        .map(|(position, item)| {
            let linked = match side {
                Side::Before => &items.before[*item],
                Side::After => &items.after[*item],
            };
            #[expect(clippy::cast_precision_loss, reason = "positions are far below 2^52")]
            let key = if linked.is_empty() {
                position as f64
            } else {
                linked.iter().map(|other| items.position[*other] as f64).sum::<f64>() / linked.len() as f64
            };
            (key, position, *item)
        })
        .collect();
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut list: Vec<usize> = Vec::with_capacity(keyed.len());
    for same in keyed.chunk_by(|a, b| a.0 == b.0) {
        // A line that goes on between those that it leads to leaves as much above as below.
        let is_box = |item: &usize| items.boxes[*item].is_some();
        let (boxes, ways): (Vec<usize>, Vec<usize>) = same.iter().map(|(_, _, item)| *item).partition(is_box);
        let half = boxes.len() / 2;
        list.extend(boxes.iter().take(half).chain(&ways).chain(boxes.iter().skip(half)));
    }
    for (position, item) in list.iter().enumerate() {
        items.position[*item] = position;
    }
    items.columns[column] = list;
}

fn keep_if_better(
    items: &ColumnGraph,
    best: &mut crate::table::IndexedTable<Vec<usize>>,
    fewest: &mut usize,
) {
    let crossings = (1..items.columns.len()).map(|column| crossings(items, column)).sum();
    if crossings < *fewest {
        *fewest = crossings;
        *best = items.columns.clone();
    }
}

/// How many links between a column and the one before cross.
fn crossings(items: &ColumnGraph, column: usize) -> usize {
    let width = items.columns[column].len();
    // How many links so far end at or before a position: a Fenwick tree.
    let mut tree = crate::table::IndexedTable::of(0usize, width + 1);
    let (mut crossed, mut seen) = (0, 0);
    for from in &items.columns[column - 1] {
        let mut ends: Vec<usize> = items.after[*from].iter().map(|to| items.position[*to]).collect();
        ends.sort_unstable();
        for end in &ends {
            let (mut at, mut not_behind) = (end + 1, 0);
            while at > 0 {
                not_behind += tree[at];
                at &= at - 1;
            }
            crossed += seen - not_behind;
        }
        for end in ends {
            let mut at = end + 1;
            while at <= width {
                tree[at] += 1;
                at += at & at.wrapping_neg();
            }
            seen += 1;
        }
    }
    crossed
}
