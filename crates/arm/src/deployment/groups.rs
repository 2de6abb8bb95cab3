//! What is known of resource groups while a deployment runs: some of them are made by it.

use std::fmt;
use std::sync::Arc;

use crate::evaluate::{Cause, EvaluateError};
use crate::value::Value;

/// Answers what is known of a resource group, by its id, or says why it cannot be read: something else in its place would be wrong.
pub type GroupReader = dyn Fn(&str) -> Result<Option<Value>, String> + Send + Sync;

/// Where resource groups are looked up; clones share it.
#[derive(Clone, Default)]
pub struct Groups(Option<Arc<GroupReader>>);

impl Groups {
    /// Groups that somebody knows.
    pub fn new(read: impl Fn(&str) -> Result<Option<Value>, String> + Send + Sync + 'static) -> Groups {
        Groups(Some(Arc::new(read)))
    }

    /// What is known of a group now.
    pub(super) fn read(&self, id: &str) -> Result<Option<Value>, EvaluateError> {
        let Some(read) = &self.0 else { return Ok(None) };
        read(id).map_err(|why| EvaluateError::new(Cause::Unreadable, format!("`{id}` cannot be read: {why}")))
    }
}

impl fmt::Debug for Groups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Groups(..)" } else { "Groups" })
    }
}
