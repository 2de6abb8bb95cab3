//! The registry: resource types and their resources in a store, each checked before it is kept.
//!
//! A type is kept as one record, a resource as another. What is kept is read by the reader of manifests again, so that a
//! record that somebody else wrote is checked like a file. Commits carry the versions of the records that they were made
//! from: a type that is changed while a resource of it is put lets one of the two begin again.

mod change;
mod compiled;
mod credentials;
mod groups;
mod icons;
mod providers;
mod request_form;
pub(crate) mod resources;
pub(crate) mod secrets;
mod stored;
mod type_version;
mod types;

use std::sync::{Arc, Mutex, PoisonError};

use contract::{Constant, Violation};
use store::{BatchId, Commit, CommitOutcome, Condition, Key, RunId, SealError, Store, StoreError, Write};

use crate::manifest::ManifestResult;
use compiled::UsedTypes;

pub use crate::built_in_types::{API_VERSION, BUILT_IN, BuiltIn, CORE_API_VERSION, built_in};
pub use crate::compiled_schema::CompiledSchema;
pub use change::BrokenResource;
pub use credentials::{CLOUDS, Cloud};
pub use groups::Group;
pub use icons::{Icon, check_icon};
pub use providers::{GLOBAL, Provider, ProviderLocation};
pub use request_form::RequestForm;
pub use resources::{Precondition, PutResource, ResourceRows, StoredResource};
pub use type_version::ResourceTypeVersion;
pub use types::{RegisterResult, RegisteredType};

/// Resource types and their resources.
pub struct Registry {
    store: Arc<dyn Store>,
    pub(crate) key: Key,
    /// Whose turn it is to write. A store writes one batch after the other anyway, and those who wait here do not get into each other's way.
    turn: Mutex<()>,
    /// Types that were used, so that they are not compiled for each resource.
    used: UsedTypes,
}

/// Why the registry refuses something.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// The manifest breaks rules.
    #[error("the manifest has errors")]
    Manifest(Box<ManifestResult>),
    /// The resource breaks the schema of its type.
    #[error("the resource breaks the schema of its type")]
    Resource(Vec<Violation>),
    /// The body of a request does not have the form of what is put.
    #[error("the body of the request does not have the form of what is put")]
    Request(Vec<Violation>),
    /// Something that was named is not there, or is not a name.
    #[error("{0}")]
    Name(String),
    /// Something that was asked for is not there.
    #[error("{0}")]
    Missing(String),
    /// A condition that came along does not hold.
    #[error("{0}")]
    Precondition(&'static str),
    /// The type has no such version, or it has several and none was named.
    #[error("{0}")]
    Version(String),
    /// Resources are there that were made by the type as it is, or that are in the group.
    #[error("`{name}` has resources: {}", .instances.join(", "))]
    InUse {
        /// The type, or the group.
        name: String,
        /// The ids of its resources.
        instances: Vec<String>,
    },
    /// Resources are there that a change of their type would break.
    #[error("the change of `{name}` breaks resources of it")]
    Breaks {
        /// The full name of the type, `Namespace/type`.
        name: String,
        /// Its resources that the change breaks.
        broken: Vec<BrokenResource>,
    },
    /// What is to be read or kept has too many bytes.
    #[error("{0}")]
    TooLarge(String),
    /// Others change the same thing without an end.
    #[error("others change the same thing at the same time; try again")]
    Busy,
    /// Nobody can say whether it was written.
    #[error("the state may not have been written: {0}")]
    Unwritten(String),
    /// The store has failed, or is gone.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A secret cannot be sealed.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// A record does not make sense.
    #[error("the record of `{0}` is damaged")]
    Damaged(String),
}

/// What the registry answers.
pub type Result<T> = std::result::Result<T, RegistryError>;

/// The form of the records.
const FORMAT: store::Format = 1;

/// The member of a record with what was put aside.
pub(crate) const SEALED: &str = "sealed";

/// How often something is tried that others change at the same time.
const TRIES: usize = 16;

impl Registry {
    /// The registry in a store; secrets are sealed with a key that is not in it.
    pub fn new(store: Arc<dyn Store>, key: Key) -> Registry {
        Registry { store, key, turn: Mutex::default(), used: UsedTypes::default() }
    }

    /// Does something until nobody changes what it was made from.
    fn until_settled<T>(
        &self,
        mut make: impl FnMut() -> Result<(T, Vec<Condition>, Vec<Write>)>,
    ) -> Result<T> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        for _ in 0..TRIES {
            let (done, conditions, writes) = make()?;
            if writes.is_empty() {
                return Ok(done);
            }
            let commit = Commit { id: fresh_batch()?, fence: None, conditions, writes };
            match self.commit(&commit) {
                CommitOutcome::Committed => return Ok(done),
                CommitOutcome::Conflict { .. } => {}
                CommitOutcome::Fenced => return Err(RegistryError::Busy),
                CommitOutcome::Unknown(why) => return Err(RegistryError::Unwritten(why)),
            }
        }
        Err(RegistryError::Busy)
    }

    /// Writes a batch; one whose fate is unknown is sent again, which writes it once.
    fn commit(&self, commit: &Commit) -> CommitOutcome {
        let mut outcome = CommitOutcome::Unknown("the store gave no answer".to_owned());
        for _ in 0..TRIES {
            outcome = self.store.commit(std::slice::from_ref(commit)).pop().unwrap_or(outcome);
            if !matches!(outcome, CommitOutcome::Unknown(_)) {
                break;
            }
        }
        outcome
    }
}

/// The name of a batch that nobody has used.
fn fresh_batch() -> Result<BatchId> {
    let bytes = Key::random()?.derive("registry batch", b"")?;
    let run = u128::from_be_bytes(bytes.first_chunk().copied().unwrap_or_default());
    Ok(BatchId { run: RunId(run), number: 0 })
}

fn quoted(text: &str) -> String {
    Constant::text(text).to_string()
}

/// A record of the store: what is shown, and what is kept beside it.
fn record(id: &str, shown: &str, digests: &str, sealed: Option<&str>) -> store::Resource {
    let sealed = sealed.map(|sealed| format!(",\"{SEALED}\":{}", quoted(sealed))).unwrap_or_default();
    let body = format!("{{\"body\":{shown},\"digests\":{digests}{sealed}}}");
    store::Resource { id: id.to_owned(), version: 0, format: FORMAT, body }
}
