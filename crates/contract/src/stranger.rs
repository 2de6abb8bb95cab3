//! Members that nothing in a contract knows: where the contract has secrets, a wrong name may be that of one.

use diagnostics::{Span, suggest};
use std::collections::BTreeSet;

use crate::contract::Contract;
use crate::gate_id::{GateId, Rest};
use crate::limits::CheckLimits;
use crate::program::{Gate, ObjectPart};
use value::{Node, View};

/// Values that more gates speak of are strangers as a whole: telling their members apart would cost too much.
const MOST: usize = 64;

impl Contract {
    /// The places of members that an object may not have, and of those that are called almost like a secret.
    pub(crate) fn strangers<'v, V: View<'v>>(&self, value: V) -> Vec<Span> {
        let gates = &self.program.gates;
        let parts = || gates.iter().filter_map(|gate| gate.object.as_deref());
        let mut names = PropertyNames::default();
        for (part, property) in parts().flat_map(|part| part.properties.iter().map(move |it| (part, it))) {
            let is_secret = gates.get(property.gate as usize).is_some_and(|gate| gate.secret);
            let list = if is_secret { &mut names.secret } else { &mut names.other };
            list.insert(part.name_of(property).to_owned());
        }
        let mut search = Search { gates, names, work: CheckLimits::default().work, places: Vec::new() };
        match search.visit(&[self.program.root], value, CheckLimits::DEEPEST) {
            Some(()) => search.places,
            None => value.place().into_iter().collect(),
        }
    }
}

/// The names of all properties.
#[derive(Default)]
struct PropertyNames {
    secret: BTreeSet<String>,
    other: BTreeSet<String>,
}

impl PropertyNames {
    /// Whether a name is most likely that of a secret, misspelt.
    fn is_misspelt(&self, name: &str) -> bool {
        let is_known = self.secret.contains(name) || self.other.contains(name);
        !is_known && suggest(name, self.secret.iter().map(String::as_str)).is_some()
    }
}

struct Search<'c> {
    gates: &'c [Gate],
    names: PropertyNames,
    work: u64,
    places: Vec<Span>,
}

impl<'c> Search<'c> {
    /// Looks at a value that has to pass some gates; `None` once the limit of work is met.
    fn visit<'v, V: View<'v>>(&mut self, gates: &[GateId], value: V, depth: u32) -> Option<()> {
        let node = value.node();
        if !matches!(node, Node::List(_) | Node::Object(_)) {
            return Some(());
        }
        let Some((below, gates)) = depth.checked_sub(1).zip(self.all(gates)) else {
            self.places.extend(value.place());
            return Some(());
        };
        self.work = self.work.checked_sub(1 + gates.len() as u64)?;
        if let Node::List(_) = node {
            for (index, item) in value.items().enumerate() {
                let met: Vec<GateId> = gates.iter().flat_map(|gate| gate.gates_of_item(index)).collect();
                self.visit(&met, item, below)?;
            }
            return Some(());
        }
        let objects: Vec<&ObjectPart> = gates.iter().filter_map(|gate| gate.object.as_deref()).collect();
        for (key, member) in value.members() {
            let name = key.node();
            self.work = self.work.checked_sub(1 + objects.len() as u64)?;
            let is_known = objects.iter().any(|part| part.own_gates_of(name).next().is_some());
            let is_refused = objects.iter().any(|part| part.rest == Rest::Closed);
            let is_misspelt = matches!(name, Node::Text(name) if self.names.is_misspelt(name));
            if !is_known && is_refused || is_misspelt {
                self.places.extend(member.place());
                continue;
            }
            let met: Vec<GateId> = objects.iter().flat_map(|part| part.gates_of(name)).collect();
            self.visit(&met, member, below)?;
        }
        Some(())
    }

    /// The gates with those that the same value may meet next; `None` if there are too many.
    fn all(&self, gates: &[GateId]) -> Option<Vec<&'c Gate>> {
        let mut ids: Vec<GateId> = gates.to_vec();
        let mut found = Vec::new();
        let mut next = 0;
        while let Some(id) = ids.get(next).copied() {
            next += 1;
            if next > MOST {
                return None;
            }
            let Some(gate) = self.gates.get(id as usize) else { continue };
            found.push(gate);
            for further in gate.same_value() {
                if !ids.contains(&further) {
                    ids.push(further);
                }
            }
        }
        Some(found)
    }
}
