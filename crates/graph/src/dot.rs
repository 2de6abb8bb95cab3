//! Graphs as DOT, the language of Graphviz.

use std::fmt::Write as _;

use crate::model::{Graph, GraphNode, GraphNodeKind};
use crate::outline::{Outline, OutlineEvent, times};
use crate::text::whole;

/// The text of a directed graph.
pub fn dot(graph: &Graph) -> String {
    let mut out = String::from("digraph {\n");
    let _ = writeln!(out, "  label=\"{}\"", quoted(&whole(graph.title())));
    out.push_str("  rankdir=LR\n  compound=true\n  node [shape=box, style=rounded]\n");
    let mut outline = Outline::new(graph);
    while let Some((part, depth)) = outline.next_part() {
        let indent = "  ".repeat(depth + 1);
        let _ = match part {
            OutlineEvent::Open(at, node) => {
                let _ = writeln!(out, "{indent}subgraph cluster_{at} {{");
                let _ = writeln!(out, "{indent}  label=\"{}\"", label(node));
                // Lines lead to nodes: this one stands for the whole module.
                writeln!(out, "{indent}  n{at} [shape=point, style=invis]")
            }
            OutlineEvent::Leaf(at, node) => {
                let style = match node.kind {
                    GraphNodeKind::Existing => ", style=\"rounded,dashed\"",
                    GraphNodeKind::Resource | GraphNodeKind::Extension | GraphNodeKind::Module => "",
                };
                writeln!(out, "{indent}n{at} [label=\"{}\"{style}]", label(node))
            }
            OutlineEvent::Close => writeln!(out, "{indent}}}"),
        };
    }
    for edge in graph.edges() {
        let _ = write!(out, "  n{} -> n{} [label=\"{}\"", edge.from, edge.to, quoted(&whole(&edge.label())));
        if outline.is_open(edge.from) {
            let _ = write!(out, ", ltail=cluster_{}", edge.from);
        }
        if outline.is_open(edge.to) {
            let _ = write!(out, ", lhead=cluster_{}", edge.to);
        }
        out.push_str("]\n");
    }
    out.push_str("}\n");
    out
}

fn label(node: &GraphNode) -> String {
    let mut label = quoted(&whole(&node.label)) + &times(node);
    let kind = match node.kind {
        GraphNodeKind::Module => "module",
        GraphNodeKind::Resource | GraphNodeKind::Existing | GraphNodeKind::Extension => &node.type_name,
    };
    if !kind.is_empty() {
        let _ = write!(label, "\\n{}", quoted(&whole(kind)));
    }
    if let Some(words) = node.mark_words() {
        let _ = write!(label, "\\n{}", quoted(&words));
    }
    label
}

/// Text in quotes as DOT escapes it.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
