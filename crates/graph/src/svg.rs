//! Graphs as SVG: a picture that browsers, editors and code reviews show, in light and dark, and that screen readers can name.

use std::fmt::Write as _;

use crate::labels::{self, Labels, PADDING};
use crate::layout::{Layout, LayoutError, Point, Rect, Route, layout};
use crate::model::{Condition, Edge, Graph, GraphNode, GraphNodeKind, Repeat, ResourceOutcome, SourceLine};
use crate::text::{Fitted, LINE, whole, xml};

/// How a picture is made.
#[derive(Clone, Copy, Debug)]
pub struct SvgOptions<'o> {
    /// Whether it brings its style along. A page that shows it may have [`STYLE`] already.
    pub with_style: bool,
    /// What its ids begin with; two pictures of one page need two.
    pub prefix: &'o str,
}

impl Default for SvgOptions<'_> {
    fn default() -> Self {
        SvgOptions { with_style: true, prefix: "graph" }
    }
}

/// The style of pictures. Every rule is for what is inside of one.
pub const STYLE: &str = include_str!("svg.css");

/// How far lines are rounded where they turn.
const ROUND: i32 = 5;

/// Draws a graph, laid out, as one SVG element; the same graph gives the same bytes.
pub fn svg(graph: &Graph, options: &SvgOptions<'_>) -> Result<String, LayoutError> {
    let layout = layout(graph)?;
    Ok(draw(graph, &layout, options))
}

/// Draws a graph whose layout is known.
pub fn draw(graph: &Graph, layout: &Layout, options: &SvgOptions<'_>) -> String {
    let labels = labels::of(graph);
    let mut out = String::new();
    let (prefix, width, height) = (xml(options.prefix), layout.width, layout.height);
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tendon-graph\" role=\"img\" aria-labelledby=\"{prefix}-title {prefix}-about\" \
         width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">"
    );
    let _ = writeln!(out, "<title id=\"{prefix}-title\">{}</title>", xml(&whole(graph.title())));
    let about =
        format!("{}. Arrows lead from what is deployed first to what depends on it.", labels::summary(graph));
    let _ = writeln!(out, "<desc id=\"{prefix}-about\">{}</desc>", xml(&about));
    if options.with_style {
        let _ = writeln!(out, "<style>\n{STYLE}</style>");
    }
    let _ = writeln!(out, "<rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>");
    text(&mut out, "h", Point { x: 20, y: 28 }, &labels.title, Anchor::Start);
    text(&mut out, "k", Point { x: 20, y: 46 }, &labels.summary, Anchor::Start);

    let children = graph.children();
    let is_open = |at: usize| children.get(at).is_some_and(|list| !list.is_empty());
    let boxes = graph.nodes().iter().zip(&layout.boxes).zip(&labels.nodes).enumerate();
    for (_, ((node, rect), label)) in boxes.clone().filter(|(at, _)| is_open(*at)) {
        draw_box(&mut out, node, *rect, label, true);
    }
    for ((edge, route), label) in graph.edges().iter().zip(&layout.routes).zip(&labels.edges) {
        draw_edge(&mut out, graph, edge, route, label);
    }
    for (_, ((node, rect), label)) in boxes.filter(|(at, _)| !is_open(*at)) {
        draw_box(&mut out, node, *rect, label, false);
    }
    legend(&mut out, &labels, height);
    out.push_str("</svg>\n");
    out
}

#[derive(Clone, Copy)]
enum Anchor {
    Start,
    End,
}

fn text(out: &mut String, class: &str, at: Point, fitted: &Fitted, anchor: Anchor) {
    let anchor = match anchor {
        Anchor::Start => "",
        Anchor::End => " text-anchor=\"end\"",
    };
    // Where the width is an estimate, the picture makes it true.
    let length = if fitted.estimated && fitted.width > 0 {
        format!(" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"", fitted.width)
    } else {
        String::new()
    };
    let (x, y, text) = (at.x, at.y, xml(&fitted.text));
    let _ = writeln!(out, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\"{anchor}{length}>{text}</text>");
}

/// The classes of a box.
fn classes(node: &GraphNode, open: bool) -> String {
    let kind = match (node.kind, open) {
        (GraphNodeKind::Module, true) => "module open",
        (kind, _) => kind.word(),
    };
    let mut classes = format!("node {kind}");
    if node.condition == Condition::Never {
        classes.push_str(" never");
    }
    if let Some(mark) = node.mark() {
        let _ = write!(classes, " {}", mark.class());
    }
    classes
}

fn draw_box(out: &mut String, node: &GraphNode, rect: Rect, label: &labels::BoxLabel, open: bool) {
    let Rect { x, y, width, height } = rect;
    let _ = writeln!(out, "<g class=\"{}\">", classes(node, open));
    let _ = writeln!(out, "<title>{}</title>", xml(&described(node)));
    if node.repeat != Repeat::Once {
        // A second sheet behind the first says that there are several.
        let _ = writeln!(
            out,
            "<rect class=\"sheet\" x=\"{}\" y=\"{}\" width=\"{width}\" height=\"{height}\" rx=\"6\"/>",
            x + 4,
            y + 4
        );
    }
    let _ = writeln!(
        out,
        "<rect class=\"box\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"6\"/>"
    );
    if node.mark().is_some() {
        let _ = writeln!(
            out,
            "<rect class=\"bar\" x=\"{x}\" y=\"{}\" width=\"4\" height=\"{}\"/>",
            y + 6,
            height - 12
        );
    }
    let mut down = y + 6;
    for (role, line) in &label.lines {
        down += role.font().1;
        text(out, role.class(), Point { x: x + PADDING, y: down }, line, Anchor::Start);
    }
    if let Some(badge) = &label.badge {
        text(out, "b", Point { x: x + width - PADDING, y: y + 24 }, badge, Anchor::End);
    }
    out.push_str("</g>\n");
}

/// All that is known of a node, in a few lines.
fn described(node: &GraphNode) -> String {
    let mut lines = vec![whole(&node.label)];
    let version = node.api_version.as_deref().map(|version| format!("@{version}")).unwrap_or_default();
    lines.push(whole(&format!("{} {}{version}", node.kind.word(), node.type_name)));
    lines.extend(node.name.as_deref().map(whole));
    match node.repeat {
        Repeat::Once => {}
        Repeat::Loop(count) => lines.push(format!("in a loop, {count} times")),
        Repeat::LoopUnknown => lines.push("in a loop".to_owned()),
    }
    match node.condition {
        Condition::Always => {}
        Condition::Conditional => lines.push("under a condition".to_owned()),
        Condition::Never => lines.push("not deployed: its condition is false".to_owned()),
    }
    lines.extend(node.place.as_ref().map(|SourceLine { file, line }| format!("{}:{line}", whole(file))));
    lines.extend(node.mark_words());
    lines.join("\n")
}

fn draw_edge(out: &mut String, graph: &Graph, edge: &Edge, route: &Route, label: &labels::Label) {
    let (Some(from), Some(to)) = (graph.nodes().get(edge.from), graph.nodes().get(edge.to)) else { return };
    let Some(end) = route.points.last() else { return };
    out.push_str("<g class=\"edge\">\n");
    let mut about = format!("{} depends on {}", whole(&to.label), whole(&from.label));
    for reason in edge.reasons.iter().take(12) {
        let _ = write!(about, "\n{}", whole(&reason.to_string()));
    }
    let _ = writeln!(out, "<title>{}</title>", xml(&about));
    let _ = writeln!(out, "<path d=\"{}\"/>", path(&route.points));
    let Point { x, y } = *end;
    let _ = writeln!(out, "<path class=\"tip\" d=\"M{x} {y}l-8 -4v8z\"/>");
    if label.text.width > 0 {
        text(out, "e", Point { x: x - 12, y: y - 3 }, &label.text, Anchor::End);
    }
    out.push_str("</g>\n");
}

/// A line that is rounded where it turns.
fn path(points: &[Point]) -> String {
    let mut path = String::new();
    let Some(first) = points.first() else { return path };
    let _ = write!(path, "M{} {}", first.x, first.y);
    for (at, point) in points.iter().enumerate().skip(1) {
        let before = points.get(at - 1).copied().unwrap_or(*first);
        let Some(behind) = points.get(at + 1) else {
            let _ = write!(path, "L{} {}", point.x, point.y);
            continue;
        };
        let length = |a: Point, b: Point| (a.x - b.x).abs() + (a.y - b.y).abs();
        let round = ROUND.min(length(before, *point) / 2).min(length(*point, *behind) / 2);
        let towards = |to: Point| Point {
            x: point.x + (to.x - point.x).signum() * round,
            y: point.y + (to.y - point.y).signum() * round,
        };
        let (start, end) = (towards(before), towards(*behind));
        let _ = write!(path, "L{} {}Q{} {} {} {}", start.x, start.y, point.x, point.y, end.x, end.y);
    }
    path
}

fn legend(out: &mut String, labels: &Labels, height: i32) {
    let mut x = 20;
    for mark in &labels.legend {
        let entry = labels::legend_entry(*mark);
        let _ = writeln!(out, "<g class=\"legend {}\">", ResourceOutcome::class(*mark));
        let _ = writeln!(
            out,
            "<rect class=\"bar\" x=\"{x}\" y=\"{}\" width=\"10\" height=\"10\" rx=\"2\"/>",
            height - 22
        );
        text(out, "k", Point { x: x + 16, y: height - 13 }, &entry, Anchor::Start);
        out.push_str("</g>\n");
        x += LINE.width(&entry.text) + labels::LEGEND_STEP;
    }
}
