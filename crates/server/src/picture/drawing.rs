//! Which plans a page draws. A page is read by a browser and sent again while a deployment runs, so that the plan, its names and the picture are all
//! limited; `tendon graph` draws the others.

use std::sync::Arc;

use graph::{DependencyReason, Edge, Graph, GraphNode, svg};

/// How many resources and modules a picture on a page has.
const MOST_NODES: usize = 1_500;

/// How many dependencies it has. What dense plans cost grows with them, and a picture of more cannot be read.
const MOST_EDGES: usize = 4_000;

/// How many bytes its names and reasons have.
const MOST_WORDS: usize = 1 << 20;

/// How much of one name counts; pictures cut longer ones.
const LONGEST_NAME: usize = 1_000;

/// How many reasons of a dependency count; pictures show no more.
const MOST_REASONS: usize = 12;

/// How many bytes a picture has.
const LARGEST: usize = 4 << 20;

/// How many pictures are kept, and how many bytes they have together.
const KEPT: usize = 32;
const KEPT_BYTES: usize = 32 << 20;

/// A picture as SVG, or why there is none.
pub(crate) type Drawing = Result<Arc<str>, String>;

/// Says why a plan is not drawn on a page, if it is not.
pub(crate) fn check(graph: &Graph) -> Result<(), String> {
    let (nodes, edges) = (graph.nodes().len(), graph.edges().len());
    if nodes > MOST_NODES || edges > MOST_EDGES {
        return Err(format!(
            "the plan is too large to draw here, it has {nodes} resources and {edges} dependencies (at most {MOST_NODES} and {MOST_EDGES}); \
             `tendon graph` draws it"
        ));
    }
    let words = words(graph);
    if words > MOST_WORDS {
        return Err(format!(
            "the plan is too large to draw here, its {nodes} resources and {edges} dependencies have names of {words} bytes (at most \
             {MOST_WORDS}); `tendon graph` draws it"
        ));
    }
    Ok(())
}

/// Draws a plan for a page. It may take a second: never on a thread that serves.
pub(crate) fn draw(graph: &Graph) -> Drawing {
    check(graph)?;
    let drawn = svg::svg(graph, &svg::SvgOptions { with_style: false, prefix: "plan" });
    let drawn = drawn.map_err(|error| error.to_string())?;
    if drawn.len() > LARGEST {
        return Err(format!(
            "the plan is too large to draw here, the picture of its {} resources and {} dependencies would have {} bytes (at most {LARGEST}); \
             `tendon graph` draws it",
            graph.nodes().len(),
            graph.edges().len(),
            drawn.len(),
        ));
    }
    Ok(drawn.into())
}

/// How many bytes the words of a picture have, about.
fn words(graph: &Graph) -> usize {
    let length = |text: &str| text.len().min(LONGEST_NAME);
    let maybe = |text: Option<&String>| text.map_or(0, |text| length(text));
    let label = |at: usize| graph.nodes().get(at).map_or(0, |node| length(&node.label));
    let of_node =
        |node: &GraphNode| length(&node.label) + maybe(node.name.as_ref()) + length(&node.type_name);
    let of_reason = |reason: &DependencyReason| maybe(reason.reads.as_ref()) + maybe(reason.at.as_ref());
    let of_edge = |edge: &Edge| {
        let reasons: usize = edge.reasons.iter().take(MOST_REASONS).map(of_reason).sum();
        label(edge.from) + label(edge.to) + reasons
    };
    graph.nodes().iter().map(of_node).sum::<usize>() + graph.edges().iter().map(of_edge).sum::<usize>()
}

/// The drawings that were made last, as many as there is room for.
pub(crate) struct Drawings<K> {
    kept: Vec<(K, Drawing)>,
}

impl<K> Default for Drawings<K> {
    fn default() -> Self {
        Drawings { kept: Vec::new() }
    }
}

impl<K: PartialEq> Drawings<K> {
    pub(crate) fn find(&self, key: &K) -> Option<Drawing> {
        self.kept.iter().find(|(found, _)| found == key).map(|(_, drawing)| drawing.clone())
    }

    /// Keeps a drawing, and forgets the oldest for it.
    pub(crate) fn keep(&mut self, key: K, drawing: Drawing) {
        self.kept.retain(|(found, _)| *found != key);
        self.kept.push((key, drawing));
        let mut bytes = 0_usize;
        let fits = |(_, drawing): &&(K, Drawing)| {
            bytes += drawing.as_ref().map_or_else(String::len, |svg| svg.len());
            bytes <= KEPT_BYTES
        };
        let fitting = self.kept.iter().rev().take(KEPT).take_while(fits).count();
        self.kept.drain(..self.kept.len() - fitting);
    }
}

#[cfg(test)]
mod tests {
    use graph::Why;

    use super::*;

    /// A plan in which each resource depends on so many before it.
    fn plan(nodes: usize, before: usize, label: &str) -> Graph {
        let all = (0..nodes).map(|at| GraphNode::resource(format!("{label}{at}"), "A.B/c")).collect();
        let edges = (0..nodes).flat_map(|to| {
            let reasons = move || vec![DependencyReason::new(Why::DependsOn)];
            (to.saturating_sub(before)..to).map(move |from| Edge { from, to, reasons: reasons() })
        });
        Graph::new("plan", all, edges.collect()).unwrap()
    }

    #[test]
    fn plans_with_too_much_of_anything_are_not_drawn() {
        assert!(draw(&plan(60, 60, "r")).is_ok());
        assert!(draw(&plan(MOST_NODES, 1, "r")).is_ok());
        for (graph, counts) in [
            (plan(MOST_NODES + 1, 0, "r"), "1501 resources and 0 dependencies"),
            (plan(260, 260, "r"), "260 resources and 33670 dependencies"),
            (plan(900, 2, &"n".repeat(900)), "900 resources and 1797 dependencies"),
        ] {
            let why = draw(&graph).unwrap_err();
            assert!(
                why.contains("too large") && why.contains(counts) && why.contains("`tendon graph`"),
                "{why}"
            );
        }
    }

    #[test]
    fn drawings_are_kept_by_number_and_by_bytes() {
        let mut drawings = Drawings::default();
        for at in 0..100 {
            drawings.keep(at, Err("no".to_owned()));
        }
        assert_eq!((drawings.kept.len(), drawings.find(&99).is_some()), (KEPT, true));
        let large: Arc<str> = "x".repeat(LARGEST).into();
        for at in 0..20 {
            drawings.keep(at, Ok(Arc::clone(&large)));
            drawings.keep(at, Ok(Arc::clone(&large)));
        }
        assert_eq!(drawings.kept.len(), KEPT_BYTES / LARGEST);
        assert!(drawings.find(&19).is_some() && drawings.find(&0).is_none());
    }
}
