//! What a resource is checked against: a version of a registered type, or a type that is built in.

use std::sync::Arc;

use engine::records::Record;
use store::{Condition, ResourceId};

use super::types::{manifest_of, type_id};
use super::{Registry, RegistryError, Result};
use crate::built_in_types::built_in;
use crate::compiled_schema::CompiledSchema;

/// A version of a type.
#[derive(Debug)]
pub struct ResourceTypeVersion {
    /// `Namespace/type`, as it was registered.
    pub full_name: String,
    /// The name of the version, such as `2023-10-01-preview`.
    pub version: String,
    /// What its resources have.
    pub schema: Arc<CompiledSchema>,
    /// The record of the type, and its version; none if the type is built in.
    record: Option<(store::Resource, u64)>,
}

impl ResourceTypeVersion {
    /// The type is still as it was read.
    pub(super) fn condition(&self) -> Option<Condition> {
        let (record, version) = self.record.as_ref()?;
        Some(Condition::ResourceVersion(ResourceId::new(&record.id), Some(*version)))
    }

    /// The record of the type that was read, as a condition of deployments; none if the type is built in.
    pub(crate) fn unchanged(&self) -> Option<Record> {
        let (record, version) = self.record.as_ref()?;
        Some(Record::Unchanged { id: record.id.clone(), version: Some(*version) })
    }
}

impl Registry {
    /// A version of a type, or the default or only one; why not, if there is none.
    pub fn kind(&self, full_name: &str, version: Option<&str>) -> Result<ResourceTypeVersion> {
        if let Some(row) = built_in(full_name) {
            if let Some(version) = version.filter(|version| *version != row.version) {
                let message =
                    format!("`{}` has no version `{version}`; its version is `{}`", row.name, row.version);
                return Err(RegistryError::Version(message));
            }
            let schema = row.schema().ok_or_else(|| RegistryError::Damaged(row.name.to_owned()))?;
            return Ok(ResourceTypeVersion {
                full_name: row.name.to_owned(),
                version: row.version.to_owned(),
                schema: Arc::clone(schema),
                record: None,
            });
        }
        let record = match self.store.resource(&ResourceId::new(&type_id(full_name)))? {
            Some(record) => record,
            // It says why there is none.
            None => self.known_type(full_name)?.record,
        };
        let damaged = || RegistryError::Damaged(record.id.clone());
        let used = self.used.of(&record, manifest_of).ok_or_else(damaged)?;
        let it = used.manifest.types.first().ok_or_else(damaged)?;
        let name = used.manifest.full_name(it);
        let wanted = version.map_or_else(|| name.clone(), |version| format!("{name}@{version}"));
        let (_, found) = used.manifest.find(&wanted).map_err(RegistryError::Version)?;
        let schema = Arc::clone(used.schema(&found.name).ok_or_else(damaged)?);
        let (version, at) = (found.name.to_string(), record.version);
        Ok(ResourceTypeVersion { full_name: name, version, schema, record: Some((record, at)) })
    }
}
