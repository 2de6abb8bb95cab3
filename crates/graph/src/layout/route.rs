//! The tracks of the lines between two columns: where they go up and down.
//!
//! A line leaves its item to the right, goes up and down on a track of its own, and enters what it leads to from the left. Tracks are
//! shared by lines that do not meet.

use std::collections::{BTreeMap, BinaryHeap};

use super::columns::ColumnGraph;
use super::y_coordinates::Places;
use crate::table::IndexedTable;

/// The tracks behind one column.
#[derive(Default)]
pub(super) struct Tracks {
    /// The track of every item whose lines do not go straight, by item.
    pub(super) of: BTreeMap<usize, usize>,
    /// How many there are.
    pub(super) count: usize,
}

/// What goes from one item to the next column.
struct Net {
    item: usize,
    from: i32,
    low: i32,
    high: i32,
    to: Vec<i32>,
}

/// The tracks behind a column.
pub(super) fn tracks(items: &ColumnGraph, places: &Places, column: usize) -> Tracks {
    let mut nets: IndexedTable<Net> = IndexedTable::default();
    for item in &items.columns[column] {
        let from = places.middle(items, *item);
        let to: Vec<i32> =
            places.leaving[*item].iter().map(|(to, port)| places.middle(items, *to) + port).collect();
        if to.iter().all(|to| *to == from) {
            continue;
        }
        let low = to.iter().copied().fold(from, i32::min);
        let high = to.iter().copied().fold(from, i32::max);
        nets.add(Net { item: *item, from, low, high, to });
    }
    let mut levels = Levels::new(nets.iter().flat_map(|net| [net.low, net.high]));
    let mut tracks = Tracks::default();
    for at in sequence(&nets) {
        let net = &nets[at];
        let track = levels.take(net.low, net.high);
        tracks.of.insert(net.item, track);
        tracks.count = tracks.count.max(track + 1);
    }
    tracks
}

/// The nets from left to right. Of lines that go down, the lowest comes first, and of lines that go up the highest, because then they do
/// not cross. A line that leaves where another one enters comes before it, because otherwise they would lie upon each other.
fn sequence(nets: &IndexedTable<Net>) -> Vec<usize> {
    let key = |net: &Net| {
        let down = net.high > net.from;
        let up = net.low < net.from;
        match (down, up) {
            (true, true) => (1, i64::from(net.from)),
            (true, false) => (0, -i64::from(net.from)),
            (false, _) => (2, i64::from(net.from)),
        }
    };
    let mut sorted: Vec<usize> = (0..nets.len()).collect();
    sorted.sort_by_key(|at| (key(&nets[*at]), *at));
    let mut rank = IndexedTable::of(0usize, nets.len());
    for (position, at) in sorted.iter().enumerate() {
        rank[*at] = position;
    }
    let leaves: BTreeMap<i32, usize> = nets.iter().enumerate().map(|(at, net)| (net.from, at)).collect();
    let mut waits = IndexedTable::of(0usize, nets.len());
    let mut frees: IndexedTable<Vec<usize>> = IndexedTable::of(Vec::new(), nets.len());
    for (at, net) in nets.iter().enumerate() {
        for before in net.to.iter().filter_map(|to| leaves.get(to)).filter(|before| **before != at) {
            waits[at] += 1;
            frees[*before].push(at);
        }
    }
    let mut ready: BinaryHeap<std::cmp::Reverse<usize>> =
        (0..nets.len()).filter(|at| waits[*at] == 0).map(|at| std::cmp::Reverse(rank[at])).collect();
    let mut done = IndexedTable::of(false, nets.len());
    let mut sequence = Vec::with_capacity(nets.len());
    let mut stuck = 0;
    while sequence.len() < nets.len() {
        let next = match ready.pop() {
            Some(std::cmp::Reverse(rank)) => sorted.get(rank).copied(),
            // Two lines that each want to be before the other: the first of them is.
            None => {
                while sorted.get(stuck).is_some_and(|at| done[*at]) {
                    stuck += 1;
                }
                sorted.get(stuck).copied()
            }
        };
        let Some(at) = next else { break };
        if std::mem::replace(&mut done[at], true) {
            continue;
        }
        sequence.push(at);
        for behind in std::mem::take(&mut frees[at]) {
            waits[behind] -= 1;
            if waits[behind] == 0 && !done[behind] {
                ready.push(std::cmp::Reverse(rank[behind]));
            }
        }
    }
    sequence
}

/// How many tracks are taken at every height: a tree over ranges.
struct Levels {
    heights: Vec<i32>,
    /// The most tracks anywhere below a branch, and the tracks that all of it has.
    branches: IndexedTable<(usize, usize)>,
    size: usize,
}

impl Levels {
    fn new(heights: impl Iterator<Item = i32>) -> Levels {
        let mut heights: Vec<i32> = heights.collect();
        heights.sort_unstable();
        heights.dedup();
        let size = heights.len().next_power_of_two();
        Levels { heights, branches: IndexedTable::of((0, 0), 2 * size), size }
    }

    /// Takes the first track right of all those that meet a range.
    fn take(&mut self, low: i32, high: i32) -> usize {
        let at = |height: i32| self.heights.binary_search(&height).unwrap_or(0);
        let (low, high) = (at(low), at(high));
        let track = self.most(1, 0, self.size, low, high);
        self.fill(1, 0, self.size, (low, high), track + 1);
        track
    }

    /// Recursion is as deep as the tree, the logarithm of the number of lines.
    fn most(&self, branch: usize, start: usize, size: usize, low: usize, high: usize) -> usize {
        if high < start || start + size <= low {
            return 0;
        }
        let (most, all) = self.branches[branch];
        if low <= start && start + size <= high + 1 {
            return most;
        }
        let half = size / 2;
        let left = self.most(2 * branch, start, half, low, high);
        let right = self.most(2 * branch + 1, start + half, half, low, high);
        all.max(left).max(right)
    }

    fn fill(&mut self, branch: usize, start: usize, size: usize, (low, high): (usize, usize), tracks: usize) {
        if high < start || start + size <= low {
            return;
        }
        let (most, _) = self.branches[branch];
        self.branches[branch].0 = most.max(tracks);
        if low <= start && start + size <= high + 1 {
            self.branches[branch].1 = tracks;
            return;
        }
        let half = size / 2;
        self.fill(2 * branch, start, half, (low, high), tracks);
        self.fill(2 * branch + 1, start + half, half, (low, high), tracks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_meet_have_tracks_of_their_own() {
        let mut levels = Levels::new([0, 10, 20, 30, 40].into_iter());
        assert_eq!(levels.take(0, 20), 0);
        assert_eq!(levels.take(30, 40), 0);
        assert_eq!(levels.take(20, 30), 1);
        assert_eq!(levels.take(0, 10), 1);
        assert_eq!(levels.take(0, 40), 2);
    }
}
