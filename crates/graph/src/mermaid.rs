//! Graphs as Mermaid, which many pages that show Markdown draw.

use std::fmt::Write as _;

use crate::model::{Graph, GraphNode};
use crate::outline::{Outline, OutlineEvent, times};
use crate::text::whole;

/// The text of a flowchart.
pub fn mermaid(graph: &Graph) -> String {
    let mut out = String::from("flowchart LR\n");
    let mut outline = Outline::new(graph);
    while let Some((part, depth)) = outline.next_part() {
        let indent = "  ".repeat(depth + 1);
        let _ = match part {
            OutlineEvent::Open(at, node) => {
                writeln!(out, "{indent}subgraph n{at}[\"{}\"]", quoted(&title(node)))
            }
            OutlineEvent::Leaf(at, node) => {
                let kind = if node.type_name.is_empty() {
                    String::new()
                } else {
                    format!("<br/>{}", quoted(&whole(&node.type_name)))
                };
                writeln!(out, "{indent}n{at}[\"{}{kind}\"]", quoted(&title(node)))
            }
            OutlineEvent::Close => writeln!(out, "{indent}end"),
        };
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

fn title(node: &GraphNode) -> String {
    let mut title = whole(&node.label) + &times(node);
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
