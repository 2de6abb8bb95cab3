//! What is kept of a deployment, and how: each kind of record is a type, with one form for the store and, where the REST API shows it, one
//! for that.
//!
//! [`Record`] is what the machine wants kept. `codec` turns it into what the store writes, and reads what the store has.

mod codec;
mod deployment_record;
mod operation_record;
mod resource_record;
mod secret_marks;
mod step_end;
mod stored_text;

use smol_str::SmolStr;
use store::{DeploymentKey, RunId, Status};

pub use codec::{
    FORMAT, INPUTS, SECRETS, Sealer, Stored, StoredRun, TEMPLATE, condition, encode, link_blob, load,
    purpose, step_blob,
};
pub use deployment_record::{
    DEPLOYMENTS, DeploymentRecord, RunEnd, ShownOutput, deployment_id, guid, succeeded_state, with_outputs,
};
pub use operation_record::{OperationRecord, OperationTarget};
pub use resource_record::{ResourceRecord, admit_body};
pub use secret_marks::{marked, unmarked};
pub use step_end::StepEnd;
pub use stored_text::{LoadError, damaged, parse};

/// A change that a machine wants kept, in its own types; `encode` makes writes of the store of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// A deployment that was accepted, goes on, or has ended.
    Deployment {
        /// The run that the record speaks of.
        run: RunId,
        /// The outermost run, under whose lease it is written; for that itself, the same as `run`.
        root: RunId,
        /// Where it is found.
        key: DeploymentKey,
        /// Whether it still runs.
        status: Status,
        /// When it was accepted: the order of listings.
        order: i64,
        /// What is kept of it, without secrets.
        record: Box<DeploymentRecord>,
    },
    /// The end of a step.
    Step {
        /// The run that the step is of.
        run: RunId,
        /// The number of the step.
        number: u32,
        /// How it ended, with what later steps read of it.
        ended: StepEnd,
    },
    /// Something that was done.
    Operation {
        /// The run that it was done for.
        run: RunId,
        /// Its number, from 1.
        number: u32,
        /// What was done, for people who look at the deployment.
        record: Box<OperationRecord>,
    },
    /// The state of a local resource.
    PutResource {
        /// Its id, as its first writer spelled it.
        id: String,
        /// What is kept of it.
        record: ResourceRecord,
    },
    /// A local resource that is gone.
    DeleteResource {
        /// Its id, in any case.
        id: String,
    },
    /// What the records of the same batch were made from: they are written only if it is still so.
    Unchanged {
        /// A record of the store.
        id: String,
        /// Its version; none if it is not there.
        version: Option<u64>,
    },
    /// What the records of the same batch need: they are written only if it is there.
    Present {
        /// A record of the store.
        id: String,
    },
    /// A linked template or parameters file, as it was when it was read.
    Link {
        /// The outermost run, which reads links for all inside it.
        run: RunId,
        /// The address without what is secret in it.
        address: SmolStr,
        /// What was there when it was read first; a resumed deployment reads this.
        text: std::sync::Arc<str>,
    },
    /// The secrets of a run, which are no longer needed.
    EraseSecrets {
        /// The run whose own secrets and those of whose steps are erased.
        run: RunId,
        /// The steps that have some.
        steps: Vec<u32>,
    },
}
