//! A graph from its outside to its inside, for languages that write boxes in boxes.

use crate::model::{Graph, GraphNode, NodeId, Repeat};

/// What comes next in the text of a graph.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OutlineEvent<'g> {
    /// A module with something in it: its box opens.
    Open(NodeId, &'g GraphNode),
    /// A node with nothing in it.
    Leaf(NodeId, &'g GraphNode),
    /// The box that was opened last closes.
    Close,
}

/// The parts of a graph in order. Boxes are closed in the order they were opened.
pub(crate) struct Outline<'g> {
    graph: &'g Graph,
    children: Vec<Vec<NodeId>>,
    /// What is still to come: a node, or the end of a box.
    left: Vec<Option<NodeId>>,
    depth: usize,
}

impl<'g> Outline<'g> {
    pub(crate) fn new(graph: &'g Graph) -> Outline<'g> {
        let children = graph.children();
        let roots = children.get(graph.nodes().len()).map_or(&[][..], Vec::as_slice);
        let left = roots.iter().rev().map(|at| Some(*at)).collect();
        Outline { graph, children, left, depth: 0 }
    }

    /// Whether a node has others in it.
    pub(crate) fn is_open(&self, at: NodeId) -> bool {
        self.children.get(at).is_some_and(|inside| !inside.is_empty())
    }

    /// The next part, and how many boxes are around it.
    pub(crate) fn next_part(&mut self) -> Option<(OutlineEvent<'g>, usize)> {
        loop {
            let Some(at) = self.left.pop()? else {
                self.depth -= 1;
                return Some((OutlineEvent::Close, self.depth));
            };
            let Some(node) = self.graph.nodes().get(at) else { continue };
            let depth = self.depth;
            if !self.is_open(at) {
                return Some((OutlineEvent::Leaf(at, node), depth));
            }
            self.left.push(None);
            let inside = self.children.get(at).into_iter().flatten();
            self.left.extend(inside.rev().map(|at| Some(*at)));
            self.depth += 1;
            return Some((OutlineEvent::Open(at, node), depth));
        }
    }
}

/// How often a node is there, behind its name; nothing for once.
pub(crate) fn times(node: &GraphNode) -> String {
    match node.repeat {
        Repeat::Once => String::new(),
        Repeat::Loop(count) => format!(" × {count}"),
        Repeat::LoopUnknown => " × n".to_owned(),
    }
}
