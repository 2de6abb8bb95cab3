//! Aliases and merge keys: values that stand for others, within a budget.

use std::collections::HashSet;

use super::{ByteRange, CollectionState, YamlReader};
use crate::build::StringRange;
use crate::error::{ReadErrorKind, UnlocatedReadError};
use crate::node::{NodeTag, Raw};

/// What an anchor is on.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Scalar(Raw),
    /// The node of a list or mapping.
    Collection(u32),
    /// A list or mapping that is not complete.
    Open,
}

/// The merge key of a mapping.
pub(super) struct Merge {
    place: ByteRange,
    /// The nodes of the mappings to merge.
    sources: Vec<u32>,
}

impl YamlReader<'_> {
    pub(super) fn alias(&mut self, anchor: usize, place: ByteRange) -> Result<(), UnlocatedReadError> {
        self.end = place.end;
        let anchored = match self.anchors.get(&anchor) {
            Some(Anchor::Open) => {
                return Err(place
                    .fault(ReadErrorKind::RecursiveAlias)
                    .hint("a value cannot contain itself; write out what is meant"));
            }
            Some(anchored) => *anchored,
            None => return Err(self.unknown_anchor(place)),
        };
        match (self.state(), anchored) {
            (Some(CollectionState::Merge | CollectionState::MergeList), Anchor::Collection(node))
                if self.build.tree().raw(node).tag != NodeTag::List =>
            {
                self.add_merge(node);
                Ok(())
            }
            (Some(CollectionState::Key), Anchor::Scalar(raw)) => self.key(StringRange::of(&raw), place),
            (_, Anchor::Scalar(raw)) => {
                self.begin_value("scalar", place)?;
                self.charge(1, place)?;
                self.build.push(raw)
            }
            (_, Anchor::Collection(node)) => {
                let is_list = self.build.tree().raw(node).tag == NodeTag::List;
                self.begin_value(if is_list { "list" } else { "mapping" }, place)?;
                self.charge((self.build.tree().after(node) - node) as usize, place)?;
                self.build.copy(node, place.start, place.end)
            }
            (_, Anchor::Open) => Ok(()),
        }
    }

    /// Takes note of a merge key; what it merges comes next.
    pub(super) fn begin_merge(&mut self, place: ByteRange) -> Result<(), UnlocatedReadError> {
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        if let Some(merge) = &frame.merge {
            let first = crate::error::place(self.file, merge.place.start, merge.place.end);
            return Err(place
                .fault(ReadErrorKind::DuplicateKey { key: "<<".to_owned(), first })
                .hint("merge several mappings with a list: `<<: [*one, *two]`"));
        }
        frame.merge = Some(Merge { place, sources: Vec::new() });
        frame.state = CollectionState::Merge;
        Ok(())
    }

    /// Opens the list of a merge key, if that is what comes next.
    pub(super) fn open_merge_list(&mut self) -> bool {
        let frame = self.frames.last_mut().filter(|frame| frame.state == CollectionState::Merge);
        frame.is_some_and(|frame| {
            frame.state = CollectionState::MergeList;
            true
        })
    }

    /// Closes the list of a merge key, if it is open.
    pub(super) fn close_merge_list(&mut self) -> bool {
        let frame = self.frames.last_mut().filter(|frame| frame.state == CollectionState::MergeList);
        frame.is_some_and(|frame| {
            frame.state = CollectionState::Key;
            true
        })
    }

    fn add_merge(&mut self, node: u32) {
        let Some(frame) = self.frames.last_mut() else { return };
        if let Some(merge) = &mut frame.merge {
            merge.sources.push(node);
        }
        if frame.state == CollectionState::Merge {
            frame.state = CollectionState::Key;
        }
    }

    /// Adds the members that the innermost mapping lacks.
    pub(super) fn merge(&mut self, merge: &Merge) -> Result<(), UnlocatedReadError> {
        let mut missing = Vec::new();
        let mut cost = 0;
        let tree = self.build.tree();
        let mut names: HashSet<&str> = HashSet::new();
        names.extend(self.build.open_keys().map(|key| tree.text(self.text, tree.raw(key))));
        for source in &merge.sources {
            let mut key = source + 1;
            for _ in 0..tree.raw(*source).payload[0] {
                let next = tree.after(key + 1);
                // Looking costs as well: a mapping may be merged often and add nothing.
                cost += 1;
                if names.insert(tree.text(self.text, tree.raw(key))) {
                    missing.push(key);
                    cost += (next - key) as usize;
                }
                if cost > self.alias_nodes {
                    return Err(self.too_many_aliases(merge.place));
                }
                key = next;
            }
        }
        self.charge(cost, merge.place)?;
        for key in missing {
            self.build.copy_member(key, merge.place.start, merge.place.end)?;
        }
        Ok(())
    }

    /// Takes nodes from what aliases may still add.
    fn charge(&mut self, nodes: usize, place: ByteRange) -> Result<(), UnlocatedReadError> {
        match self.alias_nodes.checked_sub(nodes) {
            Some(left) => self.alias_nodes = left,
            None => return Err(self.too_many_aliases(place)),
        }
        Ok(())
    }

    fn too_many_aliases(&self, place: ByteRange) -> UnlocatedReadError {
        place
            .fault(ReadErrorKind::AliasBomb { limit: self.limits.alias_nodes })
            .hint("aliases of aliases multiply; write out less, or raise the limit")
    }
}
