//! From gates to checks: what the quick walk runs.

use crate::check::{Check, Fast, ListCheck, ObjectCheck, Switch, Tag, Way};
use crate::kind::{Kind, Kinds};
use crate::number::IntWidth;
use crate::program::{Choice, Gate, GateId, ListPart, ObjectPart, Range, Rest};
use crate::rules::Unit;

use super::{fuse, merge, tag};

/// Makes a check of every gate, with the gate's number.
pub(super) fn lower(gates: &mut [Gate], scoped: bool) -> Vec<Check> {
    let mut checks = Vec::with_capacity(gates.len());
    let mut fast = Vec::new();
    for id in 0..gates.len() {
        let choice = gates.get(id).and_then(|gate| gate.choice.as_deref());
        let switch = choice.map(|choice| Box::new(switch(gates, choice)));
        let Some(gate) = gates.get_mut(id) else { continue };
        fast.clear();
        fuse::fuse(&gate.rules, &mut fast);
        checks.push(check(gate, &mut fast, switch, scoped));
    }
    merge::merge(&mut checks);
    checks
}

fn check(gate: &mut Gate, fast: &mut Vec<Fast>, switch: Option<Box<Switch>>, scoped: bool) -> Check {
    let plain = fast.is_empty() && gate.list.is_none() && gate.object.is_none() && gate.accept == Kinds::ALL;
    let lowered = match switch {
        _ if gate.members.is_some() => Err(switch),
        Some(switch) if plain && gate.also.is_empty() => Ok(Check::Switch(switch)),
        Some(switch) => Err(Some(switch)),
        None if !gate.also.is_empty() => match plain {
            true => Ok(Check::All(gate.also.clone())),
            false => Err(None),
        },
        None if plain && gate.members.is_none() => Ok(Check::Any),
        None => parts(gate, fast, scoped).ok_or(None),
    };
    match lowered {
        Ok(Check::Any) => Check::Any,
        Ok(Check::Kinds(kinds)) if gate.nullable => Check::Kinds(kinds | Kind::Null.into()),
        Ok(check) if gate.nullable => Check::OrNull(Box::new(check)),
        Ok(check) => check,
        Err(switch) => {
            gate.switch = switch;
            gate.fast = fast.drain(..).collect();
            Check::Gate
        }
    }
}

/// The check of a gate with nothing but rules and parts.
fn parts(gate: &Gate, fast: &mut Vec<Fast>, scoped: bool) -> Option<Check> {
    let has_parts = (gate.list.is_some() && gate.accept.contains(Kind::List))
        || (gate.object.is_some() && gate.accept.contains(Kind::Object));
    if !has_parts {
        return scalar(gate, fast);
    }
    match (&gate.list, &gate.object) {
        (Some(part), None) if gate.accept == Kind::List.into() => list(part, fast),
        (None, Some(part)) if gate.accept == Kind::Object.into() => object(part, fast, scoped),
        _ => None,
    }
}

/// The check of a gate that has no parts to look at.
fn scalar(gate: &Gate, fast: &mut Vec<Fast>) -> Option<Check> {
    if gate.width != IntWidth::Any {
        let plain = fast.is_empty() && gate.accept == Kind::Int.into();
        return plain.then(|| int_range(gate.width));
    }
    let text = gate.accept == Kind::Text.into();
    let int = gate.accept == Kind::Int.into();
    let number = gate.accept == Kinds::NUMBERS;
    // Every whole number is a multiple of one.
    fast.retain(|test| !(int && matches!(test, Fast::Multiple(1))));
    Some(match (fast.pop(), fast.is_empty()) {
        (None, _) if gate.nullable => Check::Kinds(gate.accept),
        (None, _) if text => Check::Text,
        (None, _) if int => Check::Int,
        (None, _) if number => Check::Number,
        (None, _) if gate.accept == Kind::Bool.into() => Check::Bool,
        (None, _) => Check::Kinds(gate.accept),
        (Some(Fast::Length { unit: Unit::Scalars, least, most }), true) if text => Check::Length {
            least: u32::try_from(least).unwrap_or(u32::MAX),
            // Nothing is as long as that.
            most: u32::try_from(most).unwrap_or(u32::MAX),
        },
        (Some(Fast::Range(range)), true) if int => Check::IntRange(range),
        (Some(Fast::Range(range)), true) if number => Check::Range(range),
        (Some(Fast::Among(members)), true)
            if (text || gate.accept == Kinds::ALL) && members.only_texts().is_some() =>
        {
            Check::Texts(members)
        }
        (Some(Fast::Among(members)), true) if gate.accept == Kinds::ALL => Check::Among(members),
        (Some(Fast::Pattern(pattern)), true) if text => Check::Pattern(pattern),
        (Some(Fast::Format(format)), true) if text && let Some(check) = format.text_check() => {
            Check::Format(check)
        }
        (Some(Fast::Format(format)), true) if int && let Some(width) = format.int_width() => int_range(width),
        (Some(last), _) => {
            fast.push(last);
            Check::Tests(Box::new((gate.accept, fast.drain(..).collect())))
        }
    })
}

/// The check of an integer type.
fn int_range(width: IntWidth) -> Check {
    match Range::of_width(width) {
        Some(range) => Check::IntRange(Box::new(range)),
        None => Check::Int,
    }
}

fn list(part: &ListPart, fast: &[Fast]) -> Option<Check> {
    if !part.each.is_empty() {
        return None;
    }
    let (mut least, mut most, mut unique) = (part.least, usize::MAX, part.set);
    if part.rest == Rest::Closed {
        most = part.prefix.len();
    }
    for test in fast {
        match test {
            Fast::Length { unit: Unit::Items, least: low, most: high } => {
                (least, most) = (least.max(*low), most.min(*high));
            }
            Fast::Unique => unique = true,
            _ => return None,
        }
    }
    let prefix = part.prefix.clone();
    Some(Check::List(Box::new(ListCheck { least, most, unique, prefix, rest: part.rest })))
}

fn object(part: &ObjectPart, fast: &[Fast], scoped: bool) -> Option<Check> {
    let simple = part.tags.is_empty()
        && part.patterns.is_empty()
        && part.keys.is_empty()
        && part.values.is_empty()
        && !part.defaults
        && part.asserts.is_none()
        && part.required <= ObjectCheck::REQUIRED
        && (!scoped || part.map);
    if !simple {
        return None;
    }
    let (mut least, mut most) = (part.required, usize::MAX);
    for test in fast {
        match test {
            Fast::Length { unit: Unit::Properties, least: low, most: high } => {
                (least, most) = (least.max(*low), most.min(*high));
            }
            _ => return None,
        }
    }
    let properties = part.properties.iter().map(|property| (property.required, property.gate));
    let check = ObjectCheck::new(part.names.clone(), properties, part.rest, least, most);
    Some(Check::Object(Box::new(check)))
}

/// The way a union takes for each kind of value.
fn switch(gates: &[Gate], choice: &Choice) -> Switch {
    let (alternatives, one) = match choice {
        Choice::Any(alternatives) => (alternatives, false),
        Choice::One(alternatives) => (alternatives, true),
        Choice::Kind { table, .. } => {
            let way = |id: &Option<GateId>| id.map_or(Way::Closed, Way::Check);
            return Switch {
                ways: table.each_ref().map(way),
                several: Box::default(),
                one: false,
                tag: None,
            };
        }
        Choice::Property { name, values, gates } => {
            let checks = gates.iter().map(|id| Box::from([*id])).collect();
            let tag = Tag { name: name.clone(), values: values.clone(), checks, others: Box::default() };
            let ways = Kind::ALL.map(|kind| if kind == Kind::Object { Way::Tagged } else { Way::Closed });
            return Switch { ways, several: Box::default(), one: false, tag: Some(Box::new(tag)) };
        }
    };
    let takes = |id: &GateId, kind| gates.get(*id as usize).is_some_and(|gate| gate.may_take(kind));
    let (mut several, mut tag) = (Vec::new(), None);
    let ways = Kind::ALL.map(|kind| {
        let start = several.len();
        several.extend(alternatives.iter().copied().filter(|id| takes(id, kind)));
        let way = match several.get(start..).unwrap_or_default() {
            [] => Way::Closed,
            [only] => Way::Check(*only),
            fitting if kind == Kind::Object => match tag::find(gates, fitting) {
                Some(found) => {
                    tag = Some(Box::new(found));
                    Way::Tagged
                }
                None => Way::Several(number(start), number(several.len())),
            },
            _ => Way::Several(number(start), number(several.len())),
        };
        if !matches!(way, Way::Several(..)) {
            several.truncate(start);
        }
        way
    });
    Switch { ways, several: several.into(), one, tag }
}

fn number(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}
