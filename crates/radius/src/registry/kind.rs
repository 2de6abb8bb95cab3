//! What a resource is checked against: a version of a registered type, or a type that is built in.

use std::borrow::Cow;

use engine::records::Record;
use store::{Condition, ResourceId, Write};

use super::built_in::built_in;
use super::{Registry, RegistryError, Result};
use crate::schema::Schema;

/// A version of a type.
#[derive(Debug)]
pub struct Kind {
    /// `Namespace/type`, as it was registered.
    pub full_name: String,
    /// The version.
    pub version: String,
    /// What its resources have.
    pub schema: Cow<'static, Schema>,
    /// The record of the type, and its version; none if the type is built in.
    record: Option<(store::Resource, u64)>,
}

impl Kind {
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

    /// Whoever changes the type and saw no resource of it has to look again.
    pub(super) fn touch(&self) -> Option<Write> {
        self.record.as_ref().map(|(record, _)| Write::Resource(record.clone()))
    }
}

impl Registry {
    /// A version of a type, or the default or only one; why not, if there is none.
    pub fn kind(&self, full_name: &str, version: Option<&str>) -> Result<Kind> {
        if let Some(row) = built_in(full_name) {
            if let Some(version) = version.filter(|version| *version != row.version) {
                let message =
                    format!("`{}` has no version `{version}`; its version is `{}`", row.name, row.version);
                return Err(RegistryError::Version(message));
            }
            let schema = row.schema().ok_or_else(|| RegistryError::Damaged(row.name.to_owned()))?;
            return Ok(Kind {
                full_name: row.name.to_owned(),
                version: row.version.to_owned(),
                schema: Cow::Borrowed(schema),
                record: None,
            });
        }
        let known = self.known_type(full_name)?;
        let name = known.full_name();
        let wanted = version.map_or_else(|| name.clone(), |version| format!("{name}@{version}"));
        let (_, found) = known.manifest.find(&wanted).map_err(RegistryError::Version)?;
        Ok(Kind {
            version: found.name.to_string(),
            schema: Cow::Owned(found.schema.clone()),
            full_name: name,
            record: Some((known.record, known.version)),
        })
    }
}
