//! The numbers by which gates and checks refer to each other.

/// The number of a gate in its contract.
pub(crate) type GateId = u32;

/// What the parts may be that a shape does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// They are not looked at.
    Open,
    /// There may be none.
    Closed,
    /// What passes a gate.
    Gate(GateId),
}

impl Rest {
    /// The gate, if there is one.
    pub(crate) fn gate(self) -> Option<GateId> {
        match self {
            Rest::Gate(gate) => Some(gate),
            Rest::Open | Rest::Closed => None,
        }
    }
}
