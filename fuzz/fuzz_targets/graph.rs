//! Any graph that can be one is drawn: boxes do not overlap, lines go around them, and every form of it has an end.
//!
//! The bytes are records of a few bytes: a node with its module and its name, or a dependency between two nodes.

#![no_main]

use graph::{
    DependencyReason, Edge, Graph, GraphNode, GraphNodeKind, Repeat, ResourceOutcome, Why, dot, json,
    mermaid, svg,
};
use libfuzzer_sys::fuzz_target;

/// Names that are hard on boxes and on markup.
const NAMES: [&str; 6] = [
    "a",
    "<b>&\"']]>",
    "\u{202e}\u{0}",
    "日本語日本語日本語日本語日本語",
    "virtualNetworkGatewayConnections",
    "",
];

/// How large a graph may be, so that a run stays short.
const MOST: usize = 300;

fuzz_target!(|bytes: &[u8]| {
    let (mut nodes, mut edges) = (Vec::new(), Vec::new());
    for record in bytes.chunks_exact(4).take(2 * MOST) {
        let [what, one, other, more] = [record[0], record[1], record[2], record[3]].map(usize::from);
        if what.is_multiple_of(2) && nodes.len() < MOST {
            nodes.push(node(what / 2, one, other, more, nodes.len()));
        } else if !nodes.is_empty() {
            let reasons = vec![DependencyReason {
                reads: Some(NAMES[more % NAMES.len()].to_owned()),
                ..DependencyReason::new(Why::Property)
            }];
            edges.push(Edge { from: one % nodes.len(), to: other % nodes.len(), reasons });
        }
    }
    // Cycles, and dependencies between modules, are not plans.
    let Ok(graph) = Graph::new("graph", nodes, edges) else { return };
    if let Ok(layout) = graph::layout(&graph) {
        assert_eq!(graph::broken_promises(&graph, &layout), Vec::<String>::new());
    }
    if let Ok(text) = svg::svg(&graph, &svg::SvgOptions::default()) {
        assert!(!text.contains("<b>") && !text.contains(['\u{202e}', '\u{0}']));
    }
    assert!(!mermaid::mermaid(&graph).is_empty() && !dot::dot(&graph).is_empty());
    let _ = json::json(&graph);
});

fn node(kind: usize, name: usize, parent: usize, more: usize, count: usize) -> GraphNode {
    let mut node =
        GraphNode::resource(NAMES[name % NAMES.len()].repeat(1 + more % 9), NAMES[more % NAMES.len()]);
    if kind.is_multiple_of(4) {
        node.kind = GraphNodeKind::Module;
    }
    if kind % 5 == 1 {
        node.repeat = Repeat::Loop(more);
    }
    if more.is_multiple_of(3) {
        node.marks.insert(ResourceOutcome::ALL[more % ResourceOutcome::ALL.len()], 1 + more);
    }
    // A node comes behind its module; others are refused.
    node.parent = (!parent.is_multiple_of(3) && count > 0).then(|| parent % count);
    node
}
