//! What the machine wants to keep, as what the store keeps, and back.
//!
//! Secrets in the result of a step are masked in its record and kept sealed beside it, until the deployment ends.

use arm::value::MAX_DEPTH;
use arm::{ObjectBuilder, Value};
use document::{Document, FileId, Limits};
use store::{
    Condition, Deployment, DeploymentKey, Format, Key, Operation, Phase, Resource, ResourceId, RunId,
    SealError, Status, Step, Store, StoreError, Write,
};

use crate::core::{Stored, StoredRun};
use crate::{Failure, ResourceRecord};

/// The form of the records that this program writes.
pub const FORMAT: Format = 1;

/// Something to keep.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// A deployment, as the REST API shows it.
    Deployment {
        /// The run.
        run: RunId,
        /// The outermost run.
        root: RunId,
        /// Where it is found.
        key: DeploymentKey,
        /// Whether it still runs.
        status: Status,
        /// When it was accepted: the order of listings.
        order: i64,
        /// What the REST API shows, without secrets.
        body: Value,
    },
    /// The end of a step.
    Step {
        /// The run.
        run: RunId,
        /// The number of the step.
        number: u32,
        /// How it ended.
        ended: StepEnd,
    },
    /// Something that was done, as the REST API shows it.
    Operation {
        /// The run.
        run: RunId,
        /// Its number.
        number: u32,
        /// What the REST API shows.
        body: Value,
    },
    /// The state of a local resource.
    PutResource {
        /// Its id.
        id: String,
        /// What is kept of it.
        record: ResourceRecord,
    },
    /// A local resource that is gone.
    DeleteResource {
        /// Its id.
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
        /// The outermost run.
        run: RunId,
        /// Its address.
        address: smol_str::SmolStr,
        /// What it holds.
        text: std::sync::Arc<str>,
    },
    /// The secrets of a run, which are no longer needed.
    EraseSecrets {
        /// The run.
        run: RunId,
        /// The steps that have some.
        steps: Vec<u32>,
    },
}

/// How a step ended.
#[derive(Clone, Debug, PartialEq)]
pub enum StepEnd {
    /// It was done.
    Succeeded {
        /// What references to it see.
        state: Value,
        /// Whether nothing had to be done.
        skipped: bool,
    },
    /// It was not done.
    Failed(Failure),
}

/// What seals secrets.
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
pub(crate) fn link_blob(address: &str) -> String {
    format!("link/{address}")
}

fn step_blob(number: u32) -> String {
    format!("step/{number}")
}

/// What a secret is sealed for: it cannot be moved to another run or another place.
pub fn purpose(run: RunId, name: &str) -> String {
    format!("{run:?}/{name}")
}

/// Turns a record into writes.
pub fn encode(record: &Record, sealer: &dyn Sealer, writes: &mut Vec<Write>) -> Result<(), SealError> {
    match record {
        Record::Deployment { run, root, key, status, order, body } => {
            writes.push(Write::Deployment(Deployment {
                key: key.clone(),
                run: *run,
                root: *root,
                status: *status,
                order: *order,
                format: FORMAT,
                body: body.to_json(),
            }));
        }
        Record::Step { run, number, ended } => {
            if let StepEnd::Succeeded { state, .. } = ended
                && state.has_secret()
            {
                let name = step_blob(*number);
                let plain = marked(state).to_json();
                let bytes = sealer.seal(&purpose(*run, &name), plain.as_bytes())?;
                writes.push(Write::Blob { run: *run, name, bytes });
            }
            let (phase, format) = (Phase::Confirmed, FORMAT);
            let body = step_body(ended).to_json();
            writes.push(Write::Step(Step { run: *run, number: *number, phase, format, body }));
        }
        Record::Operation { run, number, body } => {
            let (format, body) = (FORMAT, body.to_json());
            writes.push(Write::Operation(Operation { run: *run, number: *number, format, body }));
        }
        Record::PutResource { id, record } => {
            let (format, body) = (FORMAT, record.to_json());
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
pub(crate) fn condition(record: &Record) -> Option<Condition> {
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

fn step_body(ended: &StepEnd) -> Value {
    let mut body = ObjectBuilder::default();
    match ended {
        StepEnd::Succeeded { state, skipped } => {
            body.set("state".into(), state.clone());
            body.set("secret".into(), state.has_secret().into());
            body.set("skipped".into(), (*skipped).into());
        }
        StepEnd::Failed(failure) => body.set("error".into(), failure.to_value()),
    }
    body.finish()
}

/// Why what was kept cannot be used.
#[derive(Debug)]
pub enum LoadError {
    /// The store does not answer.
    Store(StoreError),
    /// A record does not make sense, or is of a newer program.
    Damaged(String),
    /// Secrets that are needed cannot be opened.
    SecretsLost(SealError),
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LoadError::Store(error) => error.fmt(f),
            LoadError::Damaged(what) => write!(f, "the state is damaged: {what}"),
            LoadError::SecretsLost(error) => write!(f, "the secrets of the deployment are lost: {error}"),
        }
    }
}

impl std::error::Error for LoadError {}

impl From<StoreError> for LoadError {
    fn from(error: StoreError) -> LoadError {
        LoadError::Store(error)
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
        record: parse(&deployment.body)?,
        operations: 0,
        steps: std::collections::BTreeMap::new(),
    };
    for step in store.steps(run)? {
        if step.format > FORMAT {
            return Err(LoadError::Damaged(format!(
                "a step has the form {} of a newer program",
                step.format
            )));
        }
        let body = parse(&step.body)?;
        let member = |name: &str| body.as_object().and_then(|object| object.get(name));
        let ended = match (member("error"), member("state")) {
            (Some(error), _) => StepEnd::Failed(Failure::from_value(error)),
            (None, Some(state)) => {
                let is_secret = member("secret") == Some(&Value::Bool(true));
                let state = if is_secret && !stored.has_ended {
                    let name = step_blob(step.number);
                    let sealed = store.blob(run, &name)?.unwrap_or_default();
                    let plain = sealer.open(&purpose(run, &name), &sealed).map_err(LoadError::SecretsLost)?;
                    unmarked(&parse(&String::from_utf8_lossy(&plain))?)
                } else {
                    state.clone()
                };
                StepEnd::Succeeded { state, skipped: member("skipped") == Some(&Value::Bool(true)) }
            }
            (None, None) => return Err(LoadError::Damaged("a step has no end".to_owned())),
        };
        stored.steps.insert(step.number, ended);
    }
    let operations = store.operations(run, store::Page::ALL)?;
    stored.operations = operations.last().map_or(0, |last| last.number);
    Ok(stored)
}

/// What the engine has written, it can read: values nest as deep as they may, inside of what a record has around them.
const LIMITS: Limits = Limits { depth: 2 * MAX_DEPTH, ..Limits::DEFAULT };

/// JSON text of the store as a value.
pub fn parse(text: &str) -> Result<Value, LoadError> {
    let document = Document::from_json(text, FileId::FIRST, &LIMITS)
        .map_err(|error| LoadError::Damaged(error.to_string()))?;
    Value::from_record(document.root()).map_err(|error| LoadError::Damaged(error.to_string()))
}

/// What a list shows in the place of a record that cannot be read, so that the rest of it can be.
pub fn damaged(id: &str, why: &dyn std::fmt::Display) -> Value {
    let mut shown = ObjectBuilder::default();
    shown.set("id".into(), Value::text(id));
    shown.set("name".into(), Value::text(id.rsplit('/').next().unwrap_or_default()));
    if let Some(kind) = kind_of(id) {
        shown.set("type".into(), Value::text(kind));
    }
    let error = Value::object([("code", "DamagedRecord".into()), ("message", Value::text(why.to_string()))]);
    shown.set("error".into(), error);
    shown.finish()
}

/// The type that an id names; none if it names none.
fn kind_of(id: &str) -> Option<String> {
    let at = id.to_ascii_lowercase().rfind("/providers/")?;
    let mut parts = id.get(at + "/providers/".len()..)?.split('/');
    let namespace = parts.next()?;
    let types: Vec<&str> = parts.step_by(2).collect();
    Some(format!("{namespace}/{}", types.join("/")))
}

/// The member that says which parts of a sealed value are secret.
const MARK: &str = "$secret";

/// A value in plain in which secrets are marked, for sealing.
pub(crate) fn marked(value: &Value) -> Value {
    if !value.has_secret() {
        return value.clone();
    }
    // Recursion is bounded by how deep a value may nest.
    match value {
        Value::Secret(inner) => Value::object([(MARK, (**inner).clone())]),
        Value::Array(list) => Value::array(list.items().iter().map(marked).collect()),
        Value::Object(object) => {
            let mut members = ObjectBuilder::default();
            for (name, value) in &**object {
                members.insert(name.clone(), marked(value));
            }
            members.finish()
        }
        scalar => scalar.clone(),
    }
}

/// The value that [`marked`] gives, with its secrets.
pub(crate) fn unmarked(value: &Value) -> Value {
    match value {
        Value::Array(list) => Value::array(list.items().iter().map(unmarked).collect()),
        Value::Object(object) => {
            if let Some(inner) = object.get(MARK).filter(|_| object.len() == 1) {
                return inner.clone().secret();
            }
            let mut members = ObjectBuilder::default();
            for (name, value) in &**object {
                members.insert(name.clone(), unmarked(value));
            }
            members.finish()
        }
        scalar => scalar.clone(),
    }
}
