//! Rules as the quick walk runs them: bounds and lengths in one test each, constants looked up.

use crate::check::{Constants, Fast};
use crate::compare::order;
use crate::constant::Constant;
use crate::names::Names;
use crate::program::{Compiled, Range, Value};
use crate::rules::{Test, Unit, size};
use crate::view::View;

/// A bound and whether it is excluded.
pub(super) type Bound = (Constant, bool);

/// Turns rules into tests, the cheap ones first. What cannot be fused is left to the rule itself.
pub(super) fn fuse(rules: &[Compiled]) -> Box<[Fast]> {
    let mut fast = Vec::new();
    let (least, most) = bounds(rules);
    if least.is_some() || most.is_some() {
        fast.push(Fast::Range(Range::new(least, most)));
    }
    for (unit, least, most) in lengths(rules) {
        fast.push(Fast::Length { unit, least, most });
    }
    for (rule, position) in rules.iter().zip(0u32..) {
        match &rule.rule.test {
            _ if bound(rule).is_some() || length(rule).is_some() => {}
            Test::Pattern(pattern) => fast.push(Fast::Pattern(pattern.clone())),
            Test::Format(format) => fast.push(Fast::Format(*format)),
            Test::MultipleOf(_) => fast.push(match rule.operands.first() {
                Some(Value::Constant(Constant::Int(divisor @ 1..))) => Fast::Multiple(*divisor),
                _ => Fast::Rule(position),
            }),
            Test::Unique(()) => fast.push(Fast::Unique),
            Test::Not(_) => fast.push(rule.gate.map_or(Fast::Rule(position), Fast::Not)),
            Test::Constant(constant) => fast.push(among(std::iter::once(constant))),
            Test::In(_) => fast.push(match constants(rule) {
                Some(constants) => among(constants.iter().copied()),
                None => Fast::Rule(position),
            }),
            _ => fast.push(Fast::Rule(position)),
        }
    }
    fast.into()
}

/// A test for one of several constants.
fn among<'c>(constants: impl Iterator<Item = &'c Constant> + Clone) -> Fast {
    let texts = constants.clone().map_while(|constant| match constant {
        Constant::Text(text) => Some(&**text),
        _ => None,
    });
    match texts.clone().count() == constants.clone().count() {
        true => Fast::Texts(Names::new(texts)),
        false => Fast::Constants(Constants::new(constants)),
    }
}

/// The tightest constant bounds that the rules set.
pub(super) fn bounds(rules: &[Compiled]) -> (Option<Bound>, Option<Bound>) {
    let (mut least, mut most) = (None, None);
    for (upper, bound) in rules.iter().filter_map(bound) {
        let (held, tighter) = match upper {
            true => (&mut most, std::cmp::Ordering::Less),
            false => (&mut least, std::cmp::Ordering::Greater),
        };
        let replace = held.as_ref().is_none_or(|(old, excluded): &Bound| {
            match order(View::node(&bound.0), View::node(old)) {
                Some(std::cmp::Ordering::Equal) => bound.1 && !excluded,
                found => found == Some(tighter),
            }
        });
        if replace {
            *held = Some(bound);
        }
    }
    (least, most)
}

/// A rule as a constant bound: whether it is an upper one, its value, whether it is excluded.
fn bound(rule: &Compiled) -> Option<(bool, Bound)> {
    let (upper, excluded) = match rule.rule.test {
        Test::Lt(_) | Test::ExclusiveMaximum(_) => (true, true),
        Test::Le(_) | Test::Maximum(_) => (true, false),
        Test::Gt(_) | Test::ExclusiveMinimum(_) => (false, true),
        Test::Ge(_) | Test::Minimum(_) => (false, false),
        _ => return None,
    };
    match rule.operands.first()? {
        Value::Constant(Constant::Float(value)) if value.is_nan() => None,
        Value::Constant(
            bound @ (Constant::Int(_) | Constant::UInt(_) | Constant::Float(_) | Constant::Decimal(_)),
        ) => Some((upper, (bound.clone(), excluded))),
        _ => None,
    }
}

/// The constant length bounds per unit that the rules set.
pub(super) fn lengths(rules: &[Compiled]) -> Vec<(Unit, usize, usize)> {
    let mut found: Vec<(Unit, usize, usize)> = Vec::new();
    for (unit, upper, bound) in rules.iter().filter_map(length) {
        let at = found.iter().position(|(known, ..)| *known == unit).unwrap_or_else(|| {
            found.push((unit, 0, usize::MAX));
            found.len() - 1
        });
        if let Some((_, least, most)) = found.get_mut(at) {
            match upper {
                true => *most = bound.min(*most),
                false => *least = bound.max(*least),
            }
        }
    }
    found
}

/// A rule as a constant length bound: its unit, whether it is an upper one, its value.
fn length(rule: &Compiled) -> Option<(Unit, bool, usize)> {
    let (unit, upper) = match rule.rule.test {
        Test::MinLength(unit, _) => (unit, false),
        Test::MaxLength(unit, _) => (unit, true),
        _ => return None,
    };
    match rule.operands.first()? {
        Value::Constant(bound) => {
            let bound = size(View::node(bound))?;
            // No value is longer than memory, so a greater bound means the same as the greatest.
            (bound >= 0).then(|| (unit, upper, usize::try_from(bound).unwrap_or(usize::MAX)))
        }
        _ => None,
    }
}

/// The members of a rule that lists nothing but constants.
fn constants(rule: &Compiled) -> Option<Vec<&Constant>> {
    rule.operands
        .iter()
        .map(|operand| match operand {
            Value::Constant(constant) => Some(constant),
            Value::Reference(_) | Value::Call { .. } => None,
        })
        .collect()
}
