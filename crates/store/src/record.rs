//! What is kept: deployments, their steps and operations, and resources.

use std::fmt;

use value::Caseless as _;

/// The number of the form in which an owner wrote a record, so that a newer program can read what an older one left.
pub type Format = u16;

/// One run of a deployment. A deployment that is put again under its name is another run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub u128);

impl fmt::Debug for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl RunId {
    /// The bytes in the order in which runs are sorted.
    pub(crate) fn bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }
}

/// Where a deployment is found: names do not depend on case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeploymentKey {
    scope: String,
    name: String,
}

impl DeploymentKey {
    /// The key of a deployment in a scope; the scope of the tenant is empty.
    pub fn new(scope: &str, name: &str) -> DeploymentKey {
        DeploymentKey { scope: scope.caseless(), name: name.caseless() }
    }

    /// The scope, in lower case.
    pub fn scope(&self) -> &str {
        &self.scope
    }

    /// The name, in lower case.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Whether a deployment still runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It was accepted and has not ended.
    Active,
    /// It has ended, well or not.
    Ended,
}

/// What is kept of a deployment: one record for a scope and a name, that of its last run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployment {
    /// Where it is found.
    pub key: DeploymentKey,
    /// The run that the record speaks of.
    pub run: RunId,
    /// The run whose lease it is written under: its own, or that of the deployment that it is nested in.
    pub root: RunId,
    /// Whether it still runs.
    pub status: Status,
    /// A number that grows from run to run: the order of listings.
    pub order: i64,
    /// The form of the body.
    pub format: Format,
    /// What its owner says of it.
    pub body: String,
}

/// How far a step has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Something is about to be done that may not be done twice without knowing.
    Intended,
    /// It is done, and its result is in the body.
    Confirmed,
}

/// A step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepRecord {
    /// The run that it is a step of.
    pub run: RunId,
    /// Its number in the plan.
    pub number: u32,
    /// How far it has come.
    pub phase: Phase,
    /// The form of the body.
    pub format: Format,
    /// What its owner says of it.
    pub body: String,
}

/// Something that was done, for people who look at a deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The run that it was done for.
    pub run: RunId,
    /// Its number in the run, from one.
    pub number: u32,
    /// The form of the body.
    pub format: Format,
    /// What its owner says of it.
    pub body: String,
}

/// The id of a resource, which does not depend on case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceId(String);

impl ResourceId {
    /// The id of a resource.
    pub fn new(id: &str) -> ResourceId {
        ResourceId(id.caseless())
    }

    /// The id in lower case.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A resource as it was last written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// Its id, as its first writer spelled it.
    pub id: String,
    /// Grows with every write; what conditions compare with.
    pub version: u64,
    /// The form of the body.
    pub format: Format,
    /// What its owner says of it.
    pub body: String,
}

/// A part of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// How many rows come before it.
    pub skip: usize,
    /// How many rows it has at most.
    pub take: usize,
}

/// A part of a listing of deployments that begins behind a place, which stays where it is when others come and go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageAfter {
    /// The order and the run of the deployment before it; `None` for the first page.
    pub after: Option<(i64, RunId)>,
    /// How many rows it has at most.
    pub take: usize,
}

impl Page {
    /// The whole listing; only for what is known to be short.
    pub const ALL: Page = Page { skip: 0, take: usize::MAX };
}

/// What a scope has: the resources and deployments of a resource group, without those of groups inside of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScopeUsage {
    /// How many resources there are.
    pub resources: u64,
    /// How many deployments are under way.
    pub active: u64,
    /// The bytes of resources and of the records of deployments with all their parts, about.
    pub bytes: u64,
}
