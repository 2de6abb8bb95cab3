//! Rules that say nothing, whatever the value: all values of a type keep them, or none does.

use std::collections::BTreeSet;

use contract::{Constant, Operand, Test};

use crate::model::Type;

/// Which values keep a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keeps {
    All,
    None,
}

/// The largest size that a message can express.
const MOST: i64 = i32::MAX as i64;

/// Which values of a type keep a rule; `None` if that depends on them.
pub(super) fn verdict(test: &Test, real: Type) -> Option<Keeps> {
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
