//! The property that tells the alternatives of a union apart, where nobody named one.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use crate::check::Tag;
use crate::gate_id::{GateId, Rest};
use crate::names::NameTable;
use crate::program::{Choice, Gate, ObjectPart};
use crate::rules::Test;
use value::ValueKind;

/// How many required properties are tried, and how many entries a table of alternatives may have that do not
/// look at the property.
const TAGS: usize = 8;
const ENTRIES: usize = 4096;

/// How deep alternatives are looked into, and how many gates each may make us look at: alternatives of alternatives multiply.
const DEPTH: usize = 4;
const GATES: usize = 16;

/// Finds the property that tells the alternatives apart best: by its value or, if none does, by being there.
pub(super) fn find(gates: &[Gate], alternatives: &[GateId]) -> Option<Tag> {
    let search = || Search { gates, left: Cell::new(alternatives.len().saturating_mul(GATES)) };
    let looking = search();
    let first = alternatives.iter().find_map(|id| looking.object(*id, DEPTH))?;
    let telling = first.properties.iter().filter(|it| it.required || looking.texts(it.gate).is_some());
    let by_value = telling
        .take(TAGS)
        .filter_map(|property| search().tag(alternatives, first.name_of(property)))
        .map(|tag| (tag.checks.iter().map(|checks| checks.len()).max(), tag.missing.len(), tag))
        .filter(|(most, ..)| most.is_some_and(|most| most < alternatives.len()))
        .min_by_key(|(most, missing, _)| (*most, *missing))
        .map(|(.., tag)| tag);
    by_value.or_else(|| {
        let looking = search();
        let objects = alternatives.iter().filter_map(|id| looking.object(*id, DEPTH));
        let required = objects.flat_map(|part| {
            part.properties.iter().filter(|property| property.required).map(|property| part.name_of(property))
        });
        required
            .take(TAGS)
            .filter_map(|name| search().presence(alternatives, name))
            .min_by_key(|tag| tag.others.len().max(tag.missing.len()))
    })
}

/// A look into gates that ends after so many of them.
struct Search<'g> {
    gates: &'g [Gate],
    left: Cell<usize>,
}

impl<'g> Search<'g> {
    /// One more gate, if there is one and it is not one too many.
    fn visit_gate(&self, id: GateId) -> Option<&'g Gate> {
        self.left.set(self.left.get().checked_sub(1)?);
        self.gates.get(id as usize)
    }

    /// The object that a gate, or the first gate of the same value that does, asks for.
    fn object(&self, id: GateId, depth: usize) -> Option<&'g ObjectPart> {
        let depth = depth.checked_sub(1)?;
        let gate = self.visit_gate(id)?;
        let mut next = gate.also.iter().chain(gate.choice.iter().flat_map(|choice| choice.gates()));
        gate.object.as_deref().or_else(|| next.find_map(|id| self.object(*id, depth)))
    }

    /// The alternatives by the value of a property.
    fn tag(&self, alternatives: &[GateId], name: &str) -> Option<Tag> {
        let mut by_value: BTreeMap<&str, Vec<GateId>> = BTreeMap::new();
        let (mut others, mut missing): (Vec<GateId>, Vec<GateId>) = (Vec::new(), Vec::new());
        for id in alternatives {
            let told = self.values(*id, name, DEPTH);
            if told.as_ref().is_none_or(|told| !told.required) {
                missing.push(*id);
            }
            match told {
                Some(told) => {
                    if others.len() * (by_value.len() + told.values.len()) > ENTRIES {
                        return None;
                    }
                    for value in told.values {
                        // An alternative that does not look stays among all that do, in order.
                        by_value.entry(value).or_insert_with(|| others.clone()).push(*id);
                    }
                }
                None => {
                    if by_value.len() * (others.len() + 1) > ENTRIES {
                        return None;
                    }
                    others.push(*id);
                    by_value.values_mut().for_each(|ids| ids.push(*id));
                }
            }
        }
        if by_value.len() < 2 {
            return None;
        }
        Some(Tag {
            name: name.into(),
            values: NameTable::new(by_value.keys().copied()),
            checks: by_value.into_values().map(Into::into).collect(),
            others: others.into(),
            missing: missing.into(),
        })
    }

    /// The alternatives with and without a property, if neither are all of them.
    fn presence(&self, alternatives: &[GateId], name: &str) -> Option<Tag> {
        let requires = |part: &ObjectPart| {
            let property = part.names.get(name.as_bytes()).and_then(|position| part.properties.get(position));
            part.tags.is_empty() && property.is_some_and(|property| property.required)
        };
        let forbids = |part: &ObjectPart| {
            part.rest == Rest::Closed
                && part.tags.is_empty()
                && part.names.get(name.as_bytes()).is_none()
                && !part.patterns.iter().any(|(pattern, _)| pattern.is_match(name.as_bytes()))
        };
        let without = |test: &dyn Fn(&ObjectPart) -> bool| -> Box<[GateId]> {
            alternatives.iter().copied().filter(|id| !self.asks(*id, DEPTH, test)).collect()
        };
        let (others, missing) = (without(&forbids), without(&requires));
        let tells = others.len().max(missing.len()) < alternatives.len();
        tells.then(|| Tag {
            name: name.into(),
            values: NameTable::default(),
            checks: Box::default(),
            others,
            missing,
        })
    }

    /// Whether every object that passes a gate passes some part that a test holds for.
    fn asks(&self, id: GateId, depth: usize, test: &dyn Fn(&ObjectPart) -> bool) -> bool {
        let Some((depth, gate)) = depth.checked_sub(1).zip(self.visit_gate(id)) else { return false };
        gate.object.as_deref().is_some_and(test)
            || gate.also.iter().any(|id| self.asks(*id, depth, test))
            || match gate.choice.as_deref() {
                Some(Choice::Any(alternatives) | Choice::One(alternatives)) => {
                    alternatives.iter().all(|id| self.asks(*id, depth, test))
                }
                Some(Choice::Kind { table, .. }) => {
                    object_of(table).is_some_and(|id| self.asks(id, depth, test))
                }
                Some(Choice::Property { .. }) | None => false,
            }
    }

    /// The texts that a property must be one of for an object to pass a gate; `None` if others may do.
    fn values(&self, id: GateId, name: &str, depth: usize) -> Option<TagValues<'g>> {
        let depth = depth.checked_sub(1)?;
        let gate = self.visit_gate(id)?;
        let own = gate.object.as_deref().and_then(|part| self.own_values(part, name));
        // Any one of those that must all be passed tells enough.
        own.or_else(|| gate.also.iter().find_map(|id| self.values(*id, name, depth)))
            .or_else(|| self.chosen_values(gate.choice.as_deref()?, name, depth))
    }

    fn chosen_values(&self, choice: &Choice, name: &str, depth: usize) -> Option<TagValues<'g>> {
        match choice {
            Choice::Any(alternatives) | Choice::One(alternatives) => {
                let mut all = TagValues { values: BTreeSet::new(), required: true };
                for id in alternatives {
                    let told = self.values(*id, name, depth)?;
                    all.values.extend(told.values);
                    all.required &= told.required;
                }
                Some(all)
            }
            Choice::Kind { table, .. } => self.values(object_of(table)?, name, depth),
            Choice::Property { .. } => None,
        }
    }

    fn own_values(&self, part: &ObjectPart, name: &str) -> Option<TagValues<'g>> {
        let property = part.properties.get(part.names.get(name.as_bytes())?)?;
        if !part.tags.is_empty() {
            return None;
        }
        let values = self.texts(property.gate)?.iter().collect();
        Some(TagValues { values, required: property.required })
    }

    /// The texts that a value must be one of to pass a gate.
    fn texts(&self, id: GateId) -> Option<&'g NameTable> {
        let gate = self.gates.get(id as usize).filter(|gate| !gate.nullable)?;
        gate.rules.iter().find_map(|rule| match rule.rule.test {
            Test::Constant(_) | Test::In(_) => rule.ready.members.as_ref()?.only_texts(),
            _ => None,
        })
    }
}

/// What an alternative tells of a property.
struct TagValues<'g> {
    values: BTreeSet<&'g str>,
    /// Whether the property must be there.
    required: bool,
}

/// The gate for objects.
fn object_of(table: &[Option<GateId>; 8]) -> Option<GateId> {
    table.get(ValueKind::Object as usize).copied().flatten()
}

#[cfg(test)]
mod tests {
    use crate::check::{GateCheck, Tag};
    use crate::shape::{Definitions, Form, Object, Property, Select, Shape, Union};
    use crate::{Contract, Test};

    fn kind(name: &str) -> Shape {
        Shape::object([Property::required("kind", Shape::text().must(Test::Constant(name.into())))])
    }

    fn one_of(alternatives: Vec<Shape>) -> Shape {
        Shape::from(Union { alternatives, select: Select::One })
    }

    /// How a union tells its alternatives apart.
    fn tag(shape: &Shape) -> Option<Box<Tag>> {
        let contract = Contract::compile(shape, &Definitions::new()).unwrap();
        match contract.program.checks.get(contract.program.root as usize) {
            Some(GateCheck::Switch(switch)) => switch.tag.clone(),
            _ => None,
        }
    }

    /// The values by which a union tells its alternatives apart.
    fn tags(shape: &Shape) -> Option<Vec<String>> {
        tag(shape).map(|tag| tag.values.iter().map(str::to_owned).collect())
    }

    #[test]
    fn a_required_constant_tells_alternatives_apart() {
        assert_eq!(tags(&one_of(vec![kind("a"), kind("b")])).unwrap(), ["a", "b"]);
        assert_eq!(tags(&one_of(vec![kind("a"), kind("a")])), None);
    }

    #[test]
    fn also_inside_of_alternatives_and_of_all_of_several() {
        let inner = one_of(vec![kind("b"), kind("c")]);
        let both = Shape::new(Form::All(vec![Shape::object([]), kind("d")]));
        assert_eq!(tags(&one_of(vec![kind("a"), inner, both])).unwrap(), ["a", "b", "c", "d"]);
    }

    #[test]
    fn an_alternative_that_takes_any_object_stands_beside_all_others() {
        let inner = one_of(vec![kind("b"), Shape::object([])]);
        assert_eq!(tags(&one_of(vec![kind("a"), inner])), None);
    }

    #[test]
    fn a_constant_that_may_be_left_out_tells_alternatives_apart_where_it_is_there() {
        let kind = |name: &str| {
            Shape::object([Property::optional("kind", Shape::text().must(Test::Constant(name.into())))])
        };
        let tag = tag(&one_of(vec![kind("a"), kind("b")])).unwrap();
        assert_eq!((tag.checks.len(), tag.others.len(), tag.missing.len()), (2, 0, 2));
    }

    #[test]
    fn a_property_that_one_requires_and_the_other_does_not_know_tells_by_being_there() {
        let closed = Shape::from(Object::open([Property::optional("type", Shape::text())]).closed());
        let link = || Shape::object([Property::required("link", Shape::text())]);
        let told = tag(&one_of(vec![closed, link()])).unwrap();
        assert_eq!((&*told.name, told.others.len(), told.missing.len()), ("link", 1, 1));
        let open = Shape::object([Property::optional("type", Shape::text())]);
        assert!(tag(&one_of(vec![open, link()])).is_none());
    }
}
