//! Graphs as Mermaid, which many pages that show Markdown draw.

use std::fmt::Write as _;

use crate::model::{Graph, Node, NodeId, Repeat};
use crate::text::whole;

/// The text of a flowchart.
pub fn mermaid(graph: &Graph) -> String {
    let mut out = String::from("flowchart LR\n");
    let children = graph.children();
    let roots = children.get(graph.nodes().len()).map_or(&[][..], Vec::as_slice);
    // What is still to be written: a node, or the end of a module.
    let mut left: Vec<Option<NodeId>> = roots.iter().rev().map(|at| Some(*at)).collect();
    let mut depth = 1;
    while let Some(next) = left.pop() {
        let Some(at) = next else {
            depth -= 1;
            let _ = writeln!(out, "{}end", "  ".repeat(depth));
            continue;
        };
        let Some(node) = graph.nodes().get(at) else { continue };
        let indent = "  ".repeat(depth);
        let inside = children.get(at).filter(|list| !list.is_empty());
        match inside {
            Some(list) => {
                let _ = writeln!(out, "{indent}subgraph n{at}[\"{}\"]", quoted(&title(node)));
                left.push(None);
                left.extend(list.iter().rev().map(|at| Some(*at)));
                depth += 1;
            }
            None => {
                let kind = if node.type_name.is_empty() {
                    String::new()
                } else {
                    format!("<br/>{}", quoted(&whole(&node.type_name)))
                };
                let _ = writeln!(out, "{indent}n{at}[\"{}{kind}\"]", quoted(&title(node)));
            }
        }
    }
    for edge in graph.edges() {
        let label = quoted(&whole(&edge.label()));
        if label.is_empty() {
            let _ = writeln!(out, "  n{} --> n{}", edge.from, edge.to);
        } else {
            let _ = writeln!(out, "  n{} -->|\"{label}\"| n{}", edge.from, edge.to);
        }
    }
    out
}

fn title(node: &Node) -> String {
    let mut title = whole(&node.label);
    match node.repeat {
        Repeat::Once => {}
        Repeat::Loop(count) => {
            let _ = write!(title, " × {count}");
        }
        Repeat::LoopUnknown => title.push_str(" × n"),
    }
    if let Some(words) = node.mark_words() {
        let _ = write!(title, " ({words})");
    }
    title
}

/// Text inside quotes: whatever Mermaid, Markdown or HTML could take for a sign of theirs is a number.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_alphanumeric() || matches!(character, ' ' | '.' | '/' | '-' | ',' | ':' | '×' | '+')
        {
            out.push(character);
        } else {
            let _ = write!(out, "#{};", u32::from(character));
        }
    }
    out
}
