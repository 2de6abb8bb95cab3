//! Everything that a state has, to be carried into another one.
//!
//! Batches that were written are not part of it, and of leases only what must go on: how often they were claimed, and whether somebody
//! asked the deployment to stop. Nobody holds a lease in the new state.

use contract::Admitted;

use crate::record::{Deployment, Operation, Resource, RunId, StepRecord};
use crate::{Result, Store};

/// A row of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BackupRecord {
    /// A deployment, with what goes on about its lease.
    Deployment {
        /// What is kept of it.
        deployment: Deployment,
        /// How often its lease was claimed: claims go on from there.
        fence: u64,
        /// Whether somebody asked it to stop.
        canceled: bool,
    },
    /// A step of a run.
    Step(StepRecord),
    /// An operation of a run.
    Operation(Operation),
    /// A part of a run that is kept apart.
    Blob {
        /// The run that forgets it when it is forgotten itself.
        run: RunId,
        /// The name of the part.
        name: String,
        /// Its bytes, sealed if they are secret.
        bytes: Vec<u8>,
    },
    /// A resource, with its version.
    Resource(Resource),
}

/// Rows on their way into a state: whoever brings them has asked what they are.
pub type Rows<'r> = &'r mut (dyn Iterator<Item = Result<Admitted<BackupRecord>>> + Send);

/// Who takes rows out of a state.
pub type Take<'t> = &'t mut (dyn FnMut(BackupRecord) -> Result<()> + Send);

/// A state that can be carried elsewhere as a whole.
pub trait Backup: Store {
    /// Hands out every row, as all of them were at one moment: deployments and resources by their keys, what belongs to a run by run. Nobody who
    /// uses the state meanwhile has to wait.
    fn export(&self, take: Take<'_>) -> Result<()>;

    /// Takes in rows, all of them or none. A state that has something in it is refused, or emptied first if
    /// that is wanted. Answers with the number of rows.
    fn import(&self, rows: Rows<'_>, replace: bool) -> Result<u64>;
}
