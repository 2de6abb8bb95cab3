//! What is known of resource groups while a deployment runs: some of them are made by it.

use std::fmt;
use std::sync::Arc;

use crate::value::Value;

/// Answers what is known of a resource group, by its id.
pub type GroupReader = dyn Fn(&str) -> Option<Value> + Send + Sync;

/// Where resource groups are looked up; clones share it.
#[derive(Clone, Default)]
pub struct Groups(Option<Arc<GroupReader>>);

impl Groups {
    /// Groups that somebody knows.
    pub fn new(read: impl Fn(&str) -> Option<Value> + Send + Sync + 'static) -> Groups {
        Groups(Some(Arc::new(read)))
    }

    /// What is known of a group now.
    pub(super) fn read(&self, id: &str) -> Option<Value> {
        self.0.as_ref().and_then(|read| read(id))
    }
}

impl fmt::Debug for Groups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Groups(..)" } else { "Groups" })
    }
}
