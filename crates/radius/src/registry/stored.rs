//! Records that somebody else wrote: whether they are what the registry itself would have kept.

use std::collections::HashSet;

use contract::{Constant, Node, Violation};
use document::{Document, FileId, SourceValue};

use super::resources::{GROUPS, StoredResource, read_record};
use super::types::{TYPES, manifest_of};
use super::{Registry, RegistryError, Result, credentials, groups, icons, providers};
use crate::built_in_types::built_in;
use crate::complete::hidden;
use crate::limits::{RESOURCE_DEPTH, STORED};
use crate::lower::Purpose;
use crate::pointer::within;
use crate::schema::Schema;
use crate::well_formed::{SchemaGuide, faults};

/// What the ids of records begin with that are the registry's own.
const OWN: &str = "/planes/radius/local/providers/System.Resources/";

fn starts_with(id: &str, start: &str) -> bool {
    id.split_at_checked(start.len()).is_some_and(|(found, _)| found.eq_ignore_ascii_case(start))
}

/// The document of a record.
pub(super) fn document_of(record: &store::Resource) -> Option<Document> {
    Document::from_json(&record.body, FileId::FIRST, &STORED).ok()
}

/// Whether an object has some of these members and no others.
pub(super) fn has_only(object: SourceValue<'_>, known: &[&str]) -> bool {
    matches!(object.node(), Node::Object(_))
        && object.members().all(|(name, _)| name.as_str().is_some_and(|name| known.contains(&name)))
}

impl Registry {
    /// Whether the record of an id says what a type is.
    pub fn is_type_record(id: &str) -> bool {
        starts_with(id, TYPES)
    }

    /// Whether a record is one of the registry's own, and no resource.
    pub fn is_own_record(id: &str) -> bool {
        starts_with(id, OWN) || credentials::of_id(id).is_some()
    }

    /// What is wrong with a record of the store that is the registry's own, or a resource whose type is known here.
    ///
    /// Values that are sealed are not looked at: the key may not be here. Records of anything else are fine.
    pub fn check_record(&self, record: &store::Resource) -> Result<()> {
        if Registry::is_own_record(&record.id) && !Registry::is_type_record(&record.id) {
            let is_fine = providers::is_record(record)
                || groups::is_record(record)
                || icons::is_record(record)
                || credentials::is_record(record);
            return if is_fine { Ok(()) } else { Err(RegistryError::Damaged(record.id.clone())) };
        }
        if Registry::is_type_record(&record.id) {
            let damaged = || RegistryError::Damaged(record.id.clone());
            let manifest = manifest_of(record).ok_or_else(damaged)?;
            let name = manifest.types.first().map(|it| manifest.full_name(it));
            let is_here = name.is_some_and(|name| {
                super::types::type_id(&name).eq_ignore_ascii_case(&record.id) && built_in(&name).is_none()
            });
            return if is_here { Ok(()) } else { Err(damaged()) };
        }
        let Some((type_name, name)) = resource_names(&record.id) else { return Ok(()) };
        if built_in(type_name).is_none() && self.resource_type(type_name)?.is_none() {
            return Ok(());
        }
        let resource = read_record(record)?;
        let version = Some(resource.text(&["apiVersion"])).filter(|version| !version.is_empty());
        let kind = self.kind(type_name, version)?;
        for (member, expected) in [("id", record.id.as_str()), ("name", name), ("type", &kind.full_name)] {
            let found = resource.text(&[member]);
            if !found.eq_ignore_ascii_case(expected) {
                let found = crate::findings::shorten(found);
                let message = format!("its `{member}` is `{found}`, and its record says `{expected}`");
                return Err(RegistryError::Name(message));
            }
        }
        let document = Document::from_json(&record.body, FileId::FIRST, &STORED);
        let document = document.map_err(|_| RegistryError::Damaged(record.id.clone()))?;
        let body = document.root().member("body");
        let body = body.ok_or_else(|| RegistryError::Damaged(record.id.clone()))?;
        let faults = faults(body, SchemaGuide::Resource(&kind.schema), RESOURCE_DEPTH);
        if !faults.is_empty() {
            return Err(RegistryError::Resource(faults));
        }
        let sealed = sealed(document.root());
        if let Some(pointer) = plain_secret(&kind.schema, &resource, body, &sealed) {
            let pointer = crate::findings::shorten(&pointer);
            return Err(RegistryError::Name(format!("`{pointer}` is a secret, and stands there in plain")));
        }
        let contract = kind.schema.contract(Purpose::State);
        let contract = contract.ok_or_else(|| RegistryError::Damaged(kind.full_name.clone()))?;
        let mut violations = contract.violations(&resource.body);
        violations.retain(|violation| !is_in(violation, &sealed));
        if violations.is_empty() { Ok(()) } else { Err(RegistryError::Resource(violations)) }
    }
}

/// The pointer of a value that should be sealed, and is there for everybody to see.
fn plain_secret(
    schema: &Schema,
    resource: &StoredResource,
    body: SourceValue<'_>,
    sealed: &HashSet<String>,
) -> Option<String> {
    let is_there = |pointer: &&String| body.pointer(pointer).is_some_and(|it| it.node() != Node::Null);
    let mut found = sealed.iter().find(is_there).cloned();
    let properties = resource.member("properties").cloned();
    within(&mut String::new(), "properties", |pointer| {
        hidden(schema, properties.unwrap_or(Constant::Null), pointer, &mut |pointer, _| {
            found.get_or_insert_with(|| pointer.to_owned());
            None
        })
    });
    found
}

/// The type and the name in the id of a resource in a group; none if it is the id of something else.
fn resource_names(id: &str) -> Option<(&str, &str)> {
    let (start, rest) = id.split_at_checked(GROUPS.len())?;
    let (_group, rest) = rest.split_once('/').filter(|_| start.eq_ignore_ascii_case(GROUPS))?;
    let (word, rest) = rest.split_once('/')?;
    let (type_name, name) = rest.rsplit_once('/').filter(|_| word.eq_ignore_ascii_case("providers"))?;
    let is_type = type_name.split('/').filter(|part| !part.is_empty()).count() == 2;
    (is_type && !name.is_empty()).then_some((type_name, name))
}

/// The pointers of what is sealed in a record.
fn sealed(record: SourceValue<'_>) -> HashSet<String> {
    let pointers = record.member("digests").into_iter().flat_map(|digests| digests.members());
    pointers.filter_map(|(pointer, _)| pointer.as_str().map(str::to_owned)).collect()
}

/// Whether a violation is about a value that is sealed, or about something inside it.
fn is_in(violation: &Violation, sealed: &HashSet<String>) -> bool {
    let path = violation.path.pointer();
    let ends = path.match_indices('/').map(|(at, _)| at).skip(1).chain([path.len()]);
    ends.filter_map(|end| path.get(..end)).any(|start| sealed.contains(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_resource_has_a_type_and_a_name() {
        let id = "/planes/radius/LOCAL/resourcegroups/g/Providers/A.B/c/d";
        assert_eq!(resource_names(id), Some(("A.B/c", "d")));
        for id in [
            "/planes/radius/local/resourceGroups/g",
            "/planes/radius/local/resourceGroups/g/providers/A.B/c",
            "/planes/radius/local/resourceGroups/g/providers/A.B/c/",
            "/planes/radius/local/resourceGroups/g/providers/A.B/c/d/e/f",
            "/subscriptions/s/resourceGroups/g/providers/A.B/c/d",
            "",
        ] {
            assert_eq!(resource_names(id), None, "{id}");
        }
    }
}
