//! How long leases last, and how often the store is asked.

/// The times of a node in milliseconds, and its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseTimings {
    /// How long a lease is good for without being renewed.
    pub lease: u64,
    /// How often leases are renewed.
    pub renew: u64,
    /// How long before its end a lease counts as run out, because clocks do not run alike.
    pub margin: u64,
    /// How often it is looked for deployments that nobody works on.
    pub claim: u64,
    /// The longest pause between two looks, when nothing was found for a while.
    pub claim_idle: u64,
    /// How soon after a hint it is looked.
    pub hint: u64,
    /// How many deployments are claimed at most in one go.
    pub batch: usize,
    /// How many deployments a node has at most before it claims no more. What clients bring to it, it always takes.
    pub capacity: usize,
}

impl LeaseTimings {
    /// That of a server. A dead node's deployments go on elsewhere after at most [`LeaseTimings::lease`] and [`LeaseTimings::claim_idle`].
    pub const USUAL: LeaseTimings = LeaseTimings {
        lease: 5_000,
        renew: 1_250,
        margin: 500,
        claim: 250,
        claim_idle: 750,
        hint: 10,
        batch: 32,
        capacity: 256,
    };

    /// The first moment at which a lease may have run out that was asked for at a moment.
    pub fn good_until(&self, asked: u64) -> u64 {
        asked.saturating_add(self.lease.saturating_sub(self.margin))
    }

    /// How long to wait after nothing was found so many times in a row.
    pub(super) fn pause(&self, idle: u32) -> u64 {
        self.claim.saturating_mul(1 << idle.min(8)).min(self.claim_idle.max(self.claim))
    }

    /// How long a deployment is left alone that goes wrong: longer with every time that it was claimed.
    pub(super) fn park(&self, claims: u64) -> u64 {
        self.lease.saturating_mul(claims.clamp(1, 12))
    }
}
