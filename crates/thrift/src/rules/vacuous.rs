//! Rules that say nothing: all values of a type keep them, or none does, or all that keep another rule.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::mem::{Discriminant, discriminant};

use contract::{Constant, Operand, Test, Unit};

use super::shapes::{Lowering, Pending};
use super::table::Takes;
use crate::model::Type;
use crate::{Code, Diagnostic};

/// Which values keep a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keeps {
    All,
    None,
}

/// The largest size that a message can express.
const MOST: i64 = i32::MAX as i64;

/// Which values of a type keep a rule; `None` if that depends on them.
fn verdict(test: &Test, real: Type) -> Option<Keeps> {
    let keeps_all = match test {
        Test::Ge(operand) => whole(operand)? == real.integer_range()?.0,
        Test::Le(operand) => whole(operand)? == real.integer_range()?.1,
        Test::MinLength(_, operand) => whole(operand)? == 0,
        Test::MaxLength(_, operand) => whole(operand)? >= MOST,
        Test::Prefix(operand) | Test::Suffix(operand) | Test::Contains(operand) => is_empty(operand),
        Test::Pattern(pattern) => pattern.source().is_empty(),
        Test::In(operands) => real == Type::Bool && has_both(operands),
        Test::NotContains(operand) => return is_empty(operand).then_some(Keeps::None),
        Test::NotIn(operands) => {
            return (real == Type::Bool && has_both(operands)).then_some(Keeps::None);
        }
        _ => false,
    };
    keeps_all.then_some(Keeps::All)
}

fn constant(operand: &Operand) -> Option<&Constant> {
    match operand {
        Operand::Constant(constant) => Some(constant),
        Operand::Reference(_) | Operand::Call { .. } => None,
    }
}

fn whole(operand: &Operand) -> Option<i64> {
    match constant(operand)? {
        Constant::Int(number) => Some(*number),
        _ => None,
    }
}

fn is_empty(operand: &Operand) -> bool {
    matches!(constant(operand), Some(Constant::Text(text)) if text.is_empty())
}

fn has_both(operands: &[Operand]) -> bool {
    let has = |truth| operands.iter().any(|it| constant(it) == Some(&Constant::Bool(truth)));
    has(true) && has(false)
}

/// The first constant that equals one before it.
pub(super) fn first_twice<'o>(operands: impl IntoIterator<Item = &'o Operand>) -> Option<&'o Constant> {
    let mut seen = BTreeSet::new();
    operands.into_iter().filter_map(constant).find(|constant| !seen.insert(key(constant)))
}

/// A text that equal constants share: a whole number is the same with a point behind it.
fn key(constant: &Constant) -> String {
    match constant {
        Constant::Float(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
            (*number as i64).to_string()
        }
        other => other.to_string(),
    }
}

/// What rules of one value can be compared in.
#[derive(Clone, Copy, PartialEq)]
enum BoundSide {
    /// A lower bound, of the value or of its length.
    Least(Option<Unit>),
    /// An upper bound, of the value or of its length.
    Most(Option<Unit>),
    /// In nothing but whether they are the same.
    Same(Discriminant<Test>),
}

/// A bound that a rule sets; `strict` if it is outside itself.
#[derive(Clone, Copy)]
struct Bound<'t> {
    at: &'t Constant,
    strict: bool,
}

/// The side of a rule, and the bound there if it is known.
fn side(test: &Test) -> (BoundSide, Option<Bound<'_>>) {
    let (side, operand, strict) = match test {
        Test::Gt(operand) => (BoundSide::Least(None), operand, true),
        Test::Ge(operand) => (BoundSide::Least(None), operand, false),
        Test::Lt(operand) => (BoundSide::Most(None), operand, true),
        Test::Le(operand) => (BoundSide::Most(None), operand, false),
        Test::MinLength(unit, operand) => (BoundSide::Least(Some(*unit)), operand, false),
        Test::MaxLength(unit, operand) => (BoundSide::Most(Some(*unit)), operand, false),
        _ => return (BoundSide::Same(discriminant(test)), None),
    };
    match constant(operand) {
        Some(at @ (Constant::Int(_) | Constant::Float(_))) => (side, Some(Bound { at, strict })),
        _ => (BoundSide::Same(discriminant(test)), None),
    }
}

/// How two numbers compare; `None` for those that cannot be compared.
fn compare(a: &Constant, b: &Constant) -> Option<Ordering> {
    // A double that is a whole number without a point.
    let double = |number: i64| (number.unsigned_abs() <= 1 << 53).then_some(number as f64);
    match (a, b) {
        (Constant::Int(a), Constant::Int(b)) => Some(a.cmp(b)),
        (Constant::Float(a), Constant::Float(b)) => a.partial_cmp(b),
        (Constant::Int(a), Constant::Float(b)) => double(*a)?.partial_cmp(b),
        (Constant::Float(a), Constant::Int(b)) => a.partial_cmp(&double(*b)?),
        _ => None,
    }
}

/// Whether every value that keeps one rule keeps another on the same side.
fn implies(stronger: &Test, weaker: &Test) -> bool {
    if stronger == weaker {
        return true;
    }
    let ((side, Some(high)), (_, Some(low))) = (self::side(stronger), self::side(weaker)) else {
        return false;
    };
    let order = compare(high.at, low.at);
    let order = if matches!(side, BoundSide::Most(_)) { order.map(Ordering::reverse) } else { order };
    match order {
        Some(Ordering::Greater) => true,
        Some(Ordering::Equal) => high.strict || !low.strict,
        Some(Ordering::Less) | None => false,
    }
}

/// The strongest of the rules of one value, on each side.
#[derive(Default)]
pub(super) struct Strongest<'r> {
    known: Vec<(BoundSide, Test, &'r Pending)>,
}

impl<'r> Strongest<'r> {
    /// Takes a rule; says which of two says nothing, if one does.
    pub(super) fn add(&mut self, test: &Test, rule: &'r Pending) -> Option<Diagnostic> {
        let (side, _) = self::side(test);
        let Some((_, known, before)) = self.known.iter_mut().find(|(it, ..)| *it == side) else {
            self.known.push((side, test.clone(), rule));
            return None;
        };
        if implies(known, test) {
            return Some(idle_beside(rule, before, known == test));
        }
        let was_implied = implies(test, known);
        let found = was_implied.then(|| idle_beside(before, rule, false));
        if was_implied || matches!(side, BoundSide::Same(_)) {
            (*known, *before) = (test.clone(), rule);
        }
        found
    }
}

fn idle_beside(rule: &Pending, other: &Pending, is_same: bool) -> Diagnostic {
    let (idle, beside) = (&rule.spelling, &other.spelling);
    let message = if is_same {
        format!("`{idle}` is there twice with the same value")
    } else {
        format!("`{idle}` says nothing: every value that keeps `{beside}` keeps it")
    };
    Code::DeadRule.at(rule.span, message).label(other.span, "this is enough").help("leave it out")
}

impl Lowering<'_> {
    /// Reports a rule that compares a value with itself.
    pub(super) fn tautology(&mut self, rule: &Pending) {
        let own = rule.value.as_deref().map(<[u8]>::trim_ascii) == Some(b"$") && rule.key.chain.is_empty();
        if own && matches!(rule.key.validator.takes, Takes::Own(_)) && !rule.key.escaped {
            let message = format!("`{}` compares the field with itself", rule.spelling);
            self.report(Code::DeadRule.at(rule.value_span, message));
        }
    }

    /// Reports a rule that every value of the type keeps or none does, and an entry that a list has twice.
    pub(super) fn idle(&mut self, rule: &Pending, test: &Test, real: Type) {
        if let Some(keeps) = verdict(test, real) {
            let diagnostic = match keeps {
                Keeps::All => {
                    let message = format!("`{}` says nothing: every value keeps it", rule.spelling);
                    Code::DeadRule.at(rule.span, message).help("leave it out")
                }
                Keeps::None => {
                    let message = format!("no value keeps `{}`", rule.spelling);
                    Code::UnsatisfiableRule.at(rule.span, message)
                }
            };
            self.report(diagnostic);
        }
        if let (Test::In(operands) | Test::NotIn(operands), Takes::Owns(_)) = (test, rule.key.validator.takes)
            && let Some(twice) = first_twice(operands)
        {
            let diagnostic = self.twice(rule, twice);
            self.report(diagnostic);
        }
    }

    pub(super) fn twice(&self, rule: &Pending, twice: &Constant) -> Diagnostic {
        Code::DeadRule.at(rule.value_span, format!("`{}` has {twice} twice", rule.spelling))
    }
}
