//! Who works on a deployment.

use crate::record::{Deployment, RunId};

/// The number that every claim raises: what a batch shows to prove that nobody has claimed since.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fence {
    /// The run whose lease it is.
    pub run: RunId,
    /// Counts the claims of the run, from 1.
    pub number: u64,
}

/// The right to work on a deployment until a moment of the store's clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The outermost run; those inside it are worked on under the same lease.
    pub run: RunId,
    /// The node that has it, as it called itself when it claimed.
    pub owner: String,
    /// What batches carry to prove that nobody has claimed the run since.
    pub fence: Fence,
    /// When it runs out, in milliseconds of the store's clock.
    pub until: i64,
    /// Whether somebody asked the deployment to stop.
    pub canceled: bool,
}

/// A deployment that nobody worked on, and the lease on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// The deployment, as it was kept when it was claimed.
    pub deployment: Deployment,
    /// The lease, which is yours.
    pub lease: Lease,
}

/// The answer to a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The lease is yours.
    Granted(Lease),
    /// Another has it, and it has not run out.
    Taken {
        /// The node, as it called itself when it claimed.
        owner: String,
        /// For how many milliseconds more, if it is not renewed.
        remaining: u64,
    },
    /// There is no active deployment of that run.
    Gone,
}
