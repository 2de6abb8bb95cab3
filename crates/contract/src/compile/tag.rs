//! The property that tells the alternatives of a union apart, where nobody named one.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use crate::check::Tag;
use crate::kind::Kind;
use crate::names::Names;
use crate::program::{Choice, Gate, GateId, ObjectPart};
use crate::rules::Test;

/// How many required properties are tried, and how many entries a table of alternatives may have that do not
/// look at the property.
const TAGS: usize = 8;
const ENTRIES: usize = 4096;

/// How deep alternatives are looked into, and how many gates each may make us look at: alternatives of
/// alternatives multiply.
const DEPTH: usize = 4;
const GATES: usize = 16;

/// Finds the property that tells the alternatives apart best.
pub(super) fn find(gates: &[Gate], alternatives: &[GateId]) -> Option<Tag> {
    let search = || Search { gates, left: Cell::new(alternatives.len().saturating_mul(GATES)) };
    let looking = search();
    let first = alternatives.iter().find_map(|id| looking.object(*id, DEPTH))?;
    let required = first.properties.iter().filter(|property| property.required);
    required
        .take(TAGS)
        .filter_map(|property| search().tag(alternatives, first.name_of(property)))
        .min_by_key(|tag| tag.checks.iter().map(|checks| checks.len()).max())
}

/// A look into gates that ends after so many of them.
struct Search<'g> {
    gates: &'g [Gate],
    left: Cell<usize>,
}

impl<'g> Search<'g> {
    /// One more gate, if there is one and it is not one too many.
    fn look(&self, id: GateId) -> Option<&'g Gate> {
        self.left.set(self.left.get().checked_sub(1)?);
        self.gates.get(id as usize)
    }

    /// The object that a gate, or the first gate of the same value that does, asks for.
    fn object(&self, id: GateId, depth: usize) -> Option<&'g ObjectPart> {
        let depth = depth.checked_sub(1)?;
        let gate = self.look(id)?;
        let mut next = gate.also.iter().chain(gate.choice.iter().flat_map(|choice| choice.gates()));
        gate.object.as_deref().or_else(|| next.find_map(|id| self.object(*id, depth)))
    }

    /// The alternatives by the value of a property.
    fn tag(&self, alternatives: &[GateId], name: &str) -> Option<Tag> {
        let mut by_value: BTreeMap<&str, Vec<GateId>> = BTreeMap::new();
        let mut others: Vec<GateId> = Vec::new();
        for id in alternatives {
            match self.values(*id, name, DEPTH) {
                Some(values) => {
                    if others.len() * (by_value.len() + values.len()) > ENTRIES {
                        return None;
                    }
                    for value in values {
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
            values: Names::new(by_value.keys().copied()),
            checks: by_value.into_values().map(Into::into).collect(),
            others: others.into(),
        })
    }

    /// The texts that a property must be one of for an object to pass a gate; `None` if others may do.
    fn values(&self, id: GateId, name: &str, depth: usize) -> Option<BTreeSet<&'g str>> {
        let depth = depth.checked_sub(1)?;
        let gate = self.look(id)?;
        let own = gate.object.as_deref().and_then(|part| self.own_values(part, name));
        // Any one of those that must all be passed tells enough.
        own.or_else(|| gate.also.iter().find_map(|id| self.values(*id, name, depth)))
            .or_else(|| self.chosen_values(gate.choice.as_deref()?, name, depth))
    }

    fn chosen_values(&self, choice: &Choice, name: &str, depth: usize) -> Option<BTreeSet<&'g str>> {
        match choice {
            Choice::Any(alternatives) | Choice::One(alternatives) => {
                let mut all = BTreeSet::new();
                for id in alternatives {
                    all.extend(self.values(*id, name, depth)?);
                }
                Some(all)
            }
            Choice::Kind { table, .. } => {
                let object = table.get(Kind::Object as usize).copied().flatten()?;
                self.values(object, name, depth)
            }
            Choice::Property { .. } => None,
        }
    }

    fn own_values(&self, part: &ObjectPart, name: &str) -> Option<BTreeSet<&'g str>> {
        let property = part.properties.get(part.names.get(name.as_bytes())?)?;
        let gate = self.gates.get(property.gate as usize)?;
        if !property.required || gate.nullable || !part.tags.is_empty() {
            return None;
        }
        gate.rules.iter().find_map(|rule| match rule.rule.test {
            Test::Constant(_) | Test::In(_) => {
                Some(rule.ready.members.as_ref()?.only_texts()?.iter().collect())
            }
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::check::Check;
    use crate::shape::{Definitions, Form, Property, Select, Shape, Union};
    use crate::{Contract, Test};

    fn kind(name: &str) -> Shape {
        Shape::object([Property::required("kind", Shape::text().must(Test::Constant(name.into())))])
    }

    fn one_of(alternatives: Vec<Shape>) -> Shape {
        Shape::from(Union { alternatives, select: Select::One })
    }

    /// The values by which a union tells its alternatives apart.
    fn tags(shape: &Shape) -> Option<Vec<String>> {
        let contract = Contract::compile(shape, &Definitions::new()).unwrap();
        match contract.program.checks.get(contract.program.root as usize) {
            Some(Check::Switch(switch)) => {
                switch.tag.as_ref().map(|tag| tag.values.iter().map(str::to_owned).collect())
            }
            _ => None,
        }
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
}
