//! Types as they are used: the record of a type is read, and its schemas are compiled, once for each text that it has.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use arm::Caseless as _;
use contract::Contract;

use crate::lower::{Purpose, contract_of};
use crate::manifest::Manifest;
use crate::schema::Schema;

/// How many types are kept. Whoever has more of them reads some anew.
const MOST: usize = 1_024;

/// A schema, with the contracts that are made of it when they are asked for first.
#[derive(Debug)]
pub struct Compiled {
    schema: Schema,
    request: OnceLock<Option<Contract>>,
    state: OnceLock<Option<Contract>>,
}

impl Compiled {
    /// A schema.
    pub fn new(schema: Schema) -> Compiled {
        Compiled { schema, request: OnceLock::new(), state: OnceLock::new() }
    }

    /// A schema whose contracts, of requests and of states, are known.
    pub(super) fn with(schema: Schema, (request, state): (Contract, Contract)) -> Compiled {
        Compiled { schema, request: OnceLock::from(Some(request)), state: OnceLock::from(Some(state)) }
    }

    /// The contract for a whole resource; none if the schema cannot be used.
    pub fn contract(&self, purpose: Purpose) -> Option<&Contract> {
        let kept = match purpose {
            Purpose::Request => &self.request,
            Purpose::State => &self.state,
        };
        kept.get_or_init(|| contract_of(&self.schema, purpose).ok()).as_ref()
    }
}

impl Deref for Compiled {
    type Target = Schema;

    fn deref(&self) -> &Schema {
        &self.schema
    }
}

/// A type as it is used.
#[derive(Debug)]
pub(super) struct UsedType {
    /// The text of its record.
    text: String,
    pub(super) manifest: Manifest,
    /// Its versions, in the order of the manifest.
    versions: Vec<Arc<Compiled>>,
}

impl UsedType {
    /// The schema of one of its versions.
    pub(super) fn schema(&self, version: &str) -> Option<&Arc<Compiled>> {
        let it = self.manifest.types.first()?;
        let at = it.versions.iter().position(|known| &*known.name == version)?;
        self.versions.get(at)
    }
}

/// The types that were used, by the ids of their records in lower case.
#[derive(Debug, Default)]
pub(super) struct UsedTypes(Mutex<HashMap<String, Arc<UsedType>>>);

impl UsedTypes {
    fn types(&self) -> MutexGuard<'_, HashMap<String, Arc<UsedType>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The type of a record; read anew if its text is not what it was. None if it cannot be read.
    ///
    /// The text is compared, and not the version of the record: a type that was deleted begins with the first version again.
    pub(super) fn of(
        &self,
        record: &store::Resource,
        read: impl FnOnce(&store::Resource) -> Option<Manifest>,
    ) -> Option<Arc<UsedType>> {
        let id = record.id.caseless();
        if let Some(known) = self.types().get(&id).filter(|known| known.text == record.body) {
            return Some(Arc::clone(known));
        }
        let manifest = read(record)?;
        let versions = manifest.types.first().into_iter().flat_map(|it| &it.versions);
        let versions = versions.map(|version| Arc::new(Compiled::new(version.schema.clone()))).collect();
        let used = Arc::new(UsedType { text: record.body.clone(), manifest, versions });
        let mut types = self.types();
        if types.len() >= MOST {
            types.clear();
        }
        types.insert(id, Arc::clone(&used));
        Some(used)
    }
}
