//! What holds for every picture, tried on generated graphs of every shape.

use super::*;
use crate::labels;
use crate::model::{Edge, Graph, Kind, Mark, Node, Place, Reason, Repeat, Why};

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
    let mut nodes: Vec<Node> = Vec::new();
    let mut edges = Vec::new();
    let mut by_parent: std::collections::BTreeMap<Option<usize>, Vec<usize>> = Default::default();
    let mut open: Vec<usize> = Vec::new();
    for at in 0..count {
        let mut node = Node::resource(chance.name(), "Microsoft.Network/virtualNetworks/subnets");
        node.name = (chance.next(2) == 0).then(|| chance.name());
        node.place = (chance.next(2) == 0).then(|| Place { file: "main.bicep".into(), line: 7 });
        if chance.next(5) == 0 {
            node.repeat = Repeat::Loop(chance.next(100));
            node.marks.insert(Mark::Create, 1);
        }
        if modules > 0 && chance.next(modules) == 0 {
            node.kind = Kind::Module;
        }
        node.parent =
            if open.is_empty() || chance.next(3) == 0 { None } else { Some(open[chance.next(open.len())]) };
        if node.kind == Kind::Module {
            open.push(at);
        }
        let siblings = by_parent.entry(node.parent).or_default();
        for other in needed(shape, siblings.len(), &mut chance) {
            let why = [Why::Id, Why::DependsOn, Why::Property][chance.next(3)];
            let reads = (why == Why::Property).then(|| chance.name());
            edges.push(Edge {
                from: siblings[other],
                to: at,
                reasons: vec![Reason { why, reads, at: None }],
            });
        }
        siblings.push(at);
        nodes.push(node);
    }
    Graph::new(format!("{shape:?} {seed}"), nodes, edges).unwrap()
}

fn overlap(a: Rect, b: Rect) -> bool {
    a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom()
}

fn is_inside(a: Rect, b: Rect) -> bool {
    b.x <= a.x && a.right() <= b.right() && b.y <= a.y && a.bottom() <= b.bottom()
}

/// The part of the plane that a straight piece of a line takes.
fn piece(a: Point, b: Point) -> Rect {
    Rect { x: a.x.min(b.x), y: a.y.min(b.y), width: (a.x - b.x).abs(), height: (a.y - b.y).abs() }
}

/// The modules around a node.
fn around(graph: &Graph, node: usize) -> Vec<usize> {
    std::iter::successors(graph.nodes()[node].parent, |at| graph.nodes()[*at].parent).collect()
}

/// Checks all that pictures promise.
#[track_caller]
fn check(graph: &Graph) {
    let layout = layout(graph).unwrap();
    let labels = labels::of(graph);
    let title = graph.title();
    let picture = Rect { x: 0, y: 0, width: layout.width, height: layout.height };
    let boxes = &layout.boxes;
    let children = graph.children();
    for (at, rect) in boxes.iter().enumerate() {
        assert!(rect.width > 0 && rect.height > 0, "{title}: box {at} has no size");
        match graph.nodes()[at].parent {
            Some(parent) => assert!(is_inside(*rect, boxes[parent]), "{title}: {at} is outside of {parent}"),
            None => assert!(is_inside(*rect, picture), "{title}: {at} is outside of the picture"),
        }
        let label = &labels.nodes[at];
        let text = label.lines.iter().map(|(_, line)| line.width).max().unwrap() + 2 * labels::PADDING;
        assert!(text <= rect.width && label.height <= rect.height, "{title}: text leaves box {at}");
    }
    for list in &children {
        // By their left ends, so that not all are held against all.
        let mut sorted = list.clone();
        sorted.sort_by_key(|at| boxes[*at].x);
        for (place, at) in sorted.iter().enumerate() {
            for other in sorted[place + 1..].iter().take_while(|other| boxes[**other].x < boxes[*at].right())
            {
                assert!(!overlap(boxes[*at], boxes[*other]), "{title}: {at} and {other} overlap");
            }
        }
    }
    let mut ends: Vec<(Rect, usize)> = Vec::new();
    for (number, (edge, route)) in graph.edges().iter().zip(&layout.routes).enumerate() {
        let (first, last) = (route.points[0], *route.points.last().unwrap());
        let (from, to) = (boxes[edge.from], boxes[edge.to]);
        assert!(
            first.x == from.right() && from.y < first.y && first.y < from.bottom(),
            "{title}: start of {number}"
        );
        assert!(last.x == to.x && to.y < last.y && last.y < to.bottom(), "{title}: end of {number}");
        // What is inside of one of those would be hit with it.
        let siblings = &children[graph.nodes()[edge.to].parent.unwrap_or(graph.nodes().len())];
        for pair in route.points.windows(2) {
            assert!(pair[0].x == pair[1].x || pair[0].y == pair[1].y, "{title}: {number} is not straight");
            let line = piece(pair[0], pair[1]);
            // A line has no area: it goes through a box if it is inside of its border somewhere.
            for at in siblings {
                let rect = boxes[*at];
                let hits = line.x < rect.right()
                    && rect.x < line.right().max(line.x + 1)
                    && line.y < rect.bottom()
                    && rect.y < line.bottom().max(line.y + 1);
                let touches = (*at == edge.from && line.x >= rect.right())
                    || (*at == edge.to && line.right() <= rect.x);
                assert!(!hits || touches, "{title}: line {number} goes through {at}");
            }
            for module in around(graph, edge.to) {
                assert!(is_inside(line, boxes[module]), "{title}: line {number} leaves {module}");
            }
        }
        let label = &labels.edges[number].text;
        if label.width > 0 {
            let text = Rect { x: last.x - 12 - label.width, y: last.y - 12, width: label.width, height: 11 };
            for at in siblings {
                assert!(!overlap(text, boxes[*at]), "{title}: the text at line {number} is in box {at}");
            }
            ends.push((text, number));
        }
    }
    ends.sort_by_key(|(text, _)| (text.x, text.y));
    for (place, (text, number)) in ends.iter().enumerate() {
        for (other, second) in ends[place + 1..].iter().take_while(|(other, _)| other.x < text.right()) {
            assert!(!overlap(*text, *other), "{title}: the texts at lines {number} and {second} overlap");
        }
    }
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
    let options = crate::svg::Options::default();
    let twice = [0, 1].map(|_| crate::svg::svg(&graph, &options).unwrap());
    assert_eq!(twice[0], twice[1]);
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    // Everything needs everything before it.
    let nodes: Vec<Node> = (0..300).map(|at| Node::resource(at.to_string(), "T")).collect();
    let edges = (0..300usize)
        .flat_map(|to| (0..to).step_by(3).map(move |from| Edge { from, to, reasons: Vec::new() }))
        .collect();
    let graph = Graph::new("tangled", nodes, edges).unwrap();
    assert!(layout(&graph).is_ok_and(|layout| layout.width > 0));
    let nodes: Vec<Node> = (0..20_000).map(|at| Node::resource(at.to_string(), "T")).collect();
    let chain = (1..20_000).map(|to| Edge { from: to - 1, to, reasons: Vec::new() });
    let long = (2..200).map(|at| Edge { from: at, to: 19_999 - at, reasons: Vec::new() });
    let graph = Graph::new("long", nodes, chain.chain(long).collect()).unwrap();
    assert_eq!(layout(&graph).unwrap_err(), LayoutError::TooTangled);
}
