//! Which parts of a value must not be printed.
//!
//! A violation masks its own value, but whoever shows a value's source shows the lines around it, too. This walk
//! finds every secret in a value, valid or not. It errs on the side of silence: of the alternatives of a union all
//! count, what lies beyond the limits is a secret as a whole, and a member that nothing knows may be a misspelt one
//! ([`stranger`](crate::stranger)).

use std::cmp::Reverse;
use std::collections::BTreeSet;

use diagnostics::Span;

use crate::contract::Contract;
use crate::gate_id::GateId;
use crate::limits::CheckLimits;
use crate::program::{Gate, ObjectPart};
use value::{Node, ValueKind, View};

impl Contract {
    /// Whether some shape of the contract is a secret.
    pub fn has_secrets(&self) -> bool {
        self.program.secrets
    }

    /// The places of all secrets in a value, in order, the outermost of those that lie in each other.
    ///
    /// Values without a place are left out: they have no source that could be shown.
    pub fn secrets<'v, V: View<'v>>(&self, value: V) -> Vec<Span> {
        if !self.program.secrets {
            return Vec::new();
        }
        let limits = CheckLimits::default();
        let mut search = Search { gates: &self.program.gates, work: limits.work, places: Vec::new() };
        let mut places = match search.visit(self.program.root, value, CheckLimits::DEEPEST) {
            Some(()) => search.places,
            None => value.place().into_iter().collect(),
        };
        places.extend(self.misspelt_secrets(value));
        places.extend(self.strangers(value));
        places.sort_by_key(|place| (place.file, place.start, Reverse(place.end)));
        places.dedup_by(|next, kept| next.file == kept.file && next.end <= kept.end);
        places
    }
}

impl Contract {
    /// The places of members that are most likely a secret property, misspelt or misplaced, wherever they are: the name differs from that of
    /// a secret property only in case, or is the same and no other property has it.
    pub fn misspelt_secrets<'v, V: View<'v>>(&self, value: V) -> Vec<Span> {
        let mut names = SecretNames::default();
        for part in self.program.gates.iter().filter_map(|gate| gate.object.as_deref()) {
            for (position, property) in part.properties.iter().enumerate() {
                let name = part.names.name(position);
                match self.program.gates.get(property.gate as usize).is_some_and(|gate| gate.secret) {
                    true => names.secret.insert(name.to_lowercase()),
                    false => names.open.insert(name.to_owned()),
                };
            }
        }
        let mut places = Vec::new();
        if !names.secret.is_empty() {
            names.find(value, CheckLimits::DEEPEST, &mut places);
        }
        places
    }
}

/// The names of properties.
#[derive(Default)]
struct SecretNames {
    /// Those of secrets, in lower case.
    secret: BTreeSet<String>,
    /// Those of all others, as they are written.
    open: BTreeSet<String>,
}

impl SecretNames {
    fn find<'v, V: View<'v>>(&self, value: V, depth: u32, places: &mut Vec<Span>) {
        let Some(below) = depth.checked_sub(1) else {
            places.extend(value.place());
            return;
        };
        match value.node() {
            Node::List(_) => value.items().for_each(|item| self.find(item, below, places)),
            Node::Object(_) => {
                for (key, member) in value.members() {
                    match key.node() {
                        Node::Text(name)
                            if !self.open.contains(name) && self.secret.contains(&name.to_lowercase()) =>
                        {
                            places.extend(member.place());
                        }
                        _ => self.find(member, below, places),
                    }
                }
            }
            _ => {}
        }
    }
}

struct Search<'c> {
    gates: &'c [Gate],
    work: u64,
    places: Vec<Span>,
}

impl<'c> Search<'c> {
    /// Notes the secrets of a value; `None` once the limit of work is met.
    fn visit<'v, V: View<'v>>(&mut self, id: GateId, value: V, depth: u32) -> Option<()> {
        self.work = self.work.checked_sub(1)?;
        let gates: &'c [Gate] = self.gates;
        let gate = gates.get(id as usize).filter(|gate| gate.secret || gate.veiled);
        let Some(gate) = gate else { return Some(()) };
        let Some(below) = depth.checked_sub(1).filter(|_| !gate.secret) else {
            self.places.extend(value.place());
            return Some(());
        };
        let kind = value.node().kind();
        if gate.misses_secrets(kind) {
            self.places.extend(value.place());
            return Some(());
        }
        match (value.node(), &gate.object) {
            (Node::List(_), _) => self.list(gate, value, below)?,
            (Node::Object(_), Some(part)) => self.object(part, value, below)?,
            _ => {}
        }
        let has_parts = matches!(kind, ValueKind::List | ValueKind::Object);
        for id in gate.same_value() {
            // Text that one alternative takes is not taken for a secret because another takes objects alone.
            let next = gates.get(id as usize);
            if has_parts || next.is_none_or(|next| next.may_take(kind)) {
                self.visit(id, value, below)?;
            }
        }
        Some(())
    }

    fn list<'v, V: View<'v>>(&mut self, gate: &Gate, value: V, depth: u32) -> Option<()> {
        for (index, item) in value.items().enumerate() {
            for id in gate.gates_of_item(index) {
                self.visit(id, item, depth)?;
            }
        }
        Some(())
    }

    fn object<'v, V: View<'v>>(&mut self, part: &ObjectPart, value: V, depth: u32) -> Option<()> {
        for (key, member) in value.members() {
            part.keys.iter().try_for_each(|id| self.visit(*id, key, depth))?;
            for id in part.gates_of(key.node()) {
                self.visit(id, member, depth)?;
            }
        }
        Some(())
    }
}
