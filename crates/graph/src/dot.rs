//! Graphs as DOT, the language of Graphviz.

use std::fmt::Write as _;

use crate::model::{Graph, Kind, Node, NodeId, Repeat};
use crate::text::whole;

/// The text of a directed graph.
pub fn dot(graph: &Graph) -> String {
    let mut out = String::from("digraph {\n");
    let _ = writeln!(out, "  label=\"{}\"", quoted(&whole(graph.title())));
    out.push_str("  rankdir=LR\n  compound=true\n  node [shape=box, style=rounded]\n");
    let children = graph.children();
    let roots = children.get(graph.nodes().len()).map_or(&[][..], Vec::as_slice);
    let mut left: Vec<Option<NodeId>> = roots.iter().rev().map(|at| Some(*at)).collect();
    let mut depth = 1;
    while let Some(next) = left.pop() {
        let Some(at) = next else {
            depth -= 1;
            let _ = writeln!(out, "{}}}", "  ".repeat(depth));
            continue;
        };
        let Some(node) = graph.nodes().get(at) else { continue };
        let indent = "  ".repeat(depth);
        match children.get(at).filter(|list| !list.is_empty()) {
            Some(list) => {
                let _ = writeln!(out, "{indent}subgraph cluster_{at} {{");
                let _ = writeln!(out, "{indent}  label=\"{}\"", label(node));
                // Lines lead to nodes: this one stands for the whole module.
                let _ = writeln!(out, "{indent}  n{at} [shape=point, style=invis]");
                left.push(None);
                left.extend(list.iter().rev().map(|at| Some(*at)));
                depth += 1;
            }
            None => {
                let style = match node.kind {
                    Kind::Existing => ", style=\"rounded,dashed\"",
                    Kind::Resource | Kind::Extension | Kind::Module => "",
                };
                let _ = writeln!(out, "{indent}n{at} [label=\"{}\"{style}]", label(node));
            }
        }
    }
    let is_open = |at: NodeId| children.get(at).is_some_and(|list| !list.is_empty());
    for edge in graph.edges() {
        let _ = write!(out, "  n{} -> n{} [label=\"{}\"", edge.from, edge.to, quoted(&whole(&edge.label())));
        if is_open(edge.from) {
            let _ = write!(out, ", ltail=cluster_{}", edge.from);
        }
        if is_open(edge.to) {
            let _ = write!(out, ", lhead=cluster_{}", edge.to);
        }
        out.push_str("]\n");
    }
    out.push_str("}\n");
    out
}

fn label(node: &Node) -> String {
    let mut label = quoted(&whole(&node.label));
    match node.repeat {
        Repeat::Once => {}
        Repeat::Loop(count) => {
            let _ = write!(label, " × {count}");
        }
        Repeat::LoopUnknown => label.push_str(" × n"),
    }
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
