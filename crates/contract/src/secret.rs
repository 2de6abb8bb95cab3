//! Which parts of a value must not be printed.
//!
//! A violation masks its own value, but whoever shows a value's source shows the lines around it, too. This walk
//! finds every secret in a value, valid or not. It errs on the side of silence: of the alternatives of a union all
//! count, and what lies beyond the limits is a secret as a whole.

use std::cmp::Reverse;

use diagnostics::Span;

use crate::contract::Contract;
use crate::limits::Limits;
use crate::program::{Gate, GateId, ListPart, ObjectPart};
use crate::view::{Node, View};

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
        let limits = Limits::default();
        let mut search = Search { gates: &self.program.gates, work: limits.work, places: Vec::new() };
        let mut places = match search.visit(self.program.root, value, Limits::DEEPEST) {
            Some(()) => search.places,
            None => value.place().into_iter().collect(),
        };
        places.sort_by_key(|place| (place.file, place.start, Reverse(place.end)));
        places.dedup_by(|next, kept| next.file == kept.file && next.end <= kept.end);
        places
    }
}

struct Search<'c> {
    gates: &'c [Gate],
    work: u64,
    places: Vec<Span>,
}

impl Search<'_> {
    /// Notes the secrets of a value; `None` once the limit of work is met.
    fn visit<'v, V: View<'v>>(&mut self, id: GateId, value: V, depth: u32) -> Option<()> {
        self.work = self.work.checked_sub(1)?;
        let gate = self.gates.get(id as usize).filter(|gate| gate.secret || gate.veiled);
        let Some(gate) = gate else { return Some(()) };
        let Some(below) = depth.checked_sub(1).filter(|_| !gate.secret) else {
            self.places.extend(value.place());
            return Some(());
        };
        match (&gate.list, &gate.object) {
            (Some(part), _) if matches!(value.node(), Node::List(_)) => self.list(part, value, below)?,
            (_, Some(part)) if matches!(value.node(), Node::Object(_)) => self.object(part, value, below)?,
            _ => {}
        }
        gate.same_value().try_for_each(|id| self.visit(id, value, below))
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
            for id in part.gates_of(key.node()) {
                self.visit(id, member, depth)?;
            }
        }
        Some(())
    }
}
