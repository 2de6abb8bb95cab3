//! How much work a compilation may be. Programs can be made that double with each line; where that has no end, the
//! work has one.
//!
//! Work is counted, not timed, so that a program is refused on every machine or on none. A step is the type of an
//! expression, a comparison of a value with a type, a part of a value that is worked out, or some bytes of a template.

use syntax::NodeId;

/// The most steps for a program and all files that it needs. All programs of the public registry stay below it.
pub const MAX_WORK: u64 = 20_000_000;

/// The most bytes of a template. A deployment takes four million.
pub(crate) const MAX_TEMPLATE: usize = 32 << 20;

/// How many bytes of a template are a step: they are only hashed and copied.
const BYTES: usize = 1024;

/// The steps that a template of this length counts for.
pub(crate) fn written(bytes: usize) -> u64 {
    (bytes / BYTES) as u64
}

/// Counts the steps of one file.
#[derive(Debug)]
pub(crate) struct WorkBudget {
    used: u64,
    limit: u64,
    /// The node at which the limit was reached.
    overrun: Option<NodeId>,
}

impl Default for WorkBudget {
    fn default() -> WorkBudget {
        WorkBudget { used: 0, limit: MAX_WORK, overrun: None }
    }
}

impl WorkBudget {
    /// Counts steps for a node; false when there are none left.
    pub(crate) fn spend(&mut self, node: NodeId, steps: usize) -> bool {
        if self.overrun.is_some() {
            return false;
        }
        self.used = self.used.saturating_add(steps as u64);
        if self.used <= self.limit {
            return true;
        }
        self.overrun.get_or_insert(node);
        false
    }

    /// How many steps were counted.
    pub(crate) fn used(&self) -> u64 {
        self.used
    }

    /// The node at which the limit was reached.
    pub(crate) fn overrun(&self) -> Option<NodeId> {
        self.overrun
    }
}
