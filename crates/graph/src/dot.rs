//! Graphs as DOT, the language of Graphviz.

use std::fmt::Write as _;

use crate::model::{Graph, Kind, Node};
use crate::outline::{Outline, Part, times};
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
            Part::Open(at, node) => {
                let _ = writeln!(out, "{indent}subgraph cluster_{at} {{");
                let _ = writeln!(out, "{indent}  label=\"{}\"", label(node));
                // Lines lead to nodes: this one stands for the whole module.
                writeln!(out, "{indent}  n{at} [shape=point, style=invis]")
            }
            Part::Leaf(at, node) => {
                let style = match node.kind {
                    Kind::Existing => ", style=\"rounded,dashed\"",
                    Kind::Resource | Kind::Extension | Kind::Module => "",
                };
                writeln!(out, "{indent}n{at} [label=\"{}\"{style}]", label(node))
            }
            Part::Close => writeln!(out, "{indent}}}"),
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

fn label(node: &Node) -> String {
    let mut label = quoted(&whole(&node.label)) + &times(node);
    let kind = match node.kind {
        Kind::Module => "module",
        Kind::Resource | Kind::Existing | Kind::Extension => &node.type_name,
    };
    if !kind.is_empty() {
        let _ = write!(label, "\\n{}", quoted(&whole(kind)));
    }
    if let Some(words) = node.mark_words() {
        let _ = write!(label, "\\n{}", quoted(&words));
    }
    label
}

/// Text inside quotes.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
