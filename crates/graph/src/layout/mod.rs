//! Where everything stands in a picture: boxes in columns, from what is needed to what needs it, and lines around them.
//!
//! Every module is laid out by itself, the innermost first, and is then one box of the module around it: dependencies never leave their
//! module. Within one, `layers` chooses columns, `columns` keeps ways free for lines that pass a column, `order` sorts the columns so that
//! few lines cross, `place` chooses heights, and `route` gives lines their tracks between columns. What has no dependency stands below in rows.
//!
//! Boxes do not overlap and lines do not go through boxes, by construction: boxes and ways share columns in which each has its own heights,
//! and lines go up and down only between columns.

mod check;
mod columns;
mod layers;
mod order;
mod route;
#[cfg(test)]
mod tests;
mod y_coordinates;

use std::fmt;

use crate::labels::{self, Label};
use crate::model::{Graph, NodeId};
use crate::table::IndexedTable;
pub use check::broken_promises;
use columns::ColumnGraph;

/// How many boxes and ways of lines one module may have.
const MAX_ITEMS: usize = 300_000;

/// What is between two columns, roughly.
const CHANNEL: i32 = 110;

/// The space around a picture and inside a module.
const MARGIN: i32 = 20;

/// The space between two tracks.
const TRACK: i32 = 8;

/// The space between the way of lines and what is beside it.
const BESIDE: i32 = 12;

/// How high a line that enters a box is, with its label.
const PORT: i32 = 14;

/// The space between boxes without dependencies.
const GRID: i32 = 20;

/// A point of a picture, in pixels from its upper left corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// The distance from the left edge.
    pub x: i32,
    /// The distance from the upper edge: it grows downwards.
    pub y: i32,
}

/// The box of a resource or module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rect {
    /// The distance of its left side from the left edge of the picture.
    pub x: i32,
    /// The distance of its upper side from the upper edge of the picture.
    pub y: i32,
    /// How wide it is.
    pub width: i32,
    /// How high it is.
    pub height: i32,
}

impl Rect {
    /// The first column of pixels to the right of it.
    pub fn right(&self) -> i32 {
        self.x + self.width
    }

    /// The first row of pixels below it.
    pub fn bottom(&self) -> i32 {
        self.y + self.height
    }
}

/// The line of a dependency, from what is needed to what needs it: all parts go straight across or straight up and down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Route {
    /// Where it goes along.
    pub points: Vec<Point>,
}

/// A graph with a place for everything.
#[derive(Clone, Debug)]
pub struct Layout {
    /// How wide the picture is.
    pub width: i32,
    /// How high the picture is.
    pub height: i32,
    /// The boxes, by node.
    pub boxes: Vec<Rect>,
    /// The lines, by edge.
    pub routes: Vec<Route>,
}

/// Why a graph has no picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayoutError {
    /// Too many long dependencies.
    TooTangled,
    /// The picture would be larger than pictures can be.
    TooLarge,
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LayoutError::TooTangled => "there are too many dependencies to draw",
            LayoutError::TooLarge => "the picture would be too large",
        })
    }
}

impl std::error::Error for LayoutError {}

/// Width and height of boxes.
struct Sizes<'s> {
    boxes: &'s IndexedTable<(i32, i32)>,
}

impl Sizes<'_> {
    /// How much of a column a box takes.
    fn step(&self, at: usize) -> i64 {
        i64::from(self.boxes[at].1) + i64::from(GRID)
    }
}

/// A dependency within one module.
struct Line<'l> {
    from: usize,
    to: usize,
    label: &'l Label,
}

/// What one module looks like inside, from its own corner.
struct Arranged {
    width: i32,
    height: i32,
    corners: IndexedTable<Point>,
    lines: Vec<Vec<Point>>,
}

/// The largest picture; its coordinates are far from the end of their type.
const MAX_SIZE: i32 = 4_000_000;

/// Gives everything its place.
pub fn layout(graph: &Graph) -> Result<Layout, LayoutError> {
    let labels = labels::of(graph);
    let nodes = graph.nodes();
    let children = graph.children();
    let mut incoming = IndexedTable::of(0i32, nodes.len());
    let mut edges: IndexedTable<Vec<usize>> = IndexedTable::of(Vec::new(), nodes.len() + 1);
    for (at, edge) in graph.edges().iter().enumerate() {
        incoming[edge.to] += 1;
        let parent = nodes.get(edge.to).and_then(|node| node.parent).unwrap_or(nodes.len());
        edges[parent].push(at);
    }
    let mut sizes: IndexedTable<(i32, i32)> =
        labels.nodes.iter().map(|label| (label.width, label.height)).collect();
    let mut inside: IndexedTable<Option<Arranged>> = (0..=nodes.len()).map(|_| None).collect();
    let mut local = IndexedTable::of(0usize, nodes.len());
    // Modules come before what is inside of them, so that backwards the innermost come first.
    let modules = (0..nodes.len()).rev().map(Some).chain([None]);
    for module in modules {
        let slot = module.unwrap_or(nodes.len());
        let Some(list) = children.get(slot).filter(|list| !list.is_empty() || module.is_none()) else {
            if let Some(node) = module {
                sizes[node].1 = sizes[node].1.max(incoming[node].saturating_mul(PORT) + PORT);
            }
            continue;
        };
        for (at, child) in list.iter().enumerate() {
            local[*child] = at;
        }
        let boxes: IndexedTable<(i32, i32)> = list.iter().map(|child| sizes[*child]).collect();
        let lines: Vec<Line<'_>> = edges[slot]
            .iter()
            .filter_map(|at| Some((graph.edges().get(*at)?, labels.edges.get(*at)?)))
            .map(|(edge, label)| Line { from: local[edge.from], to: local[edge.to], label })
            .collect();
        let arranged = arrange(&boxes, &lines)?;
        if arranged.width > MAX_SIZE || arranged.height > MAX_SIZE {
            return Err(LayoutError::TooLarge);
        }
        if let Some(node) = module {
            let (width, header) = sizes[node];
            let least = incoming[node].saturating_mul(PORT) + PORT;
            sizes[node] =
                (width.max(arranged.width + 2 * MARGIN), (header + arranged.height + MARGIN).max(least));
        }
        inside[slot] = Some(arranged);
    }
    Ok(compose(graph, &labels, &sizes, &children, &edges, &inside))
}

/// Puts the modules into each other.
fn compose(
    graph: &Graph,
    labels: &labels::Labels,
    sizes: &IndexedTable<(i32, i32)>,
    children: &[Vec<NodeId>],
    edges: &IndexedTable<Vec<usize>>,
    inside: &IndexedTable<Option<Arranged>>,
) -> Layout {
    let count = graph.nodes().len();
    let mut boxes = IndexedTable::of(Rect::default(), count);
    let mut routes = IndexedTable::of(Route::default(), graph.edges().len());
    let (mut width, mut height) = (0, 0);
    for module in std::iter::once(None).chain((0..count).map(Some)) {
        let slot = module.unwrap_or(count);
        let Some(arranged) = &inside[slot] else { continue };
        let corner = match module {
            None => {
                let top = labels.header;
                width = (arranged.width + 2 * MARGIN).max(labels.least_width);
                height = arranged.height + top + MARGIN + labels.footer;
                Point { x: MARGIN, y: top }
            }
            Some(node) => {
                let header = labels.nodes.get(node).map_or(0, |label| label.height);
                Point { x: boxes[node].x + MARGIN, y: boxes[node].y + header }
            }
        };
        for (at, child) in children.get(slot).into_iter().flatten().enumerate() {
            let (width, height) = sizes[*child];
            let place = arranged.corners[at];
            boxes[*child] = Rect { x: corner.x + place.x, y: corner.y + place.y, width, height };
        }
        for (edge, line) in edges[slot].iter().zip(&arranged.lines) {
            let moved = line.iter().map(|point| Point { x: corner.x + point.x, y: corner.y + point.y });
            routes[*edge] = Route { points: moved.collect() };
        }
    }
    Layout { width, height, boxes: boxes.into(), routes: routes.into() }
}

/// Lays out the boxes of one module.
fn arrange(boxes: &IndexedTable<(i32, i32)>, lines: &[Line<'_>]) -> Result<Arranged, LayoutError> {
    let mut linked = IndexedTable::of(false, boxes.len());
    for line in lines {
        linked[line.from] = true;
        linked[line.to] = true;
    }
    // Those with lines by their number among themselves.
    let (with, without): (Vec<usize>, Vec<usize>) = (0..boxes.len()).partition(|at| linked[*at]);
    let mut number = IndexedTable::of(0usize, boxes.len());
    for (at, original) in with.iter().enumerate() {
        number[*original] = at;
    }
    let own: IndexedTable<(i32, i32)> = with.iter().map(|at| boxes[*at]).collect();
    let mut arranged = in_columns(&own, lines, &number)?;
    let mut corners = IndexedTable::of(Point { x: 0, y: 0 }, boxes.len());
    for (original, corner) in with.iter().zip(arranged.corners.iter()) {
        corners[*original] = *corner;
    }
    arranged.corners = corners;
    in_rows(boxes, &without, &mut arranged);
    Ok(arranged)
}

/// The boxes with lines.
fn in_columns(
    boxes: &IndexedTable<(i32, i32)>,
    lines: &[Line<'_>],
    number: &IndexedTable<usize>,
) -> Result<Arranged, LayoutError> {
    let sizes = Sizes { boxes };
    let edges: Vec<(usize, usize)> = lines.iter().map(|line| (number[line.from], number[line.to])).collect();
    let layer = layers::layers(&sizes, &edges);
    let mut items = ColumnGraph::new(&sizes, &edges, &layer)?;
    order::reduce_crossings(&mut items);
    let places = y_coordinates::place(&mut items);

    let columns = items.columns.len();
    let mut widths = IndexedTable::of(0i32, columns);
    for (at, size) in boxes.iter().enumerate() {
        let column = layer[at];
        widths[column] = widths[column].max(size.0);
    }
    // Labels stand at the end of their lines.
    let mut label_widths = IndexedTable::of(0i32, columns);
    for ((_, to), line) in edges.iter().zip(lines) {
        let column = layer[*to];
        label_widths[column] = label_widths[column].max(line.label.width);
    }
    let mut left = IndexedTable::of(0i32, columns);
    let mut tracks: IndexedTable<route::Tracks> = IndexedTable::default();
    let mut x = 0i32;
    for column in 0..columns {
        left[column] = x;
        let own = route::tracks(&items, &places, column);
        let beside = label_widths.iter().nth(column + 1).map_or(0, |width| *width);
        let across = i32::try_from(own.count).unwrap_or(i32::MAX).saturating_mul(TRACK);
        tracks.add(own);
        let channel = if column + 1 < columns { 3 * BESIDE + beside } else { 0 };
        x = x.saturating_add(widths[column]).saturating_add(across).saturating_add(channel);
        if x > MAX_SIZE {
            return Err(LayoutError::TooLarge);
        }
    }
    let mut corners = IndexedTable::of(Point { x: 0, y: 0 }, boxes.len());
    let mut height = 0;
    for (at, size) in boxes.iter().enumerate() {
        corners[at] = Point { x: left[layer[at]], y: places.top[at] };
        height = height.max(places.top[at] + size.1);
    }
    for item in 0..items.boxes.len() {
        height = height.max(places.top[item] + items.height[item]);
    }
    let routed = edges.iter().map(|(from, to)| {
        let mut points =
            vec![Point { x: left[layer[*from]] + boxes[*from].0, y: places.middle(&items, *from) }];
        let line: Vec<usize> = items.line(*from, *to).collect();
        for (item, next) in line.iter().zip(line.iter().skip(1)) {
            let (column, y) = (items.column[*item], places.middle(&items, *item));
            let is_last = next == to;
            let y_next =
                if is_last { entry(&items, &places, *item, *to) } else { places.middle(&items, *next) };
            if y_next != y {
                let track = tracks[column].of.get(item).copied().unwrap_or(0);
                let across = i32::try_from(track).unwrap_or(i32::MAX).saturating_mul(TRACK);
                let x = left[column] + widths[column] + BESIDE + across;
                points.push(Point { x, y });
                points.push(Point { x, y: y_next });
            }
        }
        points.push(Point { x: left[layer[*to]], y: entry(&items, &places, items_before(&line), *to) });
        points
    });
    let lines = routed.collect();
    Ok(Arranged { width: x, height, corners, lines })
}

/// The item before the last one of a line.
fn items_before(line: &[usize]) -> usize {
    line.iter().rev().nth(1).copied().unwrap_or(0)
}

/// Where the line that comes from an item enters a box.
fn entry(items: &ColumnGraph, places: &y_coordinates::Places, from: usize, to: usize) -> i32 {
    let positions = &items.before[to];
    // The links into a box are sorted by the places of where they come from.
    let at = positions.binary_search_by_key(&items.position[from], |other| items.position[*other]);
    let port = at.ok().and_then(|at| places.ports[to].get(at)).copied().unwrap_or(0);
    places.middle(items, to) + port
}

/// Boxes without lines, in rows below the others.
fn in_rows(boxes: &IndexedTable<(i32, i32)>, list: &[usize], arranged: &mut Arranged) {
    let area: i64 =
        list.iter().map(|at| i64::from(boxes[*at].0 + GRID) * i64::from(boxes[*at].1 + GRID)).sum();
    // One and a half times as wide as high.
    let wide = (area + area / 2).isqrt();
    let widest = list.iter().map(|at| boxes[*at].0).max().unwrap_or(0);
    let most = i32::try_from(wide).unwrap_or(MAX_SIZE).max(arranged.width).max(widest);
    let (mut x, mut y) = (0i32, if arranged.height > 0 { arranged.height + 2 * GRID } else { 0 });
    let mut row = 0;
    for at in list {
        let (width, height) = boxes[*at];
        if x > 0 && x.saturating_add(width) > most {
            y = y.saturating_add(row + GRID);
            (x, row) = (0, 0);
        }
        arranged.corners[*at] = Point { x, y };
        arranged.width = arranged.width.max(x + width);
        row = row.max(height);
        x += width + GRID;
        arranged.height = arranged.height.max(y.saturating_add(height));
    }
}
