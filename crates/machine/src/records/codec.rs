//! What the machine wants to keep, as what the store keeps, and back.

use std::collections::BTreeMap;

use store::{
    Condition, Deployment, DeploymentKey, Format, Key, Operation, Phase, Resource, ResourceId, RunId,
    SealError, Status, StepRecord, Store, Write,
};

use super::{DeploymentRecord, LoadError, Record, StepEnd};

/// The form of the records that this program writes.
pub const FORMAT: Format = 1;

/// What is kept of the runs of a deployment that is resumed.
pub type Stored = BTreeMap<RunId, StoredRun>;

/// What is kept of a run.
#[derive(Clone, Debug)]
pub struct StoredRun {
    /// Where the deployment is found.
    pub key: DeploymentKey,
    /// When it was accepted.
    pub order: i64,
    /// Whether it has ended.
    pub has_ended: bool,
    /// What is kept of the deployment.
    pub record: DeploymentRecord,
    /// How many operations it has.
    pub operations: u32,
    /// The steps that ended.
    pub steps: BTreeMap<u32, StepEnd>,
}

/// What seals secrets for the store: a key, or in simulations something that shows what would be sealed.
pub trait Sealer {
    /// Seals a secret for a purpose.
    fn seal(&self, purpose: &str, secret: &[u8]) -> Result<Vec<u8>, SealError>;

    /// Opens what was sealed for that purpose.
    fn open(&self, purpose: &str, sealed: &[u8]) -> Result<Vec<u8>, SealError>;
}

impl Sealer for Key {
    fn seal(&self, purpose: &str, secret: &[u8]) -> Result<Vec<u8>, SealError> {
        Key::seal(self, purpose, secret)
    }

    fn open(&self, purpose: &str, sealed: &[u8]) -> Result<Vec<u8>, SealError> {
        Key::open(self, purpose, sealed)
    }
}

/// The name of the blob with the text of a run's template.
pub const TEMPLATE: &str = "template";

/// The name of the blob with the inputs of a run.
pub const INPUTS: &str = "inputs";

/// The name of the blob with the secrets among the inputs of a run.
pub const SECRETS: &str = "secrets";

/// The name of the blob with what an address led to.
pub fn link_blob(address: &str) -> String {
    format!("link/{address}")
}

/// The name of the blob with the secrets of a step.
pub fn step_blob(number: u32) -> String {
    format!("step/{number}")
}

/// What a secret is sealed for: it cannot be moved to another run or another place.
pub fn purpose(run: RunId, name: &str) -> String {
    format!("{run:?}/{name}")
}

/// Turns a record into writes.
pub fn encode(record: &Record, sealer: &dyn Sealer, writes: &mut Vec<Write>) -> Result<(), SealError> {
    match record {
        Record::Deployment { run, root, key, status, order, record } => {
            writes.push(Write::Deployment(Deployment {
                key: key.clone(),
                run: *run,
                root: *root,
                status: *status,
                order: *order,
                format: FORMAT,
                body: record.to_store(),
            }));
        }
        Record::Step { run, number, ended } => {
            let name = step_blob(*number);
            if let Some(bytes) = ended.sealed_state(*run, &name, sealer)? {
                writes.push(Write::Blob { run: *run, name, bytes });
            }
            let (phase, format) = (Phase::Confirmed, FORMAT);
            let body = ended.to_store();
            writes.push(Write::Step(StepRecord { run: *run, number: *number, phase, format, body }));
        }
        Record::Operation { run, number, record } => {
            let (format, body) = (FORMAT, record.to_store());
            writes.push(Write::Operation(Operation { run: *run, number: *number, format, body }));
        }
        Record::PutResource { id, record } => {
            let (format, body) = (FORMAT, record.to_store());
            writes.push(Write::Resource(Resource { id: id.clone(), version: 0, format, body }));
        }
        Record::DeleteResource { id } => writes.push(Write::DeleteResource(ResourceId::new(id))),
        // They are conditions, and nothing to write.
        Record::Unchanged { .. } | Record::Present { .. } => {}
        Record::Link { run, address, text } => {
            let (name, bytes) = (link_blob(address), text.as_bytes().to_vec());
            writes.push(Write::Blob { run: *run, name, bytes });
        }
        Record::EraseSecrets { run, steps } => {
            let names = steps.iter().map(|number| step_blob(*number)).chain([SECRETS.to_owned()]);
            writes.extend(names.map(|name| Write::DeleteBlob { run: *run, name }));
        }
    }
    Ok(())
}

/// What must hold when a record is written.
pub fn condition(record: &Record) -> Option<Condition> {
    match record {
        Record::Unchanged { id, version } => Some(Condition::ResourceVersion(ResourceId::new(id), *version)),
        Record::Present { id } => Some(Condition::Present(ResourceId::new(id))),
        Record::Deployment { .. }
        | Record::Step { .. }
        | Record::Operation { .. }
        | Record::PutResource { .. }
        | Record::DeleteResource { .. }
        | Record::Link { .. }
        | Record::EraseSecrets { .. } => None,
    }
}

/// Reads what was kept of a run and of the runs inside it.
pub fn load(store: &dyn Store, sealer: &dyn Sealer, root: RunId) -> Result<Stored, LoadError> {
    let mut stored = Stored::default();
    for deployment in store.runs(root)? {
        let run = load_run(store, sealer, &deployment)?;
        stored.insert(deployment.run, run);
    }
    Ok(stored)
}

fn load_run(store: &dyn Store, sealer: &dyn Sealer, deployment: &Deployment) -> Result<StoredRun, LoadError> {
    let run = deployment.run;
    let mut stored = StoredRun {
        key: deployment.key.clone(),
        order: deployment.order,
        has_ended: deployment.status == Status::Ended,
        record: DeploymentRecord::from_store(&deployment.body)?,
        operations: 0,
        steps: BTreeMap::new(),
    };
    for step in store.steps(run)? {
        if step.format > FORMAT {
            return Err(LoadError::Damaged(format!(
                "a step has the form {} of a newer program",
                step.format
            )));
        }
        let open = || -> Result<Option<String>, LoadError> {
            // The secrets of a run that has ended are erased, and nobody needs them.
            if deployment.status == Status::Ended {
                return Ok(None);
            }
            let name = step_blob(step.number);
            let sealed = store.blob(run, &name)?.unwrap_or_default();
            let plain = sealer.open(&purpose(run, &name), &sealed).map_err(LoadError::SecretsLost)?;
            Ok(Some(String::from_utf8_lossy(&plain).into_owned()))
        };
        let ended = StepEnd::from_store(&step.body, open)?;
        stored.steps.insert(step.number, ended);
    }
    for operation in store::scan_operations(store, run) {
        stored.operations = operation?.number;
    }
    Ok(stored)
}
