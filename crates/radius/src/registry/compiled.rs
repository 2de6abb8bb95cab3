//! Types as they are used: the record of a type is read, and its schemas are compiled, once for each text that it has.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arm::Caseless as _;

use crate::compiled_schema::CompiledSchema;
use crate::manifest::Manifest;

/// How many types are kept. Whoever has more of them reads some anew.
const MOST: usize = 1_024;

/// A type as it is used.
#[derive(Debug)]
pub(super) struct UsedType {
    /// The text of its record.
    text: String,
    pub(super) manifest: Manifest,
    /// Its versions, in the order of the manifest.
    versions: Vec<Arc<CompiledSchema>>,
}

impl UsedType {
    /// The schema of one of its versions.
    pub(super) fn schema(&self, version: &str) -> Option<&Arc<CompiledSchema>> {
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
        let versions =
            versions.map(|version| Arc::new(CompiledSchema::new(version.schema.clone()))).collect();
        let used = Arc::new(UsedType { text: record.body.clone(), manifest, versions });
        let mut types = self.types();
        if types.len() >= MOST {
            types.clear();
        }
        types.insert(id, Arc::clone(&used));
        Some(used)
    }
}
