//! A set of nodes of one tree: a bit for each.

use syntax::NodeId;

/// A set of nodes of one tree.
pub(super) struct NodeSet(Vec<u64>);

impl NodeSet {
    /// Makes an empty set for a tree of so many nodes.
    pub(super) fn new(nodes: usize) -> NodeSet {
        NodeSet(vec![0; nodes.div_ceil(64)])
    }

    fn place(id: NodeId) -> (usize, u64) {
        (id.index() / 64, 1 << (id.index() % 64))
    }

    pub(super) fn contains(&self, id: NodeId) -> bool {
        let (word, bit) = Self::place(id);
        self.0.get(word).is_some_and(|word| word & bit != 0)
    }

    /// Adds a node; tells whether it was new.
    pub(super) fn insert(&mut self, id: NodeId) -> bool {
        let (word, bit) = Self::place(id);
        self.0.get_mut(word).is_some_and(|word| {
            let is_new = *word & bit == 0;
            *word |= bit;
            is_new
        })
    }

    pub(super) fn remove(&mut self, id: NodeId) {
        let (word, bit) = Self::place(id);
        if let Some(word) = self.0.get_mut(word) {
            *word &= !bit;
        }
    }
}
