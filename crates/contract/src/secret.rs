//! Which parts of a value must not be printed.
//!
//! A violation masks its own value, but whoever shows a value's source shows the lines around it, too. This walk
//! finds every secret in a value, valid or not. It errs on the side of silence: of the alternatives of a union all
//! count, and what lies beyond the limits is a secret as a whole.

use std::cmp::Reverse;

use crate::contract::Contract;
use crate::limits::Limits;
use crate::program::{Choice, Gate, GateId, ListPart, ObjectPart};
use crate::show::MASK;
use crate::view::{Node, Place, View};
use crate::violation::Violation;

impl Contract {
    /// Whether some shape of the contract is a secret.
    pub fn has_secrets(&self) -> bool {
        self.secrets
    }

    /// The places of all secrets in a value, in order, the outermost of those that lie in each other.
    ///
    /// Values without a place are left out: they have no source that could be shown.
    pub fn secrets<'v, V: View<'v>>(&self, value: V) -> Vec<Place> {
        self.secrets_from(self.root, value)
    }

    fn secrets_from<'v, V: View<'v>>(&self, root: GateId, value: V) -> Vec<Place> {
        if !self.secrets {
            return Vec::new();
        }
        let limits = Limits::default();
        let mut search = Search { gates: &self.gates, work: limits.work, places: Vec::new() };
        let mut places = match search.visit(root, value, Limits::DEEPEST) {
            Some(()) => search.places,
            None => value.place().into_iter().collect(),
        };
        places.sort_by_key(|place| (place.file, place.start, Reverse(place.end)));
        places.dedup_by(|next, kept| next.file == kept.file && next.end <= kept.end);
        places
    }

    /// Masks violations of values that are secret by another branch of the contract than the one they break.
    pub(crate) fn mask<'v, V: View<'v>>(&self, root: GateId, value: V, violations: &mut [Violation]) {
        let secrets = self.secrets_from(root, value);
        for violation in violations {
            let Some(place) = violation.place else { continue };
            let after =
                secrets.partition_point(|secret| (secret.file, secret.start) <= (place.file, place.start));
            let before = after.checked_sub(1).and_then(|at| secrets.get(at));
            if before.is_some_and(|secret| secret.file == place.file && place.end <= secret.end) {
                violation.found = Some(MASK.into());
                violation.hint = None;
                // Rules on length end with the length that was found.
                if let Some((demand, _)) = violation.message.rsplit_once(", has ") {
                    violation.message = demand.into();
                }
            }
        }
    }
}

struct Search<'c> {
    gates: &'c [Gate],
    work: u64,
    places: Vec<Place>,
}

impl Search<'_> {
    /// Notes the secrets of a value; `None` once the limit of work is met.
    fn visit<'v, V: View<'v>>(&mut self, id: GateId, value: V, depth: u32) -> Option<()> {
        self.work = self.work.checked_sub(1)?;
        let Some(gate) = self.gates.get(id as usize) else { return Some(()) };
        let Some(below) = depth.checked_sub(1).filter(|_| !gate.secret) else {
            self.places.extend(value.place());
            return Some(());
        };
        match (&gate.list, &gate.object) {
            (Some(part), _) if matches!(value.node(), Node::List(_)) => self.list(part, value, below)?,
            (_, Some(part)) if matches!(value.node(), Node::Object(_)) => self.object(part, value, below)?,
            _ => {}
        }
        let choice: &[GateId] = match gate.choice.as_deref() {
            Some(Choice::Any(gates) | Choice::One(gates) | Choice::Property { gates, .. }) => gates,
            Some(Choice::Kind(gates)) => gates.get(value.node().kind() as usize)?.as_slice(),
            None => &[],
        };
        let rules = gate.rules.iter().filter_map(|rule| rule.gate.as_ref());
        gate.also.iter().chain(choice).chain(rules).try_for_each(|id| self.visit(*id, value, below))
    }

    fn list<'v, V: View<'v>>(&mut self, part: &ListPart, value: V, depth: u32) -> Option<()> {
        for (index, item) in value.items().enumerate() {
            for id in part.gate_at(index).iter().chain(&part.each) {
                self.visit(*id, item, depth)?;
            }
        }
        Some(())
    }

    fn object<'v, V: View<'v>>(&mut self, part: &ObjectPart, value: V, depth: u32) -> Option<()> {
        for (key, member) in value.members() {
            part.keys.iter().try_for_each(|id| self.visit(*id, key, depth))?;
            for id in part.gates_of(key.node()).chain(part.values.iter().copied()) {
                self.visit(id, member, depth)?;
            }
        }
        Some(())
    }
}

impl ObjectPart {
    /// The gates of a member, without those that every member has.
    fn gates_of(&self, name: Node<'_>) -> impl Iterator<Item = GateId> {
        let property = self.find(name).and_then(|position| self.properties.get(position));
        let mut gates: Vec<GateId> = property.map(|property| property.gate).into_iter().collect();
        if let Node::Text(name) = name {
            let fitting = self.patterns.iter().filter(|(pattern, _)| pattern.is_match(name.as_bytes()));
            gates.extend(fitting.map(|(_, gate)| *gate));
        }
        if gates.is_empty()
            && let crate::program::Rest::Gate(gate) = self.rest
        {
            gates.push(gate);
        }
        gates.into_iter()
    }
}
