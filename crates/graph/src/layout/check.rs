//! What every picture promises, held against one: boxes apart, inside of their module, lines around boxes, texts where nothing else is.

use super::{Layout, Point, Rect};
use crate::labels;
use crate::model::Graph;
use crate::table::IndexedTable;

/// The promises that a layout breaks, in words; there are none unless there is a mistake in the layout.
pub fn broken_promises(graph: &Graph, layout: &Layout) -> Vec<String> {
    if layout.boxes.len() != graph.nodes().len() || layout.routes.len() != graph.edges().len() {
        return vec!["the layout is that of another graph".to_owned()];
    }
    let mut check = LayoutCheck {
        graph,
        layout,
        boxes: layout.boxes.iter().copied().collect(),
        children: graph.children().into_iter().collect(),
        broken: Vec::new(),
    };
    check.boxes();
    check.siblings();
    check.lines();
    check.broken
}

struct LayoutCheck<'c> {
    graph: &'c Graph,
    layout: &'c Layout,
    boxes: IndexedTable<Rect>,
    children: IndexedTable<Vec<usize>>,
    broken: Vec<String>,
}

impl LayoutCheck<'_> {
    fn demand(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.broken.push(what());
        }
    }

    /// Boxes are inside of their modules, and their texts inside of them.
    fn boxes(&mut self) {
        let labels = labels::of(self.graph);
        let picture = Rect { x: 0, y: 0, width: self.layout.width, height: self.layout.height };
        for (at, (node, label)) in self.graph.nodes().iter().zip(&labels.nodes).enumerate() {
            let rect = self.boxes[at];
            let around = node.parent.map_or(picture, |parent| self.boxes[parent]);
            self.demand(is_inside(rect, around), || format!("box {at} leaves its module"));
            let texts = label.lines.iter().map(|(_, line)| line.width).max().unwrap_or(0);
            let fits = texts + 2 * labels::PADDING <= rect.width && label.height <= rect.height;
            self.demand(fits, || format!("a text leaves box {at}"));
        }
    }

    /// Boxes of the same module do not overlap.
    fn siblings(&mut self) {
        for parent in 0..self.children.len() {
            let mut sorted = self.children[parent].clone();
            // By their left ends, so that not all are held against all.
            sorted.sort_by_key(|at| self.boxes[*at].x);
            for (place, at) in sorted.iter().enumerate() {
                let rect = self.boxes[*at];
                for other in sorted.iter().skip(place + 1) {
                    let second = self.boxes[*other];
                    if second.x >= rect.right() {
                        break;
                    }
                    self.demand(!overlap(rect, second), || format!("boxes {at} and {other} overlap"));
                }
            }
        }
    }

    /// Lines start and end at their boxes, go around all others, and have their texts to themselves.
    fn lines(&mut self) {
        let labels = labels::of(self.graph);
        let mut texts: Vec<(Rect, usize)> = Vec::new();
        let (graph, layout) = (self.graph, self.layout);
        for (number, ((edge, route), label)) in
            graph.edges().iter().zip(&layout.routes).zip(&labels.edges).enumerate()
        {
            let (from, to) = (self.boxes[edge.from], self.boxes[edge.to]);
            let parent = graph.nodes().get(edge.to).and_then(|node| node.parent);
            let siblings = self.children[parent.unwrap_or(graph.nodes().len())].clone();
            let (Some(first), Some(last)) = (route.points.first(), route.points.last()) else {
                self.broken.push(format!("line {number} is not there"));
                continue;
            };
            let starts = first.x == from.right() && from.y < first.y && first.y < from.bottom();
            let ends = last.x == to.x && to.y < last.y && last.y < to.bottom();
            self.demand(starts && ends, || format!("line {number} is not at its boxes"));
            for (a, b) in route.points.iter().zip(route.points.iter().skip(1)) {
                let line = piece(*a, *b);
                self.demand(a.x == b.x || a.y == b.y, || format!("line {number} is not straight"));
                for at in &siblings {
                    let rect = self.boxes[*at];
                    let touches = (*at == edge.from && line.x >= rect.right())
                        || (*at == edge.to && line.right() <= rect.x);
                    self.demand(touches || !hits(line, rect), || {
                        format!("line {number} goes through box {at}")
                    });
                }
                if let Some(parent) = parent {
                    let inside = is_inside(line, self.boxes[parent]);
                    self.demand(inside, || format!("line {number} leaves its module"));
                }
            }
            let width = label.text.width;
            if width > 0 {
                let text = Rect { x: last.x - 12 - width, y: last.y - 12, width, height: 11 };
                for at in &siblings {
                    let apart = !overlap(text, self.boxes[*at]);
                    self.demand(apart, || format!("the text at line {number} is in box {at}"));
                }
                texts.push((text, number));
            }
        }
        texts.sort_by_key(|(text, _)| (text.x, text.y));
        for (place, (text, number)) in texts.iter().enumerate() {
            for (other, second) in
                texts.iter().skip(place + 1).take_while(|(other, _)| other.x < text.right())
            {
                self.demand(!overlap(*text, *other), || {
                    format!("the texts at lines {number} and {second} overlap")
                });
            }
        }
    }
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

/// Whether a line, which has no area, comes inside of a box.
fn hits(line: Rect, rect: Rect) -> bool {
    let wide = Rect { width: line.width.max(1), height: line.height.max(1), ..line };
    overlap(wide, rect)
}
