//! Bounds of a number: all the rules that set one, in one test.

use std::cmp::Ordering;

use value::Constant;
use value::number::{IntWidth, Number, Rank};
use value::{Node, View};

/// Bounds of a number, all rules in one.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    least: Edge,
    most: Edge,
    /// The same for 64-bit integers: the least and the greatest that pass.
    ints: (i64, i64),
}

/// One end of a range, and what is quickly compared with it.
///
/// Rounding to the nearest double keeps the order of numbers, except that it makes some equal; and the decimal that
/// a double means rounds to that double. So a double that is not the nearest one of the bound is on the same side
/// of the bound as of that. The rank of a literal tells the side in the same way.
#[derive(Clone, Debug)]
struct Edge {
    /// The bound and whether it is excluded.
    bound: Option<(Constant, bool)>,
    /// The double nearest to the bound.
    near: f64,
    /// Whether that double itself passes; none if it takes an exact comparison to tell.
    at_near: Option<bool>,
    rank: Rank,
}

impl Edge {
    /// An end at a bound, or where everything passes; `far` is the double on the outside of all bounds, with
    /// its rank, and `beyond` the rank on the other side.
    fn new(bound: Option<(Constant, bool)>, far: (f64, Rank), beyond: Rank) -> Edge {
        let Some((constant, excluded)) = &bound else {
            return Edge { bound, near: far.0, at_near: Some(true), rank: far.1 };
        };
        // What is not a number lets nothing pass.
        let number = Number::from_node(&View::node(constant)).unwrap_or(Number::Float(f64::NAN));
        let near = number.as_f64();
        let at_near = (number == Number::Float(near)).then_some(!excluded);
        Edge { near, at_near, rank: Rank::of(&number).unwrap_or(beyond), bound }
    }

    /// Whether a number, compared exactly, is on one side of the bound, or at the bound if that is not excluded.
    fn lets_pass(&self, number: &Number<'_>, side: Ordering) -> bool {
        let Some((bound, excluded)) = &self.bound else {
            return !matches!(number, Number::Float(value) if value.is_nan());
        };
        let Some(bound) = Number::from_node(&View::node(bound)) else { return false };
        match Number::compare(number, &bound) {
            Some(Ordering::Equal) => !excluded,
            Some(order) => order == side,
            None => false,
        }
    }
}

impl Range {
    /// A range between constant bounds, each with whether it is excluded.
    pub(crate) fn new(least: Option<(Constant, bool)>, most: Option<(Constant, bool)>) -> Range {
        let first = least.as_ref().map_or(Some(i64::MIN), |bound| first_int_above((&bound.0, bound.1)));
        let last = most.as_ref().map_or(Some(i64::MAX), |bound| last_int_below((&bound.0, bound.1)));
        let ints = first.zip(last).unwrap_or((i64::MAX, i64::MIN));
        let least = Edge::new(least, (f64::NEG_INFINITY, Rank::LEAST), Rank::GREATEST);
        let most = Edge::new(most, (f64::INFINITY, Rank::GREATEST), Rank::LEAST);
        Range { least, most, ints }
    }

    /// The range of an integer type; `None` if it has none.
    pub(crate) fn of_width(width: IntWidth) -> Option<Range> {
        let (least, most) = width.range()?;
        let bound = |value: i128| match i64::try_from(value) {
            Ok(value) => Some(Constant::Int(value)),
            Err(_) => u64::try_from(value).ok().map(Constant::UInt),
        };
        Some(Range::new(Some((bound(least)?, false)), Some((bound(most)?, false))))
    }

    /// Whether no number at all, or no integer if only those are asked for, is between two bounds.
    pub(crate) fn is_empty(least: (&Constant, bool), most: (&Constant, bool), integers: bool) -> bool {
        let order = crate::compare::order(View::node(least.0), View::node(most.0));
        if order == Some(Ordering::Greater) || (order == Some(Ordering::Equal) && (least.1 || most.1)) {
            return true;
        }
        // Beyond 64 bits there is no telling, and no need.
        let in_reach = |bound: &Constant| match bound {
            Constant::Int(_) => true,
            Constant::Float(value) => value.abs() < i64::MAX as f64,
            _ => false,
        };
        let none = || match (first_int_above(least), last_int_below(most)) {
            (Some(first), Some(last)) => first > last,
            _ => true,
        };
        integers && in_reach(least.0) && in_reach(most.0) && none()
    }

    #[inline]
    pub(crate) fn holds(&self, node: Node<'_>) -> bool {
        match node {
            Node::Int(value) => self.ints.0 <= value && value <= self.ints.1,
            Node::Float(value) => {
                (self.least.near < value && value < self.most.near) || self.holds_at_edge(node, value)
            }
            Node::UInt(value) => {
                let near = value as f64;
                (self.least.near < near && near < self.most.near) || self.holds_at_edge(node, near)
            }
            Node::Decimal(text) => self.holds_for_literal(node, text),
            _ => true,
        }
    }

    /// Whether numbers with this nearest double pass, where it is not the nearest one of a bound.
    #[inline]
    pub(crate) fn decides(&self, near: f64) -> Option<bool> {
        if self.least.near < near && near < self.most.near {
            return Some(true);
        }
        (near < self.least.near || self.most.near < near).then_some(false)
    }

    /// Whether a number passes whose nearest double is not between those of both bounds.
    fn holds_at_edge(&self, node: Node<'_>, near: f64) -> bool {
        let is_double = matches!(node, Node::Float(_));
        let at = |edge: &Edge| if is_double && near == edge.near { edge.at_near } else { None };
        let above = if near > self.least.near { Some(true) } else { at(&self.least) };
        let below = if near < self.most.near { Some(true) } else { at(&self.most) };
        match (above, below) {
            (Some(above), Some(below)) => above && below,
            _ if near < self.least.near || near > self.most.near => false,
            _ => self.holds_exactly(node),
        }
    }

    fn holds_for_literal(&self, node: Node<'_>, text: &str) -> bool {
        match Rank::of_literal(text) {
            Some(rank) if self.least.rank < rank && rank < self.most.rank => true,
            Some(rank) if rank < self.least.rank || self.most.rank < rank => false,
            _ => self.holds_exactly(node),
        }
    }

    #[cold]
    fn holds_exactly(&self, node: Node<'_>) -> bool {
        let Some(number) = Number::from_node(&node) else { return true };
        self.least.lets_pass(&number, Ordering::Greater) && self.most.lets_pass(&number, Ordering::Less)
    }
}

/// Up to so much, a double holds every integer.
const EXACT: i64 = 1 << 53;

/// The least 64-bit integer that a lower bound lets pass.
fn first_int_above(bound: (&Constant, bool)) -> Option<i64> {
    if let Some((value, true)) = near_int(bound.0) {
        return if bound.1 { value.checked_add(1) } else { Some(value) };
    }
    if let Some((below, false)) = near_int(bound.0) {
        return Some(below + 1);
    }
    partition_ints(|value| passes(value, bound, Ordering::Greater))
}

/// The greatest 64-bit integer that an upper bound lets pass.
fn last_int_below(bound: (&Constant, bool)) -> Option<i64> {
    if let Some((value, true)) = near_int(bound.0) {
        return if bound.1 { value.checked_sub(1) } else { Some(value) };
    }
    if let Some((below, false)) = near_int(bound.0) {
        return Some(below);
    }
    match partition_ints(|value| !passes(value, bound, Ordering::Less)) {
        Some(first_above) => first_above.checked_sub(1),
        None => Some(i64::MAX),
    }
}

/// The integer that a bound is, or the one below it, and whether it is one; `None` if that takes a search.
fn near_int(bound: &Constant) -> Option<(i64, bool)> {
    match bound {
        Constant::Int(value) => Some((*value, true)),
        // So small, every integer is a double, and the decimal that a double means lies between the same two.
        Constant::Float(value) if value.abs() < EXACT as f64 => {
            Some((value.floor() as i64, value.fract() == 0.0))
        }
        _ => None,
    }
}

fn passes(value: i64, (bound, excluded): (&Constant, bool), side: Ordering) -> bool {
    match crate::compare::order(Node::Int(value), View::node(bound)) {
        Some(Ordering::Equal) => !excluded,
        order => order == Some(side),
    }
}

/// The first integer for which a condition holds that stays true once it is.
fn partition_ints(holds: impl Fn(i64) -> bool) -> Option<i64> {
    if !holds(i64::MAX) {
        return None;
    }
    let (mut low, mut high) = (i64::MIN, i64::MAX);
    while low < high {
        let middle = low.midpoint(high);
        // `midpoint` rounds towards zero, so that it may give `high` itself.
        let middle = if middle == high { middle - 1 } else { middle };
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    Some(high)
}
