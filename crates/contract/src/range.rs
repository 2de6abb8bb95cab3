//! Bounds of a number: all the rules that set one, in one test.

use std::cmp::Ordering;

use crate::constant::Constant;
use crate::number::{IntWidth, Number};
use crate::view::{Node, View};

/// Bounds of a number, all rules in one.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    /// The lower bound and whether it is excluded.
    least: Option<(Constant, bool)>,
    /// The upper bound and whether it is excluded.
    most: Option<(Constant, bool)>,
    /// The same for 64-bit integers: the least and the greatest that pass.
    ints: (i64, i64),
    /// The same for doubles, where the bounds are doubles.
    floats: Option<(f64, f64)>,
}

impl Range {
    /// A range between constant bounds, each with whether it is excluded.
    pub(crate) fn new(least: Option<(Constant, bool)>, most: Option<(Constant, bool)>) -> Range {
        let first = least.as_ref().map_or(Some(i64::MIN), |bound| first_int_above((&bound.0, bound.1)));
        let last = most.as_ref().map_or(Some(i64::MAX), |bound| last_int_below((&bound.0, bound.1)));
        let ints = first.zip(last).unwrap_or((i64::MAX, i64::MIN));
        let floats =
            match (as_double(least.as_ref(), f64::NEG_INFINITY), as_double(most.as_ref(), f64::INFINITY)) {
                (Some(least), Some(most)) => Some((least, most)),
                _ => None,
            };
        Range { least, most, ints, floats }
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
        match (node, self.floats) {
            (Node::Int(value), _) => self.ints.0 <= value && value <= self.ints.1,
            (Node::Float(value), Some((least, most))) => {
                let above = value > least || (value == least && !excluded(self.least.as_ref()));
                let below = value < most || (value == most && !excluded(self.most.as_ref()));
                above && below
            }
            (Node::Float(_) | Node::UInt(_) | Node::Decimal(_), _) => self.holds_exactly(node),
            _ => true,
        }
    }

    fn holds_exactly(&self, node: Node<'_>) -> bool {
        let Some(number) = Number::from_node(&node) else { return true };
        within(&number, self.least.as_ref(), Ordering::Greater)
            && within(&number, self.most.as_ref(), Ordering::Less)
    }
}

fn excluded(bound: Option<&(Constant, bool)>) -> bool {
    bound.is_some_and(|(_, excluded)| *excluded)
}

fn within(number: &Number<'_>, bound: Option<&(Constant, bool)>, side: Ordering) -> bool {
    let Some((bound, excluded)) = bound else {
        return !matches!(number, Number::Float(value) if value.is_nan());
    };
    let Some(bound) = Number::from_node(&View::node(bound)) else { return false };
    match Number::compare(number, &bound) {
        Some(Ordering::Equal) => !excluded,
        Some(order) => order == side,
        None => false,
    }
}

/// Up to so much, a double holds every integer.
const EXACT: i64 = 1 << 53;

/// A bound as a double, if the double means exactly the same; `missing` if there is no bound.
fn as_double(bound: Option<&(Constant, bool)>, missing: f64) -> Option<f64> {
    match bound {
        None => Some(missing),
        Some((Constant::Int(value), _)) if (-EXACT..=EXACT).contains(value) => Some(*value as f64),
        Some((Constant::Float(value), _)) => Some(*value),
        Some(_) => None,
    }
}

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
