//! The names that a program has for resources whose template does not have them.
//!
//! A template without symbolic names lists its resources. Who compiled it knows the names, and operations are recorded with them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use arm::Caseless as _;
use smol_str::SmolStr;

use super::{Layer, Provider};

/// Symbolic names by the ids of their resources.
#[derive(Clone, Debug, Default)]
pub struct SymbolicNames {
    by_id: Arc<Mutex<BTreeMap<String, SmolStr>>>,
}

impl SymbolicNames {
    /// Adds the name of a resource.
    pub fn insert(&self, id: &str, name: &str) {
        self.by_id.lock().unwrap_or_else(PoisonError::into_inner).insert(id.caseless(), name.into());
    }

    fn get(&self, id: &str) -> Option<SmolStr> {
        self.by_id.lock().unwrap_or_else(PoisonError::into_inner).get(&id.caseless()).cloned()
    }
}

/// A provider whose resources have names.
pub struct NamingProvider {
    below: Arc<dyn Provider>,
    names: SymbolicNames,
}

impl NamingProvider {
    /// Puts names in front of a provider; names that are added later count as well.
    pub fn new(below: Arc<dyn Provider>, names: SymbolicNames) -> NamingProvider {
        NamingProvider { below, names }
    }
}

impl Layer for NamingProvider {
    fn inner(&self) -> &dyn Provider {
        &*self.below
    }

    fn rebase_on(&self, below: Arc<dyn Provider>) -> Arc<dyn Provider> {
        below
    }

    fn symbol(&self, id: &str) -> Option<SmolStr> {
        self.names.get(id)
    }
}
