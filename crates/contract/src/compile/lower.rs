//! From gates to checks: what the quick walk runs.

use crate::check::{Also, Fast, GateCheck, ListCheck, ObjectCheck, Switch, Tag, UnionDispatch};
use crate::gate_id::{GateId, Rest};
use crate::program::{Choice, Gate, ListPart, ObjectPart, PropertyPart};
use crate::range::Range;
use crate::rules::Unit;
use value::number::IntWidth;
use value::{Kinds, ValueKind};

use super::{fuse, merge, tag};

/// Up to so many names are matched against a pattern each when a contract is compiled.
const MATCHES: usize = 4096;

/// Makes a check of every gate, with the gate's number.
pub(super) fn lower(gates: &mut [Gate], scoped: bool) -> Vec<GateCheck> {
    let mut checks = Vec::with_capacity(gates.len());
    let mut lowering = Lowering { count: gates.len(), further: Vec::new(), fast: Vec::new(), scoped };
    for id in 0..gates.len() {
        let Some(gate) = gates.get(id) else { continue };
        lowering.fast.clear();
        fuse::fuse(&gate.rules, &mut lowering.fast);
        let switch = gate.choice.as_deref().map(|choice| Box::new(switch(gates, choice)));
        let lowered = lowering.check(gates, gate, switch);
        checks.push(lowered.unwrap_or_else(|switch| {
            if let Some(gate) = gates.get_mut(id) {
                gate.switch = switch;
                gate.fast = lowering.fast.drain(..).collect();
            }
            GateCheck::Gate
        }));
    }
    checks.append(&mut lowering.further);
    merge::merge(&mut checks);
    checks
}

/// The state of one lowering.
struct Lowering {
    /// How many gates there are.
    count: usize,
    /// Checks that are not those of a gate; they come behind the others.
    further: Vec<GateCheck>,
    /// What is left of the rules of the gate at hand.
    fast: Vec<Fast>,
    scoped: bool,
}

impl Lowering {
    /// The check of a gate; its switch, if the gate must be walked as it is.
    fn check(
        &mut self,
        gates: &[Gate],
        gate: &Gate,
        switch: Option<Box<Switch>>,
    ) -> Result<GateCheck, Option<Box<Switch>>> {
        let lowered = match switch {
            _ if gate.members.is_some() => return Err(switch),
            Some(switch) if self.leaves_open(gate) && gate.also.is_empty() => GateCheck::Switch(switch),
            None if self.leaves_open(gate) && !gate.also.is_empty() => GateCheck::All(gate.also.clone()),
            switch => self.several(gates, gate, switch)?,
        };
        Ok(match lowered {
            GateCheck::Any => GateCheck::Any,
            GateCheck::Kinds(kinds) if gate.nullable => GateCheck::Kinds(kinds | ValueKind::Null.into()),
            check if gate.nullable => GateCheck::OrNull(Box::new(check)),
            check => check,
        })
    }

    /// The check of a gate with rules or parts of its own, and of those that the same value meets besides.
    fn several(
        &mut self,
        gates: &[Gate],
        gate: &Gate,
        switch: Option<Box<Switch>>,
    ) -> Result<GateCheck, Option<Box<Switch>>> {
        let none: Vec<GateId> = self.fast.iter().filter_map(excluded).collect();
        let shapes: Vec<Fast> = self.fast.iter().filter(|test| test.has_shape()).cloned().collect();
        let is_plain = none.is_empty() && shapes.is_empty();
        let rules = (!is_plain).then(|| self.fast.clone());
        self.fast.retain(|test| excluded(test).is_none() && !test.has_shape());
        let Some(own) = self.parts(gates, gate) else {
            if let Some(rules) = rules {
                self.fast = rules;
            }
            return Err(switch);
        };
        if is_plain && gate.also.is_empty() && switch.is_none() {
            return Ok(own);
        }
        let all = gate.also.clone();
        Ok(GateCheck::Also(Box::new(Also { own, none: none.into(), shapes: shapes.into(), all, switch })))
    }

    /// Whether a gate has no rules and parts of its own.
    fn leaves_open(&self, gate: &Gate) -> bool {
        self.fast.is_empty() && gate.list.is_none() && gate.object.is_none() && gate.accept == Kinds::ALL
    }

    /// The check of a gate's own rules and parts.
    fn parts(&mut self, gates: &[Gate], gate: &Gate) -> Option<GateCheck> {
        if self.leaves_open(gate) {
            return Some(GateCheck::Any);
        }
        let has_parts = (gate.list.is_some() && gate.accept.contains(ValueKind::List))
            || (gate.object.is_some() && gate.accept.contains(ValueKind::Object));
        if !has_parts {
            return scalar(gate, &mut self.fast);
        }
        match (&gate.list, &gate.object) {
            (Some(part), None) if gate.accept == ValueKind::List.into() => list(part, &self.fast),
            (None, Some(part)) if gate.accept == ValueKind::Object.into() => self.object(gates, part),
            _ => None,
        }
    }

    fn object(&mut self, gates: &[Gate], part: &ObjectPart) -> Option<GateCheck> {
        let simple = part.tags.is_empty()
            && part.patterns.len().saturating_mul(part.properties.len()) <= MATCHES
            && part.values.is_empty()
            && !part.defaults
            && part.asserts.is_none()
            && part.required <= ObjectCheck::REQUIRED
            && (!self.scoped || part.map);
        if !simple {
            return None;
        }
        let (mut least, mut most) = (part.required, usize::MAX);
        for test in &self.fast {
            match test {
                Fast::Length { unit: Unit::Properties, least: low, most: high } => {
                    (least, most) = (least.max(*low), most.min(*high));
                }
                _ => return None,
            }
        }
        let properties =
            part.properties.iter().map(|property| (property.required, self.known(gates, part, property)));
        let mut check = ObjectCheck::new(part.names.clone(), properties, part.rest, least, most);
        check.patterns = part.patterns.clone();
        check.keys = part.keys.clone();
        Some(GateCheck::Object(Box::new(check)))
    }

    /// The check of a known property: that of its own with those of all patterns that match its name.
    fn known(&mut self, gates: &[Gate], part: &ObjectPart, property: &PropertyPart) -> GateId {
        if part.patterns.is_empty() {
            return property.gate;
        }
        let name = part.name_of(property).as_bytes();
        let matched = part.patterns.iter().filter(|(pattern, _)| pattern.is_match(name)).map(|(_, id)| *id);
        let is_free = |id: &GateId| gates.get(*id as usize).is_some_and(|gate| gate.free);
        let asked: Vec<GateId> =
            std::iter::once(property.gate).chain(matched).filter(|id| !is_free(id)).collect();
        match asked.as_slice() {
            [] => property.gate,
            [only] => *only,
            several => {
                self.further.push(GateCheck::Each(several.into()));
                number(self.count + self.further.len() - 1)
            }
        }
    }
}

/// The gate that a value must not pass.
fn excluded(test: &Fast) -> Option<GateId> {
    match test {
        Fast::Not(id) => Some(*id),
        _ => None,
    }
}

/// The check of a gate that has no parts to look at.
fn scalar(gate: &Gate, fast: &mut Vec<Fast>) -> Option<GateCheck> {
    if gate.width != IntWidth::Any {
        let plain = fast.is_empty() && gate.accept == ValueKind::Int.into();
        return plain.then(|| int_range(gate.width));
    }
    let text = gate.accept == ValueKind::Text.into();
    let int = gate.accept == ValueKind::Int.into();
    let number = gate.accept == Kinds::NUMBERS;
    // Every whole number is a multiple of one.
    fast.retain(|test| !(int && matches!(test, Fast::Multiple(1))));
    Some(match (fast.pop(), fast.is_empty()) {
        (None, _) if gate.nullable => GateCheck::Kinds(gate.accept),
        (None, _) if text => GateCheck::Text,
        (None, _) if int => GateCheck::Int,
        (None, _) if number => GateCheck::Number,
        (None, _) if gate.accept == ValueKind::Bool.into() => GateCheck::Bool,
        (None, _) => GateCheck::Kinds(gate.accept),
        (Some(Fast::Length { unit: Unit::Scalars, least, most }), true) if text => GateCheck::Length {
            least: u32::try_from(least).unwrap_or(u32::MAX),
            // Nothing is as long as that.
            most: u32::try_from(most).unwrap_or(u32::MAX),
        },
        (Some(Fast::Range(range)), true) if int => GateCheck::IntRange(range),
        (Some(Fast::Range(range)), true) if number => GateCheck::Range(range),
        (Some(Fast::Among(members)), true)
            if (text || gate.accept == Kinds::ALL) && members.only_texts().is_some() =>
        {
            GateCheck::Texts(members)
        }
        (Some(Fast::Among(members)), true) if gate.accept == Kinds::ALL => GateCheck::Among(members),
        (Some(Fast::Pattern(pattern)), true) if text => GateCheck::Pattern(pattern),
        (Some(Fast::Format(format)), true) if text && let Some(check) = format.text_check() => {
            GateCheck::Format(check)
        }
        (Some(Fast::Format(format)), true) if int && let Some(width) = format.int_width() => int_range(width),
        (Some(last), _) => {
            fast.push(last);
            GateCheck::Tests(Box::new((gate.accept, fast.drain(..).collect())))
        }
    })
}

/// The check of an integer type.
fn int_range(width: IntWidth) -> GateCheck {
    match Range::of_width(width) {
        Some(_) if width == IntWidth::Written => GateCheck::WrittenInt,
        Some(range) => GateCheck::IntRange(Box::new(range)),
        None => GateCheck::Int,
    }
}

fn list(part: &ListPart, fast: &[Fast]) -> Option<GateCheck> {
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
    Some(GateCheck::List(Box::new(ListCheck { least, most, unique, prefix, rest: part.rest })))
}

/// The way a union takes for each kind of value.
fn switch(gates: &[Gate], choice: &Choice) -> Switch {
    let (alternatives, one) = match choice {
        Choice::Any(alternatives) => (alternatives, false),
        Choice::One(alternatives) => (alternatives, true),
        Choice::Kind { table, .. } => {
            let way = |id: &Option<GateId>| id.map_or(UnionDispatch::Closed, UnionDispatch::Check);
            return Switch {
                ways: table.each_ref().map(way),
                several: Box::default(),
                one: false,
                tag: None,
            };
        }
        Choice::Property { name, values, gates } => {
            let checks = gates.iter().map(|id| Box::from([*id])).collect();
            let (name, values) = (name.clone(), values.clone());
            let tag = Tag { name, values, checks, others: Box::default(), missing: Box::default() };
            let ways = ValueKind::ALL.map(|kind| {
                if kind == ValueKind::Object { UnionDispatch::Tagged } else { UnionDispatch::Closed }
            });
            return Switch { ways, several: Box::default(), one: false, tag: Some(Box::new(tag)) };
        }
    };
    let takes = |id: &GateId, kind| gates.get(*id as usize).is_some_and(|gate| gate.may_take(kind));
    let (mut several, mut tag) = (Vec::new(), None);
    let ways = ValueKind::ALL.map(|kind| {
        let start = several.len();
        several.extend(alternatives.iter().copied().filter(|id| takes(id, kind)));
        let way = match several.get(start..).unwrap_or_default() {
            [] => UnionDispatch::Closed,
            [only] => UnionDispatch::Check(*only),
            fitting if kind == ValueKind::Object => match tag::find(gates, fitting) {
                Some(found) => {
                    tag = Some(Box::new(found));
                    UnionDispatch::Tagged
                }
                None => UnionDispatch::Several(number(start), number(several.len())),
            },
            _ => UnionDispatch::Several(number(start), number(several.len())),
        };
        if !matches!(way, UnionDispatch::Several(..)) {
            several.truncate(start);
        }
        way
    });
    Switch { ways, several: several.into(), one, tag }
}

fn number(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use crate::Contract;
    use crate::check::{GateCheck, ObjectCheck};
    use crate::pattern::{Pattern, PatternSyntax};
    use crate::shape::{Definitions, Object, Property, Shape};

    /// Runs a look at the checks of an object with the properties `id`, `x-id` and a pattern for all with `x-`.
    fn look(matched: Shape, look: impl FnOnce(&ObjectCheck, &[GateCheck])) {
        let properties = ["id", "x-id"].map(|name| Property::optional(name, Shape::text()));
        let pattern = Pattern::new(PatternSyntax::Ecma, "^x-").unwrap();
        let object = Object { patterns: vec![(pattern, matched)], ..Object::open(properties).closed() };
        let contract = Contract::compile(&object.into(), &Definitions::new()).unwrap();
        match contract.program.checks.get(contract.program.root as usize) {
            Some(GateCheck::Object(part)) => look(part, &contract.program.checks),
            other => panic!("{other:?}"),
        }
    }

    /// What the quick walk runs for a contract, by the first word of its form.
    #[track_caller]
    fn form(contract: &str, expected: &str) {
        let limits = document::ReadLimits::DEFAULT;
        let document = document::Document::from_json(contract, document::FileId::FIRST, &limits).unwrap();
        let (shape, definitions) = crate::json::read(document.root()).unwrap();
        let contract = Contract::compile(&shape, &definitions).unwrap();
        let check = contract.program.checks.get(contract.program.root as usize);
        let form = format!("{:?}", check.unwrap());
        assert_eq!(form.split(|c: char| !c.is_alphanumeric()).next(), Some(expected), "{form}");
    }

    #[test]
    fn what_is_common_has_a_check_of_its_own() {
        form(r#"{"type": "string"}"#, "Text");
        form(r#"{"type": "string", "minLength": 1, "maxLength": 5}"#, "Length");
        form(r#"{"type": "string", "format": "date"}"#, "Format");
        form(r#"{"type": "string", "pattern": "^a"}"#, "Pattern");
        form(r#"{"type": "string", "enum": ["a", "b"]}"#, "Texts");
        form(r#"{"type": "integer"}"#, "Int");
        form(r#"{"type": "integer", "minimum": 1, "maximum": 5}"#, "IntRange");
        form(r#"{"type": "number", "minimum": 1}"#, "Range");
        form(r#"{"type": "boolean"}"#, "Bool");
        form(r#"{"type": "array", "items": {"type": "integer"}, "uniqueItems": true}"#, "List");
        form(r#"{"type": "object", "properties": {"a": {}}}"#, "Object");
        let both = r#"{"allOf": [{"type": "object", "properties": {"a": {}}}, {"properties": {"b": {"type": "string"}}}]}"#;
        form(both, "Object");
        form(r#"{"type": "string", "minLength": 2, "not": {"const": "no"}}"#, "Also");
    }

    #[test]
    fn known_names_meet_patterns_when_the_contract_is_compiled() {
        look(Shape::text(), |part, checks| {
            let kinds =
                part.properties.iter().map(|(_, id)| matches!(checks[*id as usize], GateCheck::Each(_)));
            assert_eq!(kinds.collect::<Vec<_>>(), [false, true]);
        });
    }

    #[test]
    fn a_pattern_that_asks_for_nothing_adds_nothing_to_a_known_property() {
        look(Shape::any(), |part, checks| {
            assert!(
                part.properties.iter().all(|(_, id)| !matches!(checks[*id as usize], GateCheck::Each(_)))
            );
        });
    }
}
