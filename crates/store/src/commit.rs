//! What is written, and under which conditions.

use std::collections::BTreeSet;

use value::Caseless as _;

use crate::lease::Fence;
use crate::record::{Deployment, DeploymentKey, Operation, Resource, ResourceId, RunId, StepRecord};

/// The name of a batch: the same batch sent twice is written once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BatchId {
    /// The run that the batch belongs to.
    pub run: RunId,
    /// Its number in the run.
    pub number: u64,
}

/// A batch: written as a whole, or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The same in every attempt to write the batch, so that it is written once.
    pub id: BatchId,
    /// The lease that it is written under; none for what needs no lease, such as accepting a deployment. Without a lease, a batch of
    /// a run that was forgotten is refused: it was written before.
    pub fence: Option<Fence>,
    /// All of them must hold at the moment at which the batch is written; the first that does not is answered.
    pub conditions: Vec<Condition>,
    /// What is written, in this order.
    pub writes: Vec<Write>,
}

/// What must hold when a batch is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// No deployment of that scope and name is active.
    NotActive(DeploymentKey),
    /// The deployment of that scope and name is this run.
    Current(DeploymentKey, RunId),
    /// The resource has this version; none means that there is no such resource.
    ResourceVersion(ResourceId, Option<u64>),
    /// The resource is there, whatever its version: those who only need it do not stand in the way of each other.
    Present(ResourceId),
    /// There is no such resource. Who puts one has a condition on the same record as who asks for this; then one of the two is
    /// first, and the other sees it.
    NoResource(Like),
}

/// Resources whose ids have something in common, regardless of case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Like {
    below: ResourceId,
    part: String,
    except: BTreeSet<ResourceId>,
}

impl Like {
    /// Those whose ids begin with `below` and have `part` somewhere in them.
    pub fn new(below: &str, part: &str) -> Like {
        Like { below: ResourceId::new(below), part: part.caseless(), except: BTreeSet::new() }
    }

    /// The same without some of them: those that a batch deletes itself, for example.
    #[must_use]
    pub fn except(self, ids: impl IntoIterator<Item = ResourceId>) -> Like {
        Like { except: ids.into_iter().collect(), ..self }
    }

    /// What the ids begin with.
    pub fn below(&self) -> &ResourceId {
        &self.below
    }

    /// What the ids have in them.
    pub fn part(&self) -> &str {
        &self.part
    }

    /// Among how many resources with such ids one of them is for certain.
    pub(crate) fn enough(&self) -> usize {
        self.except.len().saturating_add(1)
    }

    /// Whether a resource is one of them.
    pub fn is(&self, id: &ResourceId) -> bool {
        id.as_str().starts_with(self.below.as_str())
            && id.as_str().contains(&self.part)
            && !self.except.contains(id)
    }
}

/// A change of one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// Keeps a deployment. Another run under its key is forgotten, with all its steps, operations and blobs.
    Deployment(Deployment),
    /// Forgets a deployment and all that belongs to its run; the resources stay.
    DeleteDeployment(DeploymentKey),
    /// Takes the lease on a run that this batch begins, and that therefore nobody has: its fence is 1.
    Lease {
        /// The run that this batch begins.
        run: RunId,
        /// The node that takes it, as others are told who has the lease.
        owner: String,
        /// For how long, in milliseconds of the store's clock.
        milliseconds: u64,
    },
    /// Keeps a step; one of the same run and number is replaced.
    Step(StepRecord),
    /// Keeps an operation; one of the same run and number is replaced.
    Operation(Operation),
    /// Keeps a part of a run apart from its record.
    Blob {
        /// The run that forgets it when it is forgotten itself.
        run: RunId,
        /// The name of the part.
        name: String,
        /// Its bytes; sealed if they are secret.
        bytes: Vec<u8>,
    },
    /// Erases a part of a run.
    DeleteBlob {
        /// The run that the part belongs to.
        run: RunId,
        /// The name of the part.
        name: String,
    },
    /// Keeps a resource; the store raises its version, whatever the record says.
    Resource(Resource),
    /// Forgets a resource, and its version; one that is not there is no error.
    DeleteResource(ResourceId),
}

/// How long a run is remembered after it was forgotten, in milliseconds: far longer than anybody sends a batch again.
///
/// A batch without a fence, which begins a run, would be written anew if the store had forgotten that it was written before.
pub(crate) const REMEMBERED: i64 = 60 * 60 * 1_000;

/// What became of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommitOutcome {
    /// It is durable; perhaps it was already.
    Committed,
    /// The lease was lost: nothing was written, and nothing will be under this fence. Without a fence: the run was forgotten.
    Fenced,
    /// A condition does not hold: nothing was written.
    Conflict {
        /// The position of the condition.
        condition: usize,
    },
    /// Nobody can say whether it was written: send it again.
    Unknown(String),
}
