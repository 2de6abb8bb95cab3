//! What holds for every picture, tried on generated graphs of every shape.

use super::*;
use crate::model::{
    DependencyReason, Edge, Graph, GraphNode, GraphNodeKind, Repeat, ResourceOutcome, SourceLine, Why,
};

/// Numbers from a seed.
struct Chance(u64);

impl Chance {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % below.max(1)
    }

    fn name(&mut self) -> String {
        const NAMES: [&str; 6] = [
            "a",
            "storage",
            "virtualNetwork",
            "日本語",
            "a very long name that does not fit a box at all, not even nearly",
            "<b>&\"'",
        ];
        format!("{}{}", NAMES[self.next(NAMES.len())], self.next(100))
    }
}

/// The shapes that plans have.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Deep,
    Wide,
    Star,
    Diamonds,
    Random,
    Dense,
}

const SHAPES: [Shape; 6] =
    [Shape::Deep, Shape::Wide, Shape::Star, Shape::Diamonds, Shape::Random, Shape::Dense];

/// What a node of a shape depends on, among those before it.
fn needed(shape: Shape, at: usize, chance: &mut Chance) -> Vec<usize> {
    match shape {
        _ if at == 0 => Vec::new(),
        Shape::Deep => vec![at - 1],
        Shape::Wide => Vec::new(),
        Shape::Star => vec![0],
        Shape::Diamonds => match at % 3 {
            0 => vec![at - 1, at - 2],
            1 => vec![at - 1],
            _ => vec![at - 2],
        },
        Shape::Random => (0..chance.next(4)).map(|_| chance.next(at)).collect(),
        Shape::Dense => (0..at.min(12)).map(|_| chance.next(at)).collect(),
    }
}

/// A graph with so many nodes; one in `modules` is a module, and some of the following ones are inside it.
fn generated(seed: u64, count: usize, shape: Shape, modules: usize) -> Graph {
    let mut chance = Chance(seed);
    let mut nodes: Vec<GraphNode> = Vec::new();
    let mut edges = Vec::new();
    let mut by_parent: std::collections::BTreeMap<Option<usize>, Vec<usize>> = Default::default();
    let mut open: Vec<usize> = Vec::new();
    for at in 0..count {
        let mut node = GraphNode::resource(chance.name(), "Microsoft.Network/virtualNetworks/subnets");
        node.name = (chance.next(2) == 0).then(|| chance.name());
        node.place = (chance.next(2) == 0).then(|| SourceLine { file: "main.bicep".into(), line: 7 });
        if chance.next(5) == 0 {
            node.repeat = Repeat::Loop(chance.next(100));
            node.marks.insert(ResourceOutcome::Create, 1);
        }
        if modules > 0 && chance.next(modules) == 0 {
            node.kind = GraphNodeKind::Module;
        }
        node.parent =
            if open.is_empty() || chance.next(3) == 0 { None } else { Some(open[chance.next(open.len())]) };
        if node.kind == GraphNodeKind::Module {
            open.push(at);
        }
        let siblings = by_parent.entry(node.parent).or_default();
        for other in needed(shape, siblings.len(), &mut chance) {
            let why = [Why::Id, Why::DependsOn, Why::Property][chance.next(3)];
            let reads = (why == Why::Property).then(|| chance.name());
            edges.push(Edge {
                from: siblings[other],
                to: at,
                reasons: vec![DependencyReason { why, reads, at: None }],
            });
        }
        siblings.push(at);
        nodes.push(node);
    }
    Graph::new(format!("{shape:?} {seed}"), nodes, edges).unwrap()
}

/// Checks all that pictures promise.
#[track_caller]
fn check(graph: &Graph) {
    let broken = broken_promises(graph, &layout(graph).unwrap());
    assert!(broken.is_empty(), "{}: {broken:#?}", graph.title());
}

#[test]
fn boxes_do_not_overlap_and_lines_go_around_them() {
    let sizes = [1, 2, 5, 12, 30, 50];
    let mut tried = 0;
    for seed in 0..6 {
        for shape in SHAPES {
            for size in sizes {
                let modules = [0, 8, 3][(seed as usize + size) % 3];
                check(&generated(seed * 97 + size as u64, size, shape, modules));
                tried += 1;
            }
        }
    }
    assert!(tried >= 200);
}

#[test]
fn pictures_of_five_hundred_resources_keep_the_promises() {
    for shape in SHAPES {
        check(&generated(1, 500, shape, 12));
        check(&generated(2, 500, shape, 0));
    }
}

#[test]
fn a_picture_of_many_resources_is_not_a_ribbon() {
    for shape in [Shape::Wide, Shape::Star, Shape::Random] {
        let layout = layout(&generated(3, 500, shape, 0)).unwrap();
        let ratio = f64::from(layout.width) / f64::from(layout.height);
        assert!((0.4..6.0).contains(&ratio), "{shape:?} {} {}", layout.width, layout.height);
    }
}

#[test]
fn the_same_graph_has_the_same_picture() {
    let graph = generated(5, 60, Shape::Random, 6);
    let options = crate::svg::SvgOptions::default();
    let twice = [0, 1].map(|_| crate::svg::svg(&graph, &options).unwrap());
    assert_eq!(twice[0], twice[1]);
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    // Everything needs everything before it.
    let nodes: Vec<GraphNode> = (0..300).map(|at| GraphNode::resource(at.to_string(), "T")).collect();
    let edges = (0..300usize)
        .flat_map(|to| (0..to).step_by(3).map(move |from| Edge { from, to, reasons: Vec::new() }))
        .collect();
    let graph = Graph::new("tangled", nodes, edges).unwrap();
    assert!(layout(&graph).is_ok_and(|layout| layout.width > 0));
    let nodes: Vec<GraphNode> = (0..20_000).map(|at| GraphNode::resource(at.to_string(), "T")).collect();
    let chain = (1..20_000).map(|to| Edge { from: to - 1, to, reasons: Vec::new() });
    let long = (2..200).map(|at| Edge { from: at, to: 19_999 - at, reasons: Vec::new() });
    let graph = Graph::new("long", nodes, chain.chain(long).collect()).unwrap();
    assert_eq!(layout(&graph).unwrap_err(), LayoutError::TooTangled);
}

#[test]
fn a_mistake_in_a_layout_is_noticed() {
    let graph = generated(7, 12, Shape::Diamonds, 0);
    let fine = layout(&graph).unwrap();
    let broken = |change: &dyn Fn(&mut Layout)| {
        let mut layout = fine.clone();
        change(&mut layout);
        broken_promises(&graph, &layout).len()
    };
    assert_eq!(broken(&|_| {}), 0);
    assert!(broken(&|layout| layout.boxes[1] = layout.boxes[0]) > 0, "an overlap");
    assert!(broken(&|layout| layout.boxes[1].x = -5) > 0, "a box outside");
    assert!(broken(&|layout| layout.boxes[1].width = 20) > 0, "a text outside");
    assert!(broken(&|layout| layout.routes[0].points.insert(1, Point { x: 1, y: 1 })) > 0, "a slanting line");
    let middle = |rect: Rect| Point { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 };
    let through = |layout: &mut Layout| {
        let (inside, first) = (middle(layout.boxes[5]), layout.routes[0].points[0]);
        let way = [Point { x: first.x, y: inside.y }, inside, Point { x: inside.x, y: first.y }, first];
        layout.routes[0].points.splice(1..1, way);
    };
    assert!(broken(&through) > 0, "a line through a box");
}
