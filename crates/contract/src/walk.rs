//! What a walk over a value carries along: the gates, the host, and how much it may still cost.

use std::cell::{Cell, RefCell};

use value::Node;

use crate::check::GateCheck;
use crate::gate_id::GateId;
use crate::host::Host;
use crate::program::Gate;

/// Every so many bytes of text that are looked at count as one more step.
pub(crate) const LONG: usize = 1024;

/// What a walk over a value needs at every step.
pub(crate) struct CheckWalk<'c> {
    pub(crate) gates: &'c [Gate],
    /// What the quick walk runs, by the same numbers.
    pub(crate) checks: &'c [GateCheck],
    pub(crate) host: &'c dyn Host,
    /// Whether rules refer to fields at all; if not, scopes need not be kept.
    pub(crate) scoped: bool,
    /// Whether some value must not be printed.
    pub(crate) secrets: bool,
    /// How many more times a value may meet a gate.
    pub(crate) work: Cell<u64>,
    /// Whether a limit was met.
    pub(crate) exhausted: Cell<bool>,
    /// Whether the next object is but tried: one of several alternatives, most of which it will not be.
    pub(crate) tried: Cell<bool>,
    /// Whether parts of the value may be unknown, so that rules can be undecided.
    pub(crate) partial: bool,
    /// Which known properties were seen, for objects with very many; a stack, as objects nest.
    pub(crate) seen: RefCell<Vec<u64>>,
}

impl<'c> CheckWalk<'c> {
    /// A walk through gates, with so many steps to go.
    pub(crate) fn new(
        gates: &'c [Gate],
        checks: &'c [GateCheck],
        host: &'c dyn Host,
        scoped: bool,
        work: u64,
    ) -> CheckWalk<'c> {
        let (work, exhausted) = (Cell::new(work), Cell::new(false));
        let (tried, seen) = (Cell::new(false), RefCell::default());
        CheckWalk {
            gates,
            checks,
            host,
            scoped,
            secrets: false,
            work,
            exhausted,
            tried,
            partial: false,
            seen,
        }
    }

    /// A walk that meets no further gate, for rules on constants.
    pub(crate) fn alone(host: &'c dyn Host) -> CheckWalk<'c> {
        CheckWalk::new(&[], &[], host, false, u64::MAX)
    }

    /// A gate by its number; a number that is none is a gate that nothing passes.
    #[inline]
    pub(crate) fn gate(&self, id: GateId) -> Option<&Gate> {
        self.gates.get(id as usize)
    }

    /// Counts one meeting of a value and a gate, or more if the value is long; false once the limit is met.
    pub(crate) fn spend_on(&self, gate: &Gate, node: Node<'_>) -> bool {
        self.spend(match node {
            Node::Text(text) => 1 + text.len() / LONG * gate.rules.len(),
            Node::Bytes(bytes) => 1 + bytes.len() / LONG * gate.rules.len(),
            Node::List(len) | Node::Object(len) => 1 + len / LONG,
            _ => 1,
        })
    }

    /// Counts steps; false once the limit is met.
    #[inline]
    pub(crate) fn spend(&self, steps: usize) -> bool {
        match self.work.get().checked_sub(steps as u64) {
            Some(left) => {
                self.work.set(left);
                true
            }
            None => {
                self.work.set(0);
                self.exhausted.set(true);
                false
            }
        }
    }
}
