//! Rules as the quick walk runs them: bounds and lengths in one test each, constants looked up.

use crate::check::Fast;
use crate::compare::order;
use crate::operand::Operand;
use crate::program::{CompiledRule, RuleSet};
use crate::range::Range;
use crate::rules::{Test, Unit, size};
use value::Constant;
use value::View;

/// A bound and whether it is excluded.
pub(super) type Bound<'r> = (&'r Constant, bool);

/// Turns rules into tests, the cheap ones first. What cannot be fused is left to the rule itself.
pub(super) fn fuse(rules: &RuleSet, fast: &mut Vec<Fast>) {
    if rules.is_empty() {
        return;
    }
    let (least, most) = bounds(rules);
    if least.is_some() || most.is_some() {
        let owned = |(bound, excluded): Bound<'_>| (bound.clone(), excluded);
        fast.push(Fast::Range(Box::new(Range::new(least.map(owned), most.map(owned)))));
    }
    for (unit, least, most) in lengths(rules) {
        fast.push(Fast::Length { unit, least, most });
    }
    for (position, rule) in rules.numbered() {
        match &rule.rule.test {
            _ if bound(rule).is_some() || length(rule).is_some() => {}
            Test::Pattern(pattern) => fast.push(Fast::Pattern(pattern.clone())),
            Test::Format(format) => fast.push(Fast::Format(*format)),
            Test::MultipleOf(_) => fast.push(match rule.operands().first() {
                Some(Operand::Constant(Constant::Int(divisor @ 1..))) => Fast::Multiple(*divisor),
                _ => Fast::Rule(position),
            }),
            Test::Unique(()) => fast.push(Fast::Unique),
            Test::Not(_) => fast.push(rule.ready.gate.map_or(Fast::Rule(position), Fast::Not)),
            Test::If(_) | Test::Dependent(_) => {
                fast.push(rule.ready.branch.clone().map_or(Fast::Rule(position), Fast::Branch));
            }
            Test::Containment(it) if it.least == 0 && it.most.is_none() => {}
            Test::Containment(it) => fast.push(match rule.ready.gate {
                Some(gate) => Fast::Contains { gate, least: it.least, most: it.most },
                None => Fast::Rule(position),
            }),
            Test::Constant(_) | Test::In(_) => {
                fast.push(rule.ready.members.clone().map_or(Fast::Rule(position), Fast::Among));
            }
            _ => fast.push(Fast::Rule(position)),
        }
    }
}

/// The tightest constant bounds that the rules set.
pub(super) fn bounds(rules: &RuleSet) -> (Option<Bound<'_>>, Option<Bound<'_>>) {
    let (mut least, mut most) = (None, None);
    for (upper, bound) in rules.iter().filter_map(bound) {
        let (held, tighter) = match upper {
            true => (&mut most, std::cmp::Ordering::Less),
            false => (&mut least, std::cmp::Ordering::Greater),
        };
        let replace =
            held.is_none_or(|(old, excluded): Bound<'_>| match order(View::node(bound.0), View::node(old)) {
                Some(std::cmp::Ordering::Equal) => bound.1 && !excluded,
                found => found == Some(tighter),
            });
        if replace {
            *held = Some(bound);
        }
    }
    (least, most)
}

/// A rule as a constant bound: whether it is an upper one, its value, whether it is excluded.
fn bound(rule: CompiledRule<'_>) -> Option<(bool, Bound<'_>)> {
    let (upper, excluded) = match rule.rule.test {
        Test::Lt(_) | Test::ExclusiveMaximum(_) => (true, true),
        Test::Le(_) | Test::Maximum(_) => (true, false),
        Test::Gt(_) | Test::ExclusiveMinimum(_) => (false, true),
        Test::Ge(_) | Test::Minimum(_) => (false, false),
        _ => return None,
    };
    match rule.operands().first()? {
        Operand::Constant(Constant::Float(value)) if value.is_nan() => None,
        Operand::Constant(
            bound @ (Constant::Int(_) | Constant::UInt(_) | Constant::Float(_) | Constant::Decimal(_)),
        ) => Some((upper, (bound, excluded))),
        _ => None,
    }
}

/// The constant length bounds per unit that the rules set.
pub(super) fn lengths(rules: &RuleSet) -> impl Iterator<Item = (Unit, usize, usize)> {
    let mut found = Unit::ALL.map(|unit| (unit, 0, usize::MAX));
    let mut set = [false; Unit::ALL.len()];
    for (unit, upper, bound) in rules.iter().filter_map(length) {
        if let (Some((_, least, most)), Some(set)) =
            (found.get_mut(unit as usize), set.get_mut(unit as usize))
        {
            *set = true;
            match upper {
                true => *most = bound.min(*most),
                false => *least = bound.max(*least),
            }
        }
    }
    found.into_iter().zip(set).filter(|(_, set)| *set).map(|(bounds, _)| bounds)
}

/// A rule as a constant length bound: its unit, whether it is an upper one, its value.
fn length(rule: CompiledRule<'_>) -> Option<(Unit, bool, usize)> {
    let (unit, upper) = match rule.rule.test {
        Test::MinLength(unit, _) => (unit, false),
        Test::MaxLength(unit, _) => (unit, true),
        _ => return None,
    };
    match rule.operands().first()? {
        Operand::Constant(bound) => {
            let bound = size(View::node(bound))?;
            // No value is longer than memory, so a greater bound means the same as the greatest.
            (bound >= 0).then(|| (unit, upper, usize::try_from(bound).unwrap_or(usize::MAX)))
        }
        _ => None,
    }
}
