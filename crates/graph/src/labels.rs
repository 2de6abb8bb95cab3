//! What is written in boxes and at lines, cut so that it fits, and how large boxes have to be for it.

use crate::model::{Condition, Edge, Graph, GraphNode, GraphNodeKind, Repeat, ResourceOutcome};
use crate::text::{Fitted, Font, LINE, SMALL, TITLE};

/// The space between a box and its text.
pub(crate) const PADDING: i32 = 12;

/// The widest text of a box.
const WIDEST: i32 = 236;

/// How narrow a box may be, in pixels, however short its label.
const NARROWEST: i32 = 96;

/// The widest text at a line.
const EDGE: i32 = 120;

/// How much longer than its text a line is at its label: the arrow, and air.
const ARROW: i32 = 18;

/// How high the title of the picture is, with the space below it.
const HEADER: i32 = 60;

/// How high the legend is.
const FOOTER: i32 = 26;

/// What a line of text is about; the picture has a style for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Title,
    Type,
    Name,
    Place,
    State,
}

impl Role {
    /// The font, and how much of the box a line takes.
    pub(crate) fn font(self) -> (Font, i32) {
        match self {
            Role::Title => (TITLE, 18),
            Role::Type | Role::Name | Role::State => (LINE, 15),
            Role::Place => (SMALL, 14),
        }
    }

    pub(crate) fn class(self) -> &'static str {
        match self {
            Role::Title => "t",
            Role::Type => "k",
            Role::Name => "n",
            Role::Place => "p",
            Role::State => "s",
        }
    }
}

/// The text of a box.
#[derive(Clone, Debug)]
pub(crate) struct BoxLabel {
    pub(crate) lines: Vec<(Role, Fitted)>,
    /// How often it is there: `× 3`.
    pub(crate) badge: Option<Fitted>,
    pub(crate) width: i32,
    /// Of a module with something inside this is the height of its head.
    pub(crate) height: i32,
}

/// The text at a line.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    pub(crate) text: Fitted,
    /// How long the straight end of the line has to be.
    pub(crate) width: i32,
}

/// All texts of a picture.
#[derive(Clone, Debug)]
pub(crate) struct Labels {
    pub(crate) nodes: Vec<BoxLabel>,
    pub(crate) edges: Vec<Label>,
    pub(crate) title: Fitted,
    pub(crate) summary: Fitted,
    pub(crate) legend: Vec<ResourceOutcome>,
    /// How high the title is, and how high the legend.
    pub(crate) header: i32,
    pub(crate) footer: i32,
    pub(crate) least_width: i32,
}

/// The texts of a graph.
pub(crate) fn of(graph: &Graph) -> Labels {
    let title = Font { size: 16, bold: true }.fit(graph.title(), 480);
    let summary = LINE.fit(&summary(graph), 600);
    let mut legend: Vec<ResourceOutcome> =
        graph.nodes().iter().flat_map(|node| node.marks.keys().copied()).collect();
    legend.sort_unstable();
    legend.dedup();
    let legend_width: i32 = legend.iter().map(|mark| legend_entry(*mark).width + LEGEND_STEP).sum();
    let least_width = title.width.max(summary.width).max(legend_width) + 40;
    Labels {
        nodes: graph.nodes().iter().map(box_label).collect(),
        edges: graph.edges().iter().map(edge_label).collect(),
        title,
        summary,
        header: HEADER,
        footer: if legend.is_empty() { 0 } else { FOOTER },
        legend,
        least_width,
    }
}

/// The space that an entry of the legend takes beside its text.
pub(crate) const LEGEND_STEP: i32 = 36;

/// An entry of the legend.
pub(crate) fn legend_entry(mark: ResourceOutcome) -> Fitted {
    LINE.fit(&format!("{} {}", mark.sign(), mark.word()), 200)
}

/// What there is, in words.
pub(crate) fn summary(graph: &Graph) -> String {
    let modules = graph.nodes().iter().filter(|node| node.kind == GraphNodeKind::Module).count();
    let existing = graph.nodes().iter().filter(|node| node.kind == GraphNodeKind::Existing).count();
    let counted = [
        (graph.resources(), "resource", "resources"),
        (existing, "existing", "existing"),
        (modules, "module", "modules"),
        (graph.edges().len(), "dependency", "dependencies"),
    ];
    let parts = counted.into_iter().enumerate().filter(|(at, (count, ..))| *count > 0 || *at == 0);
    let words =
        parts.map(|(_, (count, one, many))| format!("{count} {}", if count == 1 { one } else { many }));
    words.collect::<Vec<_>>().join(", ")
}

fn box_label(node: &GraphNode) -> BoxLabel {
    let badge = match node.repeat {
        Repeat::Once => None,
        Repeat::Loop(count) => Some(format!("× {count}")),
        Repeat::LoopUnknown => Some("× n".to_owned()),
    };
    let badge = badge.map(|badge| LINE.fit(&badge, 80));
    let room = WIDEST - badge.as_ref().map_or(0, |badge| badge.width + PADDING);
    let mut lines = vec![(Role::Title, TITLE.fit(&node.label, room))];
    let mut add = |role: Role, text: &str| {
        if !text.is_empty() {
            lines.push((role, role.font().0.fit(text, WIDEST)));
        }
    };
    match node.kind {
        GraphNodeKind::Module => add(Role::Type, "module"),
        GraphNodeKind::Resource | GraphNodeKind::Existing | GraphNodeKind::Extension => {
            add(Role::Type, &node.type_name)
        }
    }
    add(Role::Name, node.name.as_deref().unwrap_or_default());
    add(Role::Place, &node.place.as_ref().map(ToString::to_string).unwrap_or_default());
    let mut states = Vec::new();
    states.extend(node.mark_words());
    match node.kind {
        GraphNodeKind::Existing => states.push("existing".to_owned()),
        GraphNodeKind::Extension => states.push("extension".to_owned()),
        GraphNodeKind::Resource | GraphNodeKind::Module => {}
    }
    match node.condition {
        Condition::Always => {}
        Condition::Conditional => states.push("conditional".to_owned()),
        Condition::Never => states.push("not deployed".to_owned()),
    }
    add(Role::State, &states.join(", "));
    let text = lines.iter().enumerate().map(|(at, (_, line))| match &badge {
        Some(badge) if at == 0 => line.width + PADDING + badge.width,
        Some(_) | None => line.width,
    });
    let width = text.max().unwrap_or(0).max(NARROWEST - 2 * PADDING) + 2 * PADDING;
    let height = lines.iter().map(|(role, _)| role.font().1).sum::<i32>() + 16;
    BoxLabel { lines, badge, width, height }
}

fn edge_label(edge: &Edge) -> Label {
    let text = SMALL.fit(&edge.label(), EDGE);
    Label { width: text.width + ARROW, text }
}
