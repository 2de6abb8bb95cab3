//! Objects: members that are there, that are missing, and that nobody knows.

use super::trail::{Trail, TrailStep, ValueLocation};
use super::{
    Demand, Flow, GateOutcome, Met, ReportedValue, SUGGESTED, Trust, ViolationCollector, ViolationDraft,
};
use crate::gate_id::Rest;
use crate::limits::Order;
use crate::program::{Gate, ObjectPart, PropertyPart};
use crate::rules::form;
use crate::scope::{MemoField, ObjectScope, ReferenceScope};
use crate::violation::{Expected, ExpectedTexts};
use crate::words::quoted;
use value::show::{self, MASK};
use value::{Node, View};

impl<'w> ViolationCollector<'w> {
    /// Reports that a required property is not there.
    pub(super) fn missing<'v, V: View<'v>>(
        &mut self,
        here: &ReportedValue<'_, 'v, V>,
        gate: &Gate,
        part: &ObjectPart,
        property: &PropertyPart,
    ) -> Flow {
        let name = part.name_of(property);
        let hidden = here.at.secret || self.keys_are_secret(here.gates);
        let hint = if hidden { None } else { self.misspelt(part, here.value, name) };
        let wanted = ExpectedTexts::one(name);
        let Some(own) = &property.requirement else {
            let expected = Expected::Property(name.into());
            let broken = ViolationDraft::form(&form::REQUIRED, expected, property.place.or(gate.place));
            return self.report(here, ViolationDraft { hint, ..broken.wanted(wanted) });
        };
        // The dialect has its own rule for it, which speaks of the property: there is no value to show.
        let expected = own.message.clone().map_or(Expected::Presence, Expected::Stated);
        let broken = ViolationDraft::form(&form::REQUIRED, expected, own.place.or(gate.place)).wanted(wanted);
        let trail = Trail { parent: here.at.trail, step: TrailStep::Name(name) };
        let at = ValueLocation { trail: Some(&trail), ..here.at };
        self.push(at, ViolationDraft { hint, rule: Some(&own.spelling), ..broken }, None, None)
    }

    /// A member whose name is nearly that of a missing property.
    pub(super) fn misspelt<'v, V: View<'v>>(
        &mut self,
        part: &ObjectPart,
        value: V,
        name: &str,
    ) -> Option<String> {
        let unknown = value.members().filter_map(|(key, _)| match key.node() {
            Node::Text(text) if part.names.get(text.as_bytes()).is_none() => Some(text),
            _ => None,
        });
        self.suggest(name, unknown).map(|near| format!("there is a property `{near}`"))
    }

    /// The name that was probably meant.
    pub(super) fn suggest<'n>(
        &mut self,
        name: &str,
        known: impl Iterator<Item = &'n str>,
    ) -> Option<&'n str> {
        self.suggestions = self.suggestions.checked_sub(1)?;
        diagnostics::suggest(name, known.take(SUGGESTED))
    }

    pub(super) fn keys_are_secret(&self, gates: &[&Gate]) -> bool {
        let objects = gates.iter().filter_map(|gate| gate.object.as_deref());
        self.walk.secrets && self.is_secret(objects.flat_map(|part| part.keys.iter().copied()))
    }

    pub(super) fn members<'v, V: View<'v>>(
        &mut self,
        here: &ReportedValue<'_, 'v, V>,
        met: &[Met<'_, '_>],
    ) -> Flow {
        let (walk, value) = (self.walk, here.value);
        let met: Vec<(&Met<'_, '_>, &ObjectPart)> = met
            .iter()
            .filter(|met| met.state == GateOutcome::Accepted)
            .filter_map(|met| Some((met, met.gate.object.as_deref()?)))
            .collect();
        let parts: Vec<&ObjectPart> = met.iter().map(|(_, part)| *part).collect();
        let records: Vec<ObjectScope<'_, '_, V>> =
            parts.iter().map(|part| ObjectScope::among(value, part, &parts)).collect();
        let mut speakers = Vec::with_capacity(met.len());
        for ((met, part), record) in met.iter().zip(&records) {
            let depth = match here.node {
                Node::Object(0) => met.depth.saturating_sub(1),
                _ => match walk.deeper(met.depth) {
                    Some(depth) => depth,
                    None => return Flow::Break(()),
                },
            };
            let inner = match part.map {
                true => met.scope,
                false => ReferenceScope { object: Some(record), own: None },
            };
            speakers.push(Speaker { gate: met.gate, part, outer: met.scope, inner, depth });
        }
        let secret_keys = here.at.secret || self.keys_are_secret(here.gates);
        match self.order {
            Order::Document => self.in_document_order(here, &speakers, secret_keys)?,
            Order::Declared => self.in_declared_order(here, &speakers, secret_keys)?,
        }
        for (speaker, record) in speakers.iter().zip(&records) {
            let scope = ReferenceScope { object: Some(record), own: speaker.outer.own };
            for rule in speaker.part.asserts.iter().flat_map(|rules| rules.asserts()) {
                self.rule(here, rule, Some(speaker.part), scope, speaker.depth, Trust::All)?;
            }
        }
        Flow::Continue(())
    }

    /// The members as the document has them, then what stands in for absent ones.
    pub(super) fn in_document_order<'v, V: View<'v>>(
        &mut self,
        here: &ReportedValue<'_, 'v, V>,
        speakers: &[Speaker<'_>],
        secret_keys: bool,
    ) -> Flow {
        for (key, member) in here.value.members() {
            self.key(here, speakers, key, secret_keys)?;
            self.member(here, speakers, key.node(), member, secret_keys)?;
        }
        for speaker in speakers.iter().filter(|speaker| speaker.part.defaults) {
            for (property, seen) in speaker.part.properties.iter().zip(seen(speaker.part, here.value)) {
                if !seen {
                    self.absent(here, speaker, property)?;
                }
            }
        }
        Flow::Continue(())
    }

    /// Keys first, then the properties as they are declared, there or not, then all other members.
    pub(super) fn in_declared_order<'v, V: View<'v>>(
        &mut self,
        here: &ReportedValue<'_, 'v, V>,
        speakers: &[Speaker<'_>],
        secret_keys: bool,
    ) -> Flow {
        const UNKNOWN: (usize, usize) = (usize::MAX, usize::MAX);
        let mut members = Vec::new();
        for (key, member) in here.value.members() {
            self.key(here, speakers, key, secret_keys)?;
            let name = key.node();
            let mut known = speakers.iter().enumerate();
            let rank =
                known.find_map(|(at, speaker)| Some((at, speaker.part.find(name)?))).unwrap_or(UNKNOWN);
            members.push((rank, name, member));
        }
        // Each occurrence counts: a reader that takes the last must not be fooled by the first.
        members.sort_by_key(|(rank, ..)| *rank);
        let mut members = members.into_iter().peekable();
        for (at, speaker) in speakers.iter().enumerate() {
            let seen = seen(speaker.part, here.value);
            for (position, (property, seen)) in speaker.part.properties.iter().zip(seen).enumerate() {
                while let Some((_, name, member)) = members.next_if(|(rank, ..)| *rank == (at, position)) {
                    self.member(here, speakers, name, member, secret_keys)?;
                }
                if !seen {
                    if property.required {
                        self.missing(here, speaker.gate, speaker.part, property)?;
                    }
                    self.absent(here, speaker, property)?;
                }
            }
        }
        members.try_for_each(|(_, name, member)| self.member(here, speakers, name, member, secret_keys))
    }

    /// Checks the value that stands in for an absent property.
    pub(super) fn absent<'v, V: View<'v>>(
        &mut self,
        here: &ReportedValue<'_, 'v, V>,
        speaker: &Speaker<'_>,
        property: &PropertyPart,
    ) -> Flow {
        let (Some(constant), false) = (property.absent.as_deref(), property.required) else {
            return Flow::Continue(());
        };
        let name = speaker.part.name_of(property);
        let trail = Trail { parent: here.at.trail, step: TrailStep::Name(name) };
        let own = MemoField::boxed(constant);
        let scope = ReferenceScope { own: Some(&*own), ..speaker.inner };
        let demand = Demand { gate: property.gate, scope, depth: speaker.depth };
        self.visit(constant, vec![demand], ValueLocation { trail: Some(&trail), ..here.at })
    }

    /// Checks the key of a member.
    pub(super) fn key<'v, V: View<'v>>(
        &mut self,
        here: &ReportedValue<'_, 'v, V>,
        speakers: &[Speaker<'_>],
        key: V::Key,
        secret: bool,
    ) -> Flow {
        let mut demands = Vec::new();
        for Speaker { part, outer, depth, .. } in speakers {
            demands.extend(part.keys.iter().map(|gate| Demand { gate: *gate, scope: *outer, depth: *depth }));
        }
        if demands.is_empty() {
            return Flow::Continue(());
        }
        let step = if secret { TrailStep::Secret } else { TrailStep::Key(key.node()) };
        let trail = Trail { parent: here.at.trail, step };
        self.visit(key, demands, ValueLocation { trail: Some(&trail), ..here.at })
    }

    /// Checks one member of an object: its value, and whether it may be there at all.
    pub(super) fn member<'v, V: View<'v>>(
        &mut self,
        here: &ReportedValue<'_, 'v, V>,
        speakers: &[Speaker<'_>],
        name: Node<'v>,
        member: V,
        secret_key: bool,
    ) -> Flow {
        let known = speakers.iter().find_map(|it| Some(it.part.names.name(it.part.find(name)?)));
        let step = match (known, name) {
            (Some(known), _) => TrailStep::Name(known),
            (None, _) if secret_key => TrailStep::Secret,
            (None, Node::Text(name)) if !speakers.iter().all(|it| it.part.map) => TrailStep::Name(name),
            (None, other) => TrailStep::Entry(other),
        };
        let trail = Trail { parent: here.at.trail, step };
        let at = ValueLocation { trail: Some(&trail), ..here.at };
        let own = MemoField::boxed(member);
        let mut demands = Vec::new();
        for speaker in speakers {
            let Speaker { part, outer, inner, depth, .. } = *speaker;
            let scope = match part.map {
                true => inner,
                false => ReferenceScope { own: Some(&*own), ..inner },
            };
            let before = demands.len();
            demands.extend(part.own_gates_of(name).map(|gate| Demand { gate, scope, depth }));
            if part.rest == Rest::Closed && demands.len() == before {
                self.strange(speakers, speaker, name, member, at, secret_key)?;
            }
            demands.extend(part.values.iter().map(|gate| Demand { gate: *gate, scope: outer, depth }));
        }
        match demands.is_empty() {
            true => Flow::Continue(()),
            false => self.visit(member, demands, at),
        }
    }

    /// Reports a member that a closed object does not know.
    pub(super) fn strange<'v, V: View<'v>>(
        &mut self,
        speakers: &[Speaker<'_>],
        speaker: &Speaker<'_>,
        name: Node<'_>,
        member: V,
        at: ValueLocation<'_>,
        secret_key: bool,
    ) -> Flow {
        let part = speaker.part;
        let (shown, near) = match name {
            _ if secret_key => (MASK.to_owned(), None),
            Node::Text(name) => (name.to_owned(), self.suggest(name, part.names.iter())),
            other => (show::node_text(other), None),
        };
        // Others may know it, and it may be what it was mistaken for.
        let known = speakers.iter().flat_map(|speaker| speaker.part.gates_of(name));
        let meant = near.into_iter().flat_map(|near| part.gates_of(Node::Text(near)));
        let gates: Vec<&Gate> = known.chain(meant).filter_map(|id| self.walk.gate(id)).collect();
        let at = ValueLocation { secret: at.secret || gates.iter().any(|gate| gate.secret), ..at };
        let hint = match (near, part.names.is_empty()) {
            (Some(nearest), _) => Some(format!("did you mean `{nearest}`?")),
            (None, true) => None,
            (None, false) => Some(format!(
                "known are {}",
                ExpectedTexts::some(part.names.iter().take(SUGGESTED).map(quoted))
            )),
        };
        let expected = Expected::KnownProperty(shown.into());
        let here = ReportedValue { value: member, node: member.node(), at, gates: &gates };
        self.report(
            &here,
            ViolationDraft { hint, ..ViolationDraft::form(&form::CLOSED, expected, speaker.gate.place) },
        )
    }
}

/// A gate with something to say about the members of an object, and what its references reach.
pub(super) struct Speaker<'s> {
    gate: &'s Gate,
    part: &'s ObjectPart,
    /// For rules on all keys and values, which are rules on the object.
    outer: ReferenceScope<'s>,
    /// For rules on properties.
    inner: ReferenceScope<'s>,
    depth: u32,
}

/// Which known properties an object has.
pub(super) fn seen<'v, V: View<'v>>(part: &ObjectPart, value: V) -> Vec<bool> {
    let mut seen = vec![false; part.properties.len()];
    for position in value.members().filter_map(|(key, _)| part.find(key.node())) {
        if let Some(seen) = seen.get_mut(position) {
            *seen = true;
        }
    }
    seen
}
