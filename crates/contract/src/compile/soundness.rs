//! Contracts that cannot mean what their author meant: contradictions, operands of the wrong kind, rules on
//! shapes they say nothing about, defaults that break their own rules.

use diagnostics::Span;

use crate::checker;
use crate::flaw::{Flaw, FlawCode};
use crate::gate_id::Rest;
use crate::host::Plain;
use crate::operand::Operand;
use crate::program::{CompiledRule, Gate, RuleSet};
use crate::range::Range;
use crate::rules::{Test, Unit};
use crate::scope::ReferenceScope;
use crate::shape::{Form, Shape};
use crate::walk::CheckWalk;
use value::Constant;
use value::View;
use value::number::{IntWidth, Number};
use value::show::{self, MASK};
use value::{Kinds, ValueKind};

use super::{Compiler, fuse};

/// Looks for mistakes in the rules of one shape.
pub(super) fn check_rules(compiler: &mut Compiler<'_>, shape: &Shape, gate: &Gate) {
    let before = compiler.flaws.len();
    let rules = &gate.rules;
    let width = width(gate);
    for rule in rules.iter() {
        never_applies(compiler, shape, gate, rule);
        operand_kind(compiler, gate, width, rule);
    }
    // A mistake in a rule explains what would only be repeated below.
    if compiler.flaws.len() == before {
        contradictions(compiler, shape, gate, width);
        sizes(compiler, shape, gate);
        counts(compiler, shape, gate);
        no_member(compiler, shape, gate);
    }
}

/// How wide integers may be, by the form or by a format.
fn width(gate: &Gate) -> IntWidth {
    let by_format = gate.rules.iter().find_map(|rule| match &rule.rule.test {
        Test::Format(format) => format.int_width(),
        _ => None,
    });
    match gate.width {
        IntWidth::Any => by_format.unwrap_or(IntWidth::Any),
        width => width,
    }
}

/// Whether the form of a shape says which kinds there can be.
fn is_decided(form: &Form) -> bool {
    !matches!(form, Form::Any | Form::Union(_) | Form::All(_) | Form::Ref(_))
}

fn never_applies(compiler: &mut Compiler<'_>, shape: &Shape, gate: &Gate, rule: CompiledRule<'_>) {
    let applies = applies_to(&rule.rule.test);
    if is_decided(&shape.form) && gate.accept.and(applies).is_empty() && !gate.accept.is_empty() {
        let message =
            format!("`{}` says nothing about {}: it is for {applies}", rule.rule.name(), gate.accept);
        compiler.flaw(Flaw::new(FlawCode::NeverApplies, message).at(rule.rule.place.or(shape.place)));
    }
}

/// The kinds that a test says something about, units and formats considered.
fn applies_to(test: &Test) -> Kinds {
    match test {
        Test::MinLength(unit, _) | Test::MaxLength(unit, _) => match unit {
            Unit::Bytes | Unit::Scalars => Kinds::STRINGS,
            Unit::Utf16 => ValueKind::Text.into(),
            Unit::Items => ValueKind::List.into(),
            Unit::Properties => ValueKind::Object.into(),
        },
        Test::Format(format) => format.applies_to(),
        other => other.info().applies_to,
    }
}

fn operand_kind(compiler: &mut Compiler<'_>, gate: &Gate, width: IntWidth, rule: CompiledRule<'_>) {
    let place = rule.rule.place.or(gate.place);
    let name = rule.rule.name();
    for constant in rule.constants() {
        let node = View::node(constant);
        let number = Number::from_node(&node);
        let kind = node.kind();
        let needs = match &rule.rule.test {
            Test::MinLength(..) | Test::MaxLength(..) => {
                let whole = number.as_ref().is_some_and(|number| number.is_integer() && !is_negative(number));
                (!whole).then_some("a whole number that is not negative")
            }
            Test::MultipleOf(_) => {
                let positive = number.as_ref().is_some_and(is_positive);
                (!positive).then_some("a number greater than zero")
            }
            Test::Prefix(_) | Test::Suffix(_) | Test::Contains(_) | Test::NotContains(_) => {
                (!Kinds::STRINGS.contains(kind)).then_some("text")
            }
            Test::Lt(_)
            | Test::Le(_)
            | Test::Gt(_)
            | Test::Ge(_)
            | Test::Minimum(_)
            | Test::Maximum(_)
            | Test::ExclusiveMinimum(_)
            | Test::ExclusiveMaximum(_) => match &number {
                None => Some("a number"),
                Some(Number::Float(value)) if value.is_nan() => Some("a number to compare with"),
                Some(_) => None,
            },
            Test::Eq(_) | Test::Ne(_) => {
                (!Kinds::SCALARS.contains(kind)).then_some("a value without parts (`const` takes any value)")
            }
            Test::Constant(_)
            | Test::In(_)
            | Test::NotIn(_)
            | Test::Pattern(_)
            | Test::Format(_)
            | Test::Unique(())
            | Test::Presence(_)
            | Test::Elements(_)
            | Test::Keys(_)
            | Test::Values(_)
            | Test::Not(_)
            | Test::If(_)
            | Test::Containment(_)
            | Test::Dependent(_)
            | Test::Assert(_)
            | Test::Custom(_) => None,
        };
        if let Some(needs) = needs {
            let message = format!("`{name}` needs {needs}, found {}", show::short(constant));
            compiler.flaw(Flaw::new(FlawCode::BadOperand, message).at(place));
        } else if let Some(number) = number
            && rule.rule.test.compares_value()
            && let Some((least, most)) = outside(width, &number)
        {
            let message =
                format!("`{name}` compares with {number}, which is outside the type: {least} to {most}");
            compiler.flaw(Flaw::new(FlawCode::OutsideType, message).at(place));
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

fn is_negative(number: &Number<'_>) -> bool {
    Number::compare(number, &Number::Int(0)) == Some(std::cmp::Ordering::Less)
}

/// The range of a width, if a number is outside of it.
fn outside(width: IntWidth, number: &Number<'_>) -> Option<(i128, i128)> {
    let (least, most) = width.range().filter(|_| number.is_finite())?;
    let side =
        |bound: i128| Number::compare(number, &Number::from_node(&View::node(&integer_constant(bound)))?);
    let outside =
        side(least) == Some(std::cmp::Ordering::Less) || side(most) == Some(std::cmp::Ordering::Greater);
    outside.then_some((least, most))
}

/// An integer of at most 64 bits, signed or not, as a constant.
fn integer_constant(value: i128) -> Constant {
    match i64::try_from(value) {
        Ok(value) => Constant::Int(value),
        Err(_) => Constant::UInt(u64::try_from(value).unwrap_or_default()),
    }
}

/// The place of the last rule that a test picks, or of the shape.
fn place_of(rules: &RuleSet, shape: &Shape, pick: impl Fn(&Test) -> bool) -> Option<Span> {
    rules.iter().rev().find(|rule| pick(&rule.rule.test)).and_then(|rule| rule.rule.place).or(shape.place)
}

/// Reports bounds that leave no number, those of the type included.
fn contradictions(compiler: &mut Compiler<'_>, shape: &Shape, gate: &Gate, width: IntWidth) {
    let numeric = gate.accept.and(Kinds::NUMBERS) == gate.accept && !gate.accept.is_empty();
    if !numeric {
        return;
    }
    let (low, high) = fuse::bounds(&gate.rules);
    if low.is_none() && high.is_none() {
        return;
    }
    let integers = gate.accept == Kinds::from(ValueKind::Int);
    let what = if integers { "whole number" } else { "number" };
    let (upper, message) = match (low, high) {
        (Some(least), Some(most)) if Range::is_empty(least, most, integers) => {
            (true, format!("no {what} lies between the bounds {} and {}", least.0, most.0))
        }
        _ => {
            let Some((least, most)) = width.range() else { return };
            let (first, last) = (integer_constant(least), integer_constant(most));
            let (upper, bound) = if low.is_some_and(|low| Range::is_empty(low, (&last, false), true)) {
                (false, low.map(|(bound, _)| format!("above the bound {bound}")))
            } else if high.is_some_and(|high| Range::is_empty((&first, false), high, true)) {
                (true, high.map(|(bound, _)| format!("below the bound {bound}")))
            } else {
                return;
            };
            let bound = bound.unwrap_or_default();
            (upper, format!("no number of the type, {least} to {most}, lies {bound}"))
        }
    };
    let at = place_of(&gate.rules, shape, |test| match upper {
        true => matches!(test.info().name, "maximum" | "exclusiveMaximum" | "lt" | "le"),
        false => matches!(test.info().name, "minimum" | "exclusiveMinimum" | "gt" | "ge"),
    });
    compiler.flaw(Flaw::new(FlawCode::Unsatisfiable, message).at(at));
}

/// Reports lengths that no value can have, those that the form allows included.
fn sizes(compiler: &mut Compiler<'_>, shape: &Shape, gate: &Gate) {
    let rules = &gate.rules;
    let measured =
        |rule: CompiledRule<'_>| matches!(rule.rule.test, Test::MinLength(..) | Test::MaxLength(..));
    if !is_decided(&shape.form) || !rules.iter().any(measured) {
        return;
    }
    for (unit, least, most) in fuse::lengths(rules) {
        let (fewest, greatest) = match (unit, &gate.list, &gate.object) {
            (Unit::Items, Some(list), _) => {
                (list.least, if list.rest == Rest::Closed { list.prefix.len() } else { usize::MAX })
            }
            (Unit::Properties, _, Some(object)) => {
                let closed = object.rest == Rest::Closed && object.patterns.is_empty();
                (object.required, if closed { object.properties.len() } else { usize::MAX })
            }
            _ => (0, usize::MAX),
        };
        let count = |count: usize| format!("{count} {}", unit.noun(&count.to_string()));
        let (upper, message) = if least > most {
            (true, format!("no length is at least {least} and at most {most}"))
        } else if fewest > most {
            (true, format!("the shape needs {}, but at most {most} are allowed", count(fewest)))
        } else if least > greatest {
            (false, format!("the shape has room for {}, but at least {least} are asked for", count(greatest)))
        } else {
            continue;
        };
        let at = place_of(rules, shape, |test| match test {
            Test::MaxLength(known, _) => upper && *known == unit,
            Test::MinLength(known, _) => !upper && *known == unit,
            _ => false,
        });
        compiler.flaw(Flaw::new(FlawCode::Unsatisfiable, message).at(at));
    }
}

/// Reports counts of elements that no list can have.
fn counts(compiler: &mut Compiler<'_>, shape: &Shape, gate: &Gate) {
    if gate.accept != Kinds::from(ValueKind::List) || !is_decided(&shape.form) {
        return;
    }
    for rule in gate.rules.iter() {
        let Test::Containment(it) = &rule.rule.test else { continue };
        if let Some(most) = it.most.filter(|most| *most < it.least) {
            let message =
                format!("no list contains at least {} and at most {most} of the elements", it.least);
            compiler.flaw(Flaw::new(FlawCode::Unsatisfiable, message).at(rule.rule.place.or(shape.place)));
        }
    }
}

/// How many rules that list values one shape is searched for.
const LISTINGS: usize = 8;

/// Reports a list of values of which none satisfies the other rules.
fn no_member(compiler: &mut Compiler<'_>, shape: &Shape, gate: &Gate) {
    let lists =
        |rule: &CompiledRule<'_>| matches!(rule.rule.test, Test::Constant(_) | Test::In(_) | Test::Eq(_));
    for listing in gate.rules.iter().filter(lists).take(LISTINGS) {
        if !is_constant(&listing) {
            continue;
        }
        let constant = match &listing.rule.test {
            Test::Constant(constant) => Some(constant),
            _ => None,
        };
        let mut members = constant.into_iter().chain(listing.constants()).peekable();
        if members.peek().is_none() || members.any(|member| could_pass(gate, listing, member)) {
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

/// Whether a constant passes the kind and the given rules of a gate, its parts left aside.
///
/// The rule that lists the constant holds for it.
fn could_pass(gate: &Gate, listing: CompiledRule<'_>, constant: &Constant) -> bool {
    let node = View::node(constant);
    if gate.nullable && node.kind() == ValueKind::Null {
        return true;
    }
    let walk = CheckWalk::alone(&Plain);
    gate.accepts(node)
        && gate.members.as_ref().is_none_or(|members| members.holds(node))
        && gate.rules.iter().filter(is_constant).all(|rule| {
            std::ptr::eq(rule.rule, listing.rule)
                || walk.judge(rule, None, constant, node, ReferenceScope::NONE, 64).holds()
        })
}

/// Whether a rule can be judged without knowing more than a constant.
fn is_constant(rule: &CompiledRule<'_>) -> bool {
    rule.same_value().next().is_none()
        && rule.item().is_none()
        && !matches!(rule.rule.test, Test::Custom(_))
        && rule.operands().iter().all(|operand| matches!(operand, Operand::Constant(_)))
}

/// Reports defaults and examples that their own shape would reject.
pub(super) fn broken_defaults(compiler: &mut Compiler<'_>) {
    let (gates, checks, host) = (compiler.gates.as_slice(), compiler.checks.as_slice(), compiler.host);
    let checked = compiler.defaults.iter().filter_map(|(id, shape, default, code)| {
        let violation = checker::first(gates, checks, *id, host, *default)?;
        let secret = gates.get(*id as usize).is_some_and(|gate| gate.secret || gate.veiled);
        let shown = if secret { MASK.to_owned() } else { show::short(*default) };
        let what = if *code == FlawCode::BrokenExample { "example" } else { "default" };
        let message = format!("the {what} {shown} breaks its own rule: {}", violation.message());
        Some(Flaw::new(*code, message).at(violation.written.or(shape.place)))
    });
    let found: Vec<Flaw> = checked.collect();
    compiler.flaws.extend(found);
}
