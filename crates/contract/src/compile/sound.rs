//! Contracts that cannot mean what their author meant: contradictions, operands of the wrong kind, rules on
//! shapes they say nothing about, defaults that break their own rules, definitions without an end.

use crate::constant::Constant;
use crate::contract::Contract;
use crate::flaw::{Flaw, FlawCode};
use crate::host::{Host, Plain};
use crate::judge::Walk;
use crate::kind::{Kind, Kinds};
use crate::number::{IntWidth, Number};
use crate::program::{Choice, Compiled, Gate, GateId, Range, Value};
use crate::rules::{Rule, Test};
use crate::scope::Scope;
use crate::shape::{Form, Shape};
use crate::view::View;

use super::{Compiler, fuse};

/// Looks for mistakes in the rules of one shape.
pub(super) fn check_rules(compiler: &mut Compiler<'_>, shape: &Shape, gate: &Gate, rules: &[Compiled]) {
    let before = compiler.flaws.len();
    for rule in rules {
        never_applies(compiler, shape, gate, rule);
        operand_kind(compiler, gate, rule);
    }
    // A mistake in a rule explains what would only be repeated below.
    if compiler.flaws.len() == before {
        contradictions(compiler, shape, gate, rules);
    }
}

/// Whether the form of a shape says which kinds there can be.
fn is_decided(form: &Form) -> bool {
    !matches!(form, Form::Any | Form::Union(_) | Form::All(_) | Form::Ref(_))
}

fn never_applies(compiler: &mut Compiler<'_>, shape: &Shape, gate: &Gate, rule: &Compiled) {
    let applies = applies_to(&rule.rule.test);
    if is_decided(&shape.form) && gate.accept.and(applies).is_empty() && !gate.accept.is_empty() {
        let message =
            format!("`{}` says nothing about {}: it is for {applies}", rule.rule.name(), gate.accept);
        compiler.flaw(Flaw::new(FlawCode::NeverApplies, message).at(rule.rule.place.or(shape.place)));
    }
}

/// The kinds that a test says something about, units and formats considered.
fn applies_to(test: &Test) -> Kinds {
    use crate::rules::Unit;
    match test {
        Test::MinLength(unit, _) | Test::MaxLength(unit, _) => match unit {
            Unit::Bytes | Unit::Scalars => Kinds::STRINGS,
            Unit::Utf16 => Kind::Text.into(),
            Unit::Items => Kind::List.into(),
            Unit::Properties => Kind::Object.into(),
        },
        Test::Format(format) => format.applies_to(),
        other => other.info().applies_to,
    }
}

fn operand_kind(compiler: &mut Compiler<'_>, gate: &Gate, rule: &Compiled) {
    let place = rule.rule.place.or(gate.place);
    let name = rule.rule.name();
    let bad = |found: &Constant, needs: &str| {
        Flaw::new(FlawCode::BadOperand, format!("`{name}` needs {needs}, found {found}")).at(place)
    };
    for operand in &rule.operands {
        let Value::Constant(constant) = operand else { continue };
        let node = View::node(constant);
        let flaw = match &rule.rule.test {
            Test::MinLength(..) | Test::MaxLength(..) => match constant {
                Constant::Int(0..) | Constant::UInt(_) => None,
                other => Some(bad(other, "a whole number that is not negative")),
            },
            Test::MultipleOf(_) => match Number::from_node(&node) {
                Some(number) if is_positive(&number) => None,
                _ => Some(bad(constant, "a number greater than zero")),
            },
            Test::Prefix(_) | Test::Suffix(_) | Test::Contains(_) | Test::NotContains(_) => {
                (!Kinds::STRINGS.contains(node.kind())).then(|| bad(constant, "text"))
            }
            Test::Lt(_)
            | Test::Le(_)
            | Test::Gt(_)
            | Test::Ge(_)
            | Test::Minimum(_)
            | Test::Maximum(_)
            | Test::ExclusiveMinimum(_)
            | Test::ExclusiveMaximum(_) => match Number::from_node(&node) {
                None => Some(bad(constant, "a number")),
                Some(Number::Float(value)) if value.is_nan() => {
                    Some(bad(constant, "a number to compare with"))
                }
                Some(number) => outside_type(gate, &number, &rule.rule),
            },
            Test::Eq(_) | Test::In(_) | Test::NotIn(_) | Test::Ne(_) => {
                Number::from_node(&node).and_then(|number| outside_type(gate, &number, &rule.rule))
            }
            _ => None,
        };
        if let Some(flaw) = flaw {
            compiler.flaw(flaw.at(place));
        }
    }
    if let Test::In(operands) = &rule.rule.test
        && operands.is_empty()
    {
        let message = format!("`{name}` of an empty list can never hold");
        compiler.flaw(Flaw::new(FlawCode::Unsatisfiable, message).at(place));
    }
}

fn is_positive(number: &Number<'_>) -> bool {
    number.is_finite() && Number::compare(number, &Number::Int(0)) == Some(std::cmp::Ordering::Greater)
}

fn outside_type(gate: &Gate, number: &Number<'_>, rule: &Rule) -> Option<Flaw> {
    if gate.width == IntWidth::Any || !number.is_finite() {
        return None;
    }
    let (least, most) = gate.width.range()?;
    let beyond = |bound: i128| {
        let bound = i64::try_from(bound)
            .map(Number::Int)
            .unwrap_or_else(|_| Number::UInt(u64::try_from(bound).unwrap_or_default()));
        Number::compare(number, &bound)
    };
    let outside =
        beyond(least) == Some(std::cmp::Ordering::Less) || beyond(most) == Some(std::cmp::Ordering::Greater);
    outside.then(|| {
        let message =
            format!("`{}` compares with {number}, which is outside the type: {least} to {most}", rule.name());
        Flaw::new(FlawCode::OutsideType, message)
    })
}

fn contradictions(compiler: &mut Compiler<'_>, shape: &Shape, gate: &Gate, rules: &[Compiled]) {
    let place = |find: &dyn Fn(&Test) -> bool| {
        rules.iter().rev().find(|rule| find(&rule.rule.test)).and_then(|rule| rule.rule.place).or(shape.place)
    };
    let integers = gate.accept == Kinds::from(Kind::Int);
    if let (Some(least), Some(most)) = fuse::bounds(rules) {
        let (low, high) = (least.0.clone(), most.0.clone());
        let numeric = gate.accept.and(Kinds::NUMBERS) == gate.accept;
        if numeric && Range::new(Some(least), Some(most)).is_empty(integers) {
            let whole = if integers { "whole number" } else { "number" };
            let message = format!("no {whole} lies between the bounds {low} and {high}");
            let at = place(&|test| matches!(test.info().name, "maximum" | "exclusiveMaximum" | "lt" | "le"));
            compiler.flaw(Flaw::new(FlawCode::Unsatisfiable, message).at(at));
        }
    }
    for (unit, least, most) in fuse::lengths(rules) {
        if least > most && is_decided(&shape.form) {
            let message = format!("no length is at least {least} and at most {most}");
            let at = place(&|test| matches!(test, Test::MaxLength(known, _) if *known == unit));
            compiler.flaw(Flaw::new(FlawCode::Unsatisfiable, message).at(at));
        }
    }
    no_member(compiler, shape, gate, rules);
}

/// Reports a list of values of which none satisfies the other rules.
fn no_member(compiler: &mut Compiler<'_>, shape: &Shape, gate: &Gate, rules: &[Compiled]) {
    for listing in rules {
        let members: Vec<&Constant> = match &listing.rule.test {
            Test::Constant(constant) => vec![constant],
            Test::In(_) | Test::Eq(_) => {
                let constants = listing.operands.iter().map(|operand| match operand {
                    Value::Constant(constant) => Some(constant),
                    _ => None,
                });
                match constants.collect() {
                    Some(constants) => constants,
                    None => continue,
                }
            }
            _ => continue,
        };
        if members.is_empty() || members.iter().any(|member| could_pass(gate, rules, member)) {
            continue;
        }
        let message = match listing.rule.test {
            Test::In(_) => format!("no value of `{}` satisfies the rest of the shape", listing.rule.name()),
            _ => format!("the value of `{}` does not satisfy the rest of the shape", listing.rule.name()),
        };
        let flaw = Flaw::new(FlawCode::Unsatisfiable, message).at(listing.rule.place.or(shape.place));
        compiler.flaw(flaw);
        return;
    }
}

/// Whether a constant passes the kind and the constant rules of a gate, its parts left aside.
fn could_pass(gate: &Gate, rules: &[Compiled], constant: &Constant) -> bool {
    let node = View::node(constant);
    if gate.nullable && node.kind() == Kind::Null {
        return true;
    }
    let walk = Walk::alone(&Plain);
    gate.accepts(node)
        && gate.members.as_ref().is_none_or(|members| members.holds(node))
        && rules.iter().all(|rule| {
            let constant_rule = rule.operands.iter().all(|operand| matches!(operand, Value::Constant(_)));
            let needs_more = matches!(rule.rule.test, Test::Not(_) | Test::Custom(_));
            !constant_rule || needs_more || walk.judge(rule, constant, node, Scope::NONE, 64).holds()
        })
}

/// Reports defaults that their own shape would reject.
pub(super) fn broken_defaults(
    contract: &Contract,
    defaults: &[(GateId, &Shape, &Constant)],
    host: &dyn Host,
    flaws: &mut Vec<Flaw>,
) {
    for (id, shape, default) in defaults {
        let of_gate = Contract { root: *id, ..contract.clone() };
        if let Some(violation) = of_gate.checker().host(host).first_violation(*default) {
            let message = format!("the default {default} breaks its own rule: {}", violation.message);
            flaws.push(Flaw::new(FlawCode::BrokenDefault, message).at(violation.written.or(shape.place)));
        }
    }
}

/// Reports definitions that lead back to themselves before any part of a value is reached.
pub(super) fn endless(compiler: &mut Compiler<'_>) {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; compiler.gates.len()];
    let mut found: Vec<GateId> = Vec::new();
    for start in 0..marks.len() as GateId {
        // An explicit stack: chains of definitions may be long.
        let mut stack = vec![(start, 0usize)];
        while let Some((id, edge)) = stack.pop() {
            let Some(mark) = marks.get_mut(id as usize) else { continue };
            if edge == 0 {
                match *mark {
                    Mark::Done => continue,
                    Mark::Open => {
                        found.push(id);
                        continue;
                    }
                    Mark::New => *mark = Mark::Open,
                }
            }
            match compiler.gates.get(id as usize).and_then(|gate| same_value_edge(gate, edge)) {
                Some(next) => {
                    stack.push((id, edge + 1));
                    stack.push((next, 0));
                }
                None => *mark = Mark::Done,
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    for id in found {
        let place = compiler.gates.get(id as usize).and_then(|gate| gate.place);
        let name = compiler.named.iter().filter(|(_, gate)| **gate == id).map(|(name, _)| *name).min();
        let message = match name {
            Some(name) => format!("the definition `{name}` is defined by itself"),
            None => "the shape is defined by itself".to_owned(),
        };
        compiler.flaw(
            Flaw::new(FlawCode::EndlessDefinition, message)
                .hint("put a property or a list between the definition and its use of itself")
                .at(place),
        );
    }
}

/// The gates that the same value must pass next, by number.
fn same_value_edge(gate: &Gate, edge: usize) -> Option<GateId> {
    let rules = gate.rules.iter().filter_map(|rule| rule.gate);
    let choice: Vec<GateId> = match gate.choice.as_deref() {
        Some(Choice::Any(gates) | Choice::One(gates)) => gates.to_vec(),
        Some(Choice::Kind(gates)) => gates.iter().flatten().copied().collect(),
        Some(Choice::Property { gates, .. }) => gates.to_vec(),
        None => Vec::new(),
    };
    gate.also.iter().copied().chain(choice).chain(rules).nth(edge)
}
