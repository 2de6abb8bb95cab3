//! Pictures of deployments: how long layout and SVG take.

use std::hint::black_box;
use std::time::Duration;

use graph::{DependencyReason, Edge, Graph, GraphNode, GraphNodeKind, Why, layout, svg};

use crate::Result;
use crate::random::Random;
use crate::timing::{mean_processor_time, show};

/// How long one thing is measured.
const BUDGET: Duration = Duration::from_millis(500);

/// What the resource at a place depends on.
type Shape = (&'static str, fn(usize, &mut Random) -> Vec<usize>);

const SHAPES: [Shape; 4] = [
    ("each behind the one before", |at, _| at.checked_sub(1).into_iter().collect()),
    ("all behind the first", |at, _| if at == 0 { Vec::new() } else { vec![0] }),
    ("each behind up to three others", |at, random| (0..3.min(at)).map(|_| random.below(at)).collect()),
    ("each behind a dozen others", |at, random| (0..12.min(at)).map(|_| random.below(at)).collect()),
];

/// Prints the table.
pub(crate) fn run(_: &[String]) -> Result {
    println!("Pictures, one in ten resources is inside a module:\n");
    println!("| resources | dependencies | | layout | layout and SVG |\n|--:|--:|---|--:|--:|");
    for count in [5, 50, 500, 5_000] {
        for (name, shape) in SHAPES {
            let graph = generated(count, shape)?;
            let mut problem = None;
            let placed = mean_processor_time(BUDGET, &mut || {
                problem = black_box(layout(&graph)).err();
            });
            let drawn = mean_processor_time(BUDGET, &mut || {
                let _ = black_box(svg::svg(&graph, &svg::SvgOptions::default()));
            });
            let lines = graph.edges().len();
            match problem {
                None => println!("| {count} | {lines} | {name} | {} | {} |", show(placed), show(drawn)),
                Some(problem) => println!("| {count} | {lines} | {name} | {problem} | |"),
            }
        }
    }
    println!();
    Ok(())
}

fn generated(count: usize, shape: fn(usize, &mut Random) -> Vec<usize>) -> Result<Graph> {
    let mut random = Random::new(1);
    let (mut nodes, mut edges): (Vec<GraphNode>, Vec<Edge>) = (Vec::new(), Vec::new());
    let mut outside: Vec<usize> = Vec::new();
    for at in 0..count {
        let mut node =
            GraphNode::resource(format!("resource{at}"), "Microsoft.Network/virtualNetworks/subnets");
        let module = outside.last().copied().filter(|last| {
            at % 10 == 9
                && nodes.get(*last).is_some_and(|node: &GraphNode| node.kind == GraphNodeKind::Module)
        });
        if at % 10 == 8 {
            node.kind = GraphNodeKind::Module;
        }
        node.parent = module;
        if module.is_none() {
            for before in shape(outside.len(), &mut random) {
                let from = outside.get(before).copied().unwrap_or(0);
                edges.push(Edge { from, to: at, reasons: vec![DependencyReason::new(Why::Id)] });
            }
            outside.push(at);
        }
        nodes.push(node);
    }
    Graph::new("bench", nodes, edges).map_err(|error| error.to_string())
}
