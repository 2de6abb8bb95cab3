//! Where a rule leads the same value that chooses between shapes.

use crate::gate_id::GateId;

/// A test on a value, and the gates that its outcome leads to.
#[derive(Clone, Debug)]
pub(crate) struct Branch {
    pub(crate) test: BranchTest,
    pub(crate) then: Option<GateId>,
    pub(crate) otherwise: Option<GateId>,
}

/// What decides which way a branch takes.
#[derive(Clone, Debug)]
pub(crate) enum BranchTest {
    /// Whether the value passes a gate.
    Gate(GateId),
    /// Whether the value is an object with a property of that name.
    Member(Box<str>),
}

impl Branch {
    /// The gates that decide and those that are decided between.
    pub(crate) fn gates(&self) -> impl Iterator<Item = GateId> {
        let test = match self.test {
            BranchTest::Gate(gate) => Some(gate),
            BranchTest::Member(_) => None,
        };
        [test, self.then, self.otherwise].into_iter().flatten()
    }
}
