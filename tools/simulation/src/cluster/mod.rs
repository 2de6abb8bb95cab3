//! Several nodes on one database, with crashes, pauses, skewed clocks, lost connections and lost answers from a seed.
//!
//! The nodes are the real [`Node`](machine::node::NodeCore) and the real machines of deployments; the database is a model with the
//! isolation of a real one (`database`). A seed decides everything else. What was committed is held against what several nodes
//! on one state promise (`history`):
//!
//! - A deployment that was acknowledged is durable, and reaches an end that its record tells truly.
//! - A step is confirmed once, and nothing is sent for it afterwards.
//! - Who lost a lease writes nothing, and calls no provider once another has it.
//! - One deployment of a name is under way at a time.
//! - A wish to stop that was acknowledged at any node is heard.
//! - When the faults stop, everything ends: also deployments that end each node that works on them, after three starts without a step between them, and
//!   without taking others with them.
//!
//! [`Mutation`] breaks the protocol on purpose, to show that the simulation would notice.

mod clients;
mod database;
mod history;
mod process;
mod world;

pub use world::{ClusterStats, run, run_mutated};

/// A mistake in the protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mutation {
    /// No mistake: the protocol as it is.
    #[default]
    None,
    /// Batches are written whoever has the lease.
    SkipFence,
    /// The fence is read without locking its row, so that a claim can come between reading and writing.
    FenceWithoutLock,
    /// A lease is renewed for whoever asks.
    RenewWithoutCheck,
    /// A claim leaves the fence as it is.
    ClaimWithoutFence,
    /// A claim forgets that the deployment was asked to stop.
    ForgetCancel,
    /// A deployment is acknowledged before it is durable.
    AckBeforeCommit,
    /// Starts are not counted.
    SkipCount,
    /// All that were taken over begin together, also those whose start would be the last one.
    BeginTogether,
    /// A node calls providers without looking whether its lease has run out.
    CallWithoutLease,
}
