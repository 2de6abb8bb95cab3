//! Numbers at the boundaries of a shape.

use crate::rules::Test;
use crate::shape::{Form, Shape};
use value::number::Number;
use value::{Constant, View};

use super::Random;
use super::parts::Proposals;

/// The bounds that rules of a shape write down.
struct Bounds {
    least: Option<f64>,
    most: Option<f64>,
    step: f64,
    /// The bounds as they are written, to lose no digit.
    written: Vec<Constant>,
}

fn as_f64(constant: &Constant) -> Option<f64> {
    Some(Number::from_node(&constant.node())?.as_f64())
}

fn bounds(shape: &Shape, whole: bool) -> Bounds {
    let mut bounds = Bounds { least: None, most: None, step: 1.0, written: Vec::new() };
    if let Form::Int(width) = shape.form
        && let Some((least, most)) = width.range()
    {
        for bound in [least, most] {
            bounds.written.extend(match (i64::try_from(bound), u64::try_from(bound)) {
                (Ok(bound), _) => Some(Constant::Int(bound)),
                (_, Ok(bound)) => Some(Constant::UInt(bound)),
                _ => None,
            });
        }
    }
    for rule in shape.rules.iter() {
        let Some(constant) = rule.test.operand().and_then(|operand| operand.as_constant()) else { continue };
        let Some(bound) = as_f64(constant) else { continue };
        match rule.test {
            Test::Minimum(_) | Test::Ge(_) | Test::ExclusiveMinimum(_) | Test::Gt(_) => {
                bounds.least = Some(bounds.least.map_or(bound, |known| known.max(bound)));
            }
            Test::Maximum(_) | Test::Le(_) | Test::ExclusiveMaximum(_) | Test::Lt(_) => {
                bounds.most = Some(bounds.most.map_or(bound, |known| known.min(bound)));
            }
            Test::MultipleOf(_) if bound > 0.0 => {
                bounds.step = bound;
                continue;
            }
            _ => {}
        }
        bounds.written.push(constant.clone());
    }
    if !whole && bounds.step == 1.0 {
        bounds.step = 0.5;
    }
    bounds
}

fn constant(value: f64) -> Constant {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.trunc() == value && value.abs() <= EXACT {
        Constant::Int(value as i64)
    } else {
        Constant::Float(value)
    }
}

/// The bounds, their neighbours, and small numbers.
pub(super) fn propose(shape: &Shape, whole: bool) -> Proposals {
    let mut all = Proposals::default();
    let Bounds { least, most, step, written } = bounds(shape, whole);
    let inside =
        |value: f64| least.is_none_or(|least| value >= least) && most.is_none_or(|most| value <= most);
    let steps: &[f64] = if whole || step != 0.5 { &[1.0] } else { &[1.0, 2.0] };
    let mut near = Vec::new();
    for bound in &written {
        all.fitting.push(bound.clone());
        let Some(value) = as_f64(bound) else { continue };
        // The nearest multiple on each side.
        let multiple = (value / step).floor() * step;
        near.extend([multiple, multiple + step, multiple - step]);
        near.extend(steps.iter().flat_map(|factor| [value + factor * step, value - factor * step]));
    }
    near.extend([0.0, step, -step, step * 2.0]);
    for value in near {
        match inside(value) {
            true => all.fitting.push(constant(value)),
            false => all.broken.push(constant(value)),
        }
    }
    if step != 1.0 && step != 0.5 {
        all.broken.push(constant(least.unwrap_or(0.0) + step / 2.0));
    }
    if whole {
        all.broken.push(Constant::Float(least.or(most).unwrap_or(0.0) + 0.5));
    }
    all.broken.extend(written);
    all.broken.push(Constant::text("1"));
    all
}

/// How far from nothing a number without a bound may be: mostly not far, now and then very.
fn span(random: &mut Random, step: f64) -> f64 {
    /// The steps of most numbers.
    const NEAR: f64 = 500.0;
    /// How often that is doubled at most.
    const DOUBLED: usize = 32;
    let doubled = if random.below(4) == 0 { random.below(DOUBLED) } else { 0 };
    let exponent = i32::try_from(doubled).unwrap_or_default();
    step * NEAR * 2.0_f64.powi(exponent)
}

/// A number between the bounds.
pub(super) fn draw(shape: &Shape, random: &mut Random) -> Proposals {
    let whole = matches!(shape.form, Form::Int(_));
    let Bounds { least, most, step, .. } = bounds(shape, whole);
    let (low, high) = match (least, most) {
        (Some(low), Some(high)) => (low, high),
        (Some(low), None) => (low, low + 2.0 * span(random, step)),
        (None, Some(high)) => (high - 2.0 * span(random, step), high),
        (None, None) => {
            let span = span(random, step);
            (-span, span)
        }
    };
    let part = (random.next() >> 11) as f64 / (1_u64 << 53) as f64;
    let value = ((low + (high - low) * part) / step).round() * step;
    Proposals { fitting: vec![constant(value)], broken: Vec::new() }
}
