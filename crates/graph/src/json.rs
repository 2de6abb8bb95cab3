//! Graphs as JSON, for other programs. Texts are whole and as they are.

use serde_json::{Map, Value, json};

use crate::model::{Condition, DependencyReason, Edge, Graph, GraphNode, Repeat};

/// The graph as JSON: `title`, `nodes` and `edges`, which name nodes by their position.
pub fn json(graph: &Graph) -> Value {
    let nodes: Vec<Value> = graph.nodes().iter().enumerate().map(|(at, it)| node(at, it)).collect();
    let edges: Vec<Value> = graph.edges().iter().map(edge).collect();
    json!({ "title": graph.title(), "nodes": nodes, "edges": edges })
}

fn node(at: usize, node: &GraphNode) -> Value {
    let mut out = Map::new();
    out.insert("id".to_owned(), at.into());
    out.insert("kind".to_owned(), node.kind.word().into());
    out.insert("label".to_owned(), node.label.as_str().into());
    out.insert("type".to_owned(), node.type_name.as_str().into());
    let optional = [("name", &node.name), ("apiVersion", &node.api_version)];
    for (name, value) in optional {
        if let Some(value) = value {
            out.insert(name.to_owned(), value.as_str().into());
        }
    }
    if let Some(parent) = node.parent {
        out.insert("module".to_owned(), parent.into());
    }
    match node.repeat {
        Repeat::Once => {}
        Repeat::Loop(count) => {
            out.insert("loop".to_owned(), count.into());
        }
        Repeat::LoopUnknown => {
            out.insert("loop".to_owned(), Value::Null);
        }
    }
    match node.condition {
        Condition::Always => {}
        Condition::Conditional => {
            out.insert("condition".to_owned(), true.into());
        }
        Condition::Never => {
            out.insert("condition".to_owned(), false.into());
        }
    }
    if let Some(place) = &node.place {
        out.insert("place".to_owned(), json!({ "file": place.file, "line": place.line }));
    }
    if !node.ids.is_empty() {
        out.insert("resourceIds".to_owned(), node.ids.clone().into());
    }
    if !node.marks.is_empty() {
        let marks = node.marks.iter().map(|(mark, count)| (mark.word().to_owned(), Value::from(*count)));
        out.insert("states".to_owned(), Value::Object(marks.collect()));
    }
    Value::Object(out)
}

fn edge(edge: &Edge) -> Value {
    let reasons: Vec<Value> = edge.reasons.iter().map(reason).collect();
    json!({ "from": edge.from, "to": edge.to, "reasons": reasons })
}

fn reason(reason: &DependencyReason) -> Value {
    let mut out = Map::new();
    out.insert("why".to_owned(), reason.why.word().into());
    for (name, value) in [("reads", &reason.reads), ("usedIn", &reason.at)] {
        if let Some(value) = value {
            out.insert(name.to_owned(), value.as_str().into());
        }
    }
    Value::Object(out)
}
