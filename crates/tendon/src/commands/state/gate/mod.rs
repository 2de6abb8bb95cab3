//! What the rows of an export have to be before they become a state: what this program itself writes, or an earlier one wrote, each there
//! once, and each resource what its type says.
//!
//! Who writes a record knows its form: `engine::form` those of deployments and resources, the registry its own, the server its tokens.

mod runs;

use std::cell::RefCell;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use contract::{Admitted, Boundary, OpenTerms, Terms, admit};
use diagnostics::printable;
use engine::form::{self, Flaws, RunPart};
use radius::registry::{Registry, RegistryError};
use server::{is_role_record, is_token_record};
use store::{Backup as _, BackupRecord, Key, MemoryStore, Resource, ResourceId, RunId};

pub(super) use runs::Runs;

use crate::exit::CommandError;

/// How much of a name or of a message is shown.
const SHOWN: usize = 300;

/// How many things are said of one row.
const MOST: usize = 20;

/// Nobody's run: what is kept for it is not found by anybody who reads deployments or resources.
pub(super) const QUARANTINE: RunId = RunId(u128::MAX);

/// What the names of rows in quarantine begin with.
pub(super) const QUARANTINED: &str = "quarantine/";

/// Lets rows in whose contracts hold.
pub(super) struct ImportGate {
    /// The types that the rows bring along.
    registry: Registry,
    /// The runs that the rows bring along.
    runs: Runs,
    /// What tells the rows apart that were let in.
    seen: RefCell<HashSet<u128>>,
}

/// A row that is not let in.
pub(super) struct Refusal {
    pub(super) row: BackupRecord,
    /// What is wrong with it, each with its path.
    pub(super) flaws: Flaws,
}

impl Terms<BackupRecord> for ImportGate {
    type Refusal = Box<Refusal>;

    fn admit(&self, row: BackupRecord) -> Result<BackupRecord, Box<Refusal>> {
        let mut flaws = self.flaws(&row);
        if flaws.is_empty() && !self.seen.borrow_mut().insert(tag(&row)) {
            flaws.push("it is there twice".to_owned());
        }
        if flaws.is_empty() {
            return Ok(row);
        }
        let more = flaws.len() > MOST;
        flaws.truncate(MOST);
        flaws.iter_mut().for_each(|flaw| *flaw = shortened(flaw));
        flaws.extend(more.then(|| "and more".to_owned()));
        Err(Box::new(Refusal { row, flaws }))
    }
}

impl ImportGate {
    /// A gate for an export with some types and runs.
    pub(super) fn new(types: Vec<Resource>, runs: Runs) -> Result<ImportGate, CommandError> {
        let broken = |error: &dyn std::fmt::Display| CommandError::Environment(error.to_string());
        let store = MemoryStore::new();
        // One that is there twice is refused when its row comes. What others are checked against is checked itself then, too.
        let mut known = HashSet::new();
        let types = types.into_iter().filter(|it| known.insert(ResourceId::new(&it.id)));
        let mut rows =
            types.map(|it| Ok(OpenTerms::admit(Boundary::ImportedRecord, BackupRecord::Resource(it))));
        store.import(&mut rows, false).map_err(|error| broken(&error))?;
        // Nothing is sealed or opened here.
        let key = Key::random().map_err(|error| broken(&error))?;
        Ok(ImportGate { registry: Registry::new(Arc::new(store), key), runs, seen: RefCell::default() })
    }

    /// Whether the record of an id says what a type is.
    pub(super) fn is_type(id: &str) -> bool {
        Registry::is_type_record(id)
    }

    /// Lets a row in.
    pub(super) fn enter(&self, row: BackupRecord) -> Result<Admitted<BackupRecord>, Box<Refusal>> {
        admit(Boundary::ImportedRecord, self, row)
    }

    /// What is wrong with a row; nothing if it may come in.
    fn flaws(&self, row: &BackupRecord) -> Flaws {
        let known = |run: &RunId, flaws: Flaws| match self.runs.is_known(*run) {
            true => flaws,
            false => {
                flaws.into_iter().chain(["it belongs to a run that does not exist".to_owned()]).collect()
            }
        };
        match row {
            BackupRecord::Deployment { deployment, .. } => match form::deployment(deployment) {
                flaws if flaws.is_empty() => self.runs.flaws(deployment),
                flaws => flaws,
            },
            BackupRecord::Step(step) => known(&step.run, form::step(step)),
            BackupRecord::Operation(operation) => known(&operation.run, form::operation(operation)),
            // What was put aside once stays aside.
            BackupRecord::Blob { run, name, .. } if *run == QUARANTINE && name.starts_with(QUARANTINED) => {
                Flaws::new()
            }
            BackupRecord::Blob { run, name, bytes } => match form::blob(name, bytes) {
                Ok(RunPart::Outermost) if self.runs.is_known(*run) && !self.runs.is_outermost(*run) => {
                    vec!["only an outermost run has it".to_owned()]
                }
                Ok(_) => known(run, Flaws::new()),
                Err(flaws) => known(run, flaws),
            },
            BackupRecord::Resource(resource) => self.resource(resource),
        }
    }

    fn resource(&self, resource: &Resource) -> Flaws {
        if store::is_key_check(resource) {
            return vec!["the first line says which key there is, and no other".to_owned()];
        }
        if resource.id.starts_with("token:") {
            return match is_token_record(resource) {
                true => Flaws::new(),
                false => vec!["it is not the record of a token".to_owned()],
            };
        }
        if resource.id.starts_with("role:") {
            return match is_role_record(resource) {
                true => Flaws::new(),
                false => vec!["it is not the record of a role".to_owned()],
            };
        }
        let mut flaws = form::envelope(resource);
        if flaws.is_empty() && !Registry::is_own_record(&resource.id) {
            flaws = form::resource(resource);
        }
        if !flaws.is_empty() {
            return flaws;
        }
        match self.registry.check_record(resource) {
            Ok(()) => Flaws::new(),
            Err(RegistryError::Resource(violations)) => violations.iter().map(ToString::to_string).collect(),
            Err(error) => vec![error.to_string()],
        }
    }
}

/// What tells a row from all others.
fn tag(row: &BackupRecord) -> u128 {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        salt.hash(&mut hasher);
        match row {
            BackupRecord::Deployment { deployment, .. } => (0, &deployment.key).hash(&mut hasher),
            BackupRecord::Step(step) => (1, step.run.0, step.number).hash(&mut hasher),
            BackupRecord::Operation(operation) => (2, operation.run.0, operation.number).hash(&mut hasher),
            BackupRecord::Blob { run, name, .. } => (3, run.0, name).hash(&mut hasher),
            BackupRecord::Resource(resource) => (4, ResourceId::new(&resource.id)).hash(&mut hasher),
        }
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

/// A text as errors show it: the start of it, and how long it is.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        None => printable(text).into_owned(),
        Some((end, _)) => {
            let start = printable(text.get(..end).unwrap_or_default());
            format!("{start}… ({} bytes)", text.len())
        }
    }
}

#[cfg(test)]
mod tests;
