//! The text of records, as the store has it.

use arm::value::MAX_DEPTH;
use arm::{ObjectBuilder, Value};
use document::{Document, FileId, ReadLimits};
use store::{SealError, StoreError};

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

/// What the engine has written, it can read: values nest as deep as they may, inside of what a record has around them.
const LIMITS: ReadLimits = ReadLimits { depth: 2 * MAX_DEPTH, ..ReadLimits::DEFAULT };

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
