//! How a step ended, as the store keeps it.
//!
//! Secrets in the result of a step are masked in its record and kept sealed beside it, until the deployment ends.

use arm::{ObjectBuilder, Value};
use store::{RunId, SealError};

use super::codec::{Sealer, purpose};
use super::secret_marks::{marked, unmarked};
use super::stored_text::{LoadError, parse};
use crate::Failure;

/// How a step ended.
#[derive(Clone, Debug, PartialEq)]
pub enum StepEnd {
    /// It was done, or nothing had to be done.
    Succeeded {
        /// What references to it see.
        state: Value,
        /// Whether nothing had to be done.
        skipped: bool,
    },
    /// It was not done.
    Failed(Failure),
}

impl StepEnd {
    /// What the store keeps.
    pub fn to_store(&self) -> String {
        let mut body = ObjectBuilder::default();
        match self {
            StepEnd::Succeeded { state, skipped } => {
                body.set("state".into(), state.clone());
                body.set("secret".into(), state.has_secret().into());
                body.set("skipped".into(), (*skipped).into());
            }
            StepEnd::Failed(failure) => body.set("error".into(), failure.to_value()),
        }
        body.finish().to_json()
    }

    /// The result with its secrets, under a seal, if it has any.
    pub fn sealed_state(
        &self,
        run: RunId,
        blob: &str,
        sealer: &dyn Sealer,
    ) -> Result<Option<Vec<u8>>, SealError> {
        match self {
            StepEnd::Succeeded { state, .. } if state.has_secret() => {
                let plain = marked(state).to_json();
                sealer.seal(&purpose(run, blob), plain.as_bytes()).map(Some)
            }
            StepEnd::Succeeded { .. } | StepEnd::Failed(_) => Ok(None),
        }
    }

    /// Reads what the store keeps. `open` gives the text of the result with its secrets, which is asked for if there are any.
    pub fn from_store(
        text: &str,
        open: impl FnOnce() -> Result<Option<String>, LoadError>,
    ) -> Result<StepEnd, LoadError> {
        let body = parse(text)?;
        let member = |name: &str| body.as_object().and_then(|object| object.get(name));
        match (member("error"), member("state")) {
            (Some(error), _) => Ok(StepEnd::Failed(Failure::from_value(error))),
            (None, Some(state)) => {
                let is_secret = member("secret") == Some(&Value::Bool(true));
                let whole = if is_secret { open()? } else { None };
                let state = match whole {
                    Some(whole) => unmarked(&parse(&whole)?),
                    None => state.clone(),
                };
                Ok(StepEnd::Succeeded { state, skipped: member("skipped") == Some(&Value::Bool(true)) })
            }
            (None, None) => Err(LoadError::Damaged("a step has no end".to_owned())),
        }
    }
}
