//! Resources of registered types.

use std::collections::HashSet;

use arm::{Caseless as _, PROVISIONING_STATE, ProvisioningState};
use contract::{Admitted, Boundary, Constant, admit};
use document::{Document, FileId, SourceValue};
use sha2::{Digest as _, Sha256};
use store::{Condition, ResourceId, Write};

use super::secrets::{Secrets, show_nulls};
use super::{Registry, RegistryError, Result, SEALED, quoted, record};
use crate::built_in_types::{addressed, references};
use crate::complete::{Incomplete, ResourceRequestTerms, Stored, hidden};
use crate::limits::{RESOURCE_DEPTH, STORED};
use crate::pointer::within;
use crate::schema::Schema;
use crate::texts::placed;
use crate::well_formed::{SchemaGuide, faults};

pub(crate) const GROUPS: &str = "/planes/radius/local/resourceGroups/";

/// How many resources are looked through at a time for those of a type.
pub(super) const LOOKED_AT: usize = 1_000;

/// A part of a list of resources ends after so many bytes, and a list as a whole may have so many.
const PART_BYTES: usize = 4 << 20;
const MOST_BYTES: usize = 16 << 20;
/// How many bytes a resource may have, as those of deployments.
const MOST_RESOURCE: usize = 4 << 20;

/// A part of a list.
#[derive(Debug)]
pub struct ResourceRows {
    /// The resources, in the order of their ids.
    pub rows: Vec<StoredResource>,
    /// Whether it ends early, because the resources are large.
    pub is_cut: bool,
}

/// A resource that somebody wants.
#[derive(Clone, Copy, Debug)]
pub struct PutResource<'p> {
    /// The name of its resource group.
    pub group: &'p str,
    /// The full name of its type, `Namespace/type`.
    pub type_name: &'p str,
    /// The last part of its id.
    pub name: &'p str,
    /// The version of the API; the default or only one without it.
    pub api_version: Option<&'p str>,
    /// What it is to be.
    pub body: SourceValue<'p>,
}

/// A resource as the registry has it.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredResource {
    /// The full id, as it was first written.
    pub id: String,
    /// What is shown of it: no secret.
    pub body: Constant,
    /// Whether a put made it.
    pub is_new: bool,
    version: u64,
    /// What was put aside of it.
    sealed: Option<Box<str>>,
    /// Whether its record cannot be read: nothing but its id is known.
    pub is_damaged: bool,
}

/// The state of a resource whose record cannot be read.
const DAMAGED: &str = "Damaged";

/// What must hold of a resource that is there, by its [`StoredResource::etag`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precondition<'p> {
    /// Nothing: it may be there or not.
    None,
    /// There is one; with a tag, this one.
    Match(Option<&'p str>),
    /// There must be none.
    Absent,
}

impl Precondition<'_> {
    fn check(self, before: Option<&StoredResource>) -> Result<()> {
        let why = match (self, before) {
            (Precondition::None, _) | (Precondition::Absent, None) | (Precondition::Match(None), Some(_)) => {
                return Ok(());
            }
            (Precondition::Match(Some(tag)), Some(before)) if before.etag() == tag => return Ok(()),
            (Precondition::Match(Some(_)), Some(_)) => "the resource was changed: its etag is another one",
            (Precondition::Match(_), None) => "the resource does not exist",
            (Precondition::Absent, Some(_)) => "the resource exists already",
        };
        Err(RegistryError::Precondition(why))
    }
}

impl StoredResource {
    /// A resource as a server shows it; none if it has no id.
    pub fn sent(body: SourceValue<'_>, is_new: bool) -> Option<StoredResource> {
        let id = body.member("id")?.as_str()?.to_owned();
        let body = Constant::copy(body, STORED.depth)?;
        let mut sent = StoredResource { id, body, is_new, version: 0, sealed: None, is_damaged: false };
        sent.is_damaged = sent.text(&["properties", PROVISIONING_STATE]) == DAMAGED;
        Some(sent)
    }

    /// The resource is still as it was read.
    pub(super) fn unchanged(&self) -> Condition {
        Condition::ResourceVersion(ResourceId::new(&self.id), Some(self.version))
    }

    /// A member of the body.
    pub(crate) fn member(&self, name: &str) -> Option<&Constant> {
        member(&self.body, name)
    }

    /// A text that changes with what is shown of the resource.
    pub fn etag(&self) -> String {
        let digest = Sha256::digest(self.body.to_string().as_bytes());
        digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }

    /// A text of the body, by the names that lead to it.
    pub fn text(&self, path: &[&str]) -> &str {
        match path.iter().try_fold(&self.body, |value, name| member(value, name)) {
            Some(Constant::Text(text)) => text,
            _ => "",
        }
    }
}

impl Registry {
    /// Puts a resource: checks it against the schema of its type, fills in defaults, seals its secrets, and keeps it.
    ///
    /// Nothing is kept of a resource that breaks its schema. Read-only values that are as the server has them may be sent along.
    pub fn put(&self, put: PutResource<'_>) -> Result<StoredResource> {
        self.put_if(put, Precondition::None)
    }

    /// The same, if a condition holds of what is there.
    pub fn put_if(&self, put: PutResource<'_>, condition: Precondition<'_>) -> Result<StoredResource> {
        named("resource group", put.group)?;
        named("resource", put.name)?;
        self.until_settled(|| {
            let said = put.body.member("apiVersion").and_then(|said| said.as_str());
            let kind = self.kind(put.type_name, put.api_version.or(said))?;
            let (full_name, schema) = (kind.full_name.as_str(), &**kind.schema);
            let id = resource_id(put.group, full_name, put.name);
            let before = self.resource(&id)?;
            condition.check(before.as_ref())?;
            // Where the text has places, what is wrong with it has them, too.
            let faults = faults(put.body, SchemaGuide::Resource(schema), RESOURCE_DEPTH);
            if !faults.is_empty() {
                return Err(RegistryError::Resource(faults));
            }
            let own =
                [("id", id.as_str()), ("name", put.name), ("type", full_name), ("apiVersion", &kind.version)];
            let given = Constant::copy(put.body, RESOURCE_DEPTH).ok_or_else(too_deep)?;
            let given = addressed(full_name, scope_of(&id), identified(given, &own)?);
            let whole = before.as_ref().map(|before| self.revealed(before)).transpose()?;
            let stored = before.as_ref().zip(whole.as_ref()).and_then(|(before, whole)| {
                Some(Stored { shown: before.member("properties")?, whole: member(whole, "properties")? })
            });
            let terms = ResourceRequestTerms { compiled: &kind.schema, stored };
            let admitted = admit(Boundary::Resource, &terms, given).map_err(|why| match why {
                Incomplete::Unusable => {
                    RegistryError::Name("the schema of the type cannot be used".to_owned())
                }
                Incomplete::Broken(violations) => RegistryError::Resource(placed(violations, put.body)),
                // A text has no such parts.
                Incomplete::Unknown(_) => {
                    RegistryError::Name("the resource is not known as a whole".to_owned())
                }
            })?;
            let present = self.present(full_name, admitted.get(), put.body)?;
            let key = ResourceId::new(&id);
            let mut conditions = vec![Condition::ResourceVersion(key, before.as_ref().map(|it| it.version))];
            conditions.extend(kind.condition());
            conditions.extend(present);
            let kept = self.kept(&id, admitted, schema)?;
            if kept.body.len() > MOST_RESOURCE {
                let message = format!("the resource has more than {} MiB", MOST_RESOURCE >> 20);
                return Err(RegistryError::TooLarge(message));
            }
            let mut done = read_record(&kept)?;
            done.is_new = before.is_none();
            Ok((done, conditions, vec![Write::Resource(kept)]))
        })
    }

    /// What a resource refers to is there, and is still there when it is written.
    fn present(&self, full_name: &str, whole: &Constant, body: SourceValue<'_>) -> Result<Vec<Condition>> {
        let (found, mut wrong) = references(full_name, whole);
        let mut conditions = Vec::with_capacity(found.len());
        for reference in found {
            let id = ResourceId::new(&reference.id);
            match self.store.resource(&id)? {
                Some(_) => conditions.push(Condition::Present(id)),
                None => wrong.push(reference.missing()),
            }
        }
        if wrong.is_empty() { Ok(conditions) } else { Err(RegistryError::Resource(placed(wrong, body))) }
    }

    /// The record of a resource that was let in.
    fn kept(&self, id: &str, admitted: Admitted<Constant>, schema: &Schema) -> Result<store::Resource> {
        let whole = admitted.into_inner();
        let members = MEMBERS.iter().filter_map(|name| {
            let mut value = member(&whole, name)?.clone();
            if *name == "properties" {
                set(&mut value, PROVISIONING_STATE, Constant::text(ProvisioningState::Succeeded.as_str()));
            }
            Some((Constant::text(name), value))
        });
        let mut secrets = Secrets::default();
        let body = put_aside(schema, Constant::Object(members.collect()), &mut |pointer, value| {
            secrets.put(pointer, value);
        });
        self.sealed(id, &body, &secrets)
    }

    fn sealed(&self, id: &str, body: &Constant, secrets: &Secrets) -> Result<store::Resource> {
        let (digests, sealed) = (secrets.digests(&self.key)?, secrets.sealed(&self.key, id)?);
        Ok(record(id, &body.to_string(), &digests, sealed.as_deref()))
    }

    /// The record of a resource of which a schema says that more of it is secret; none if all of that is sealed.
    pub(super) fn sealed_again(
        &self,
        resource: &StoredResource,
        whole: &Admitted<Constant>,
        schema: &Schema,
    ) -> Result<Option<store::Resource>> {
        let mut places = HashSet::new();
        let body = put_aside(schema, resource.body.clone(), &mut |place, _| {
            places.insert(place.to_owned());
        });
        let mut more = Secrets::default();
        put_aside(schema, whole.get().clone(), &mut |place, value| {
            if places.contains(place) {
                more.put(place, value);
            }
        });
        if more.is_empty() {
            return Ok(None);
        }
        let mut secrets = match &resource.sealed {
            Some(sealed) => Secrets::opened(&self.key, &resource.id, sealed)?,
            None => Secrets::default(),
        };
        secrets.extend(more);
        self.sealed(&resource.id, &body, &secrets).map(Some)
    }

    /// A resource by its id.
    pub fn resource(&self, id: &str) -> Result<Option<StoredResource>> {
        let found = self.store.resource(&ResourceId::new(id))?;
        found.map(|found| read_record(&found)).transpose()
    }

    /// What a resource is, with what is not shown of it.
    pub(crate) fn revealed(&self, resource: &StoredResource) -> Result<Constant> {
        let mut body = resource.body.clone();
        if let Some(sealed) = &resource.sealed {
            Secrets::opened(&self.key, &resource.id, sealed)?.put_back(&mut body);
        }
        Ok(body)
    }

    /// A resource by its names.
    pub fn named_resource(&self, group: &str, type_name: &str, name: &str) -> Result<Option<StoredResource>> {
        self.resource(&resource_id(group, type_name, name))
    }

    /// The resources of a type, or of all registered types; of a group, or of all groups.
    pub fn resources(&self, type_name: Option<&str>, group: Option<&str>) -> Result<Vec<StoredResource>> {
        let found = self.some_resources(type_name, group, None, usize::MAX, MOST_BYTES)?;
        if found.is_cut {
            let most = MOST_BYTES >> 20;
            let message =
                format!("the resources have more than {most} MiB together; list them by group or type");
            return Err(RegistryError::TooLarge(message));
        }
        Ok(found.rows)
    }

    /// A part of the same list, which is in the order of ids: those behind an id, at most so many, and fewer if they are large.
    pub fn resources_after(
        &self,
        type_name: Option<&str>,
        group: Option<&str>,
        after: Option<&str>,
        take: usize,
    ) -> Result<ResourceRows> {
        self.some_resources(type_name, group, after, take, PART_BYTES)
    }

    fn some_resources(
        &self,
        type_name: Option<&str>,
        group: Option<&str>,
        after: Option<&str>,
        take: usize,
        most_bytes: usize,
    ) -> Result<ResourceRows> {
        // Ids are in order, so what begins alike is one part of the store.
        let (below, part) = match (group, type_name) {
            (Some(group), Some(name)) => (format!("{GROUPS}{group}/providers/{name}/"), None),
            (Some(group), None) => (format!("{GROUPS}{group}/"), None),
            (None, name) => (GROUPS.to_owned(), name.map(|name| format!("/providers/{}/", name.caseless()))),
        };
        let (mut found, mut bytes) = (Vec::new(), 0);
        for record in store::scan_resources(&*self.store, &below, after.unwrap_or_default()) {
            let record = record?;
            if part.as_ref().is_some_and(|part| !record.id.caseless().contains(part)) {
                continue;
            }
            if found.len() == take {
                return Ok(ResourceRows { rows: found, is_cut: false });
            }
            if bytes > most_bytes {
                return Ok(ResourceRows { rows: found, is_cut: true });
            }
            bytes += record.body.len();
            found.push(listed(&record));
        }
        Ok(ResourceRows { rows: found, is_cut: false })
    }

    /// Forgets a resource; whether there was one.
    pub fn delete(&self, group: &str, type_name: &str, name: &str) -> Result<bool> {
        self.delete_if(group, type_name, name, Precondition::None)
    }

    /// The same, if a condition holds of what is there.
    pub fn delete_if(
        &self,
        group: &str,
        type_name: &str,
        name: &str,
        condition: Precondition<'_>,
    ) -> Result<bool> {
        self.until_settled(|| {
            let found = self.store.resource(&ResourceId::new(&resource_id(group, type_name, name)))?;
            // One that cannot be read can be deleted.
            let before = found.as_ref().map(listed);
            condition.check(before.as_ref())?;
            let Some(before) = before else {
                return Ok((false, Vec::new(), Vec::new()));
            };
            let id = ResourceId::new(&before.id);
            let condition = Condition::ResourceVersion(id.clone(), Some(before.version));
            Ok((true, vec![condition], vec![Write::DeleteResource(id)]))
        })
    }
}

/// The members of a resource that are kept, in order.
const MEMBERS: &[&str] = &["id", "name", "type", "apiVersion", "location", "tags", "properties"];

/// A resource with the members that say which one it is; what it says of itself has to be so.
fn identified(given: Constant, own: &[(&str, &str)]) -> Result<Constant> {
    let Constant::Object(mut members) = given else { return Ok(given) };
    for (name, expected) in own.iter().rev() {
        let at = members.iter().position(|(key, _)| is_text(key, name));
        match at.and_then(|at| members.get(at)).map(|(_, said)| said) {
            Some(Constant::Text(said)) if said.eq_ignore_ascii_case(expected) => {}
            Some(Constant::Text(said)) => {
                let said = crate::findings::shorten(said);
                let message =
                    format!("the {name} of the resource is `{said}`, and `{expected}` was asked for");
                return Err(RegistryError::Name(message));
            }
            // What is no text is refused as the contract says.
            Some(_) => continue,
            None => {}
        }
        if let Some(at) = at {
            members.remove(at);
        }
        members.insert(0, (Constant::text(name), Constant::text(expected)));
    }
    Ok(Constant::Object(members))
}

/// A whole resource without what a schema says that nobody may see, which is given to `aside` with its place.
pub(super) fn put_aside(schema: &Schema, body: Constant, aside: &mut dyn FnMut(&str, Constant)) -> Constant {
    let Constant::Object(members) = body else { return body };
    let hide = |value: Constant, aside: &mut dyn FnMut(&str, Constant)| {
        within(&mut String::new(), "properties", |pointer| {
            hidden(schema, value, pointer, &mut |pointer, value| {
                aside(pointer, value);
                None
            })
        })
    };
    let members = members.into_iter().map(|(name, value)| {
        let value =
            if is_text(&name, "properties") { hide(value, aside).unwrap_or(Constant::Null) } else { value };
        (name, value)
    });
    Constant::Object(members.collect())
}

/// The scope of a resource, by its id.
fn scope_of(id: &str) -> &str {
    id.split_once("/providers/").map_or(id, |(scope, _)| scope)
}

/// The id of a resource.
pub(crate) fn resource_id(group: &str, full_name: &str, name: &str) -> String {
    format!("{GROUPS}{group}/providers/{full_name}/{name}")
}

/// Refuses names that ids cannot have.
pub(crate) fn named(what: &str, name: &str) -> Result<()> {
    let good = name.len() <= 63
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && !name.ends_with('-')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if good {
        return Ok(());
    }
    Err(RegistryError::Name(format!(
        "`{}` is not the name of a {what}: write letters, digits and dashes, a letter first, at most 63",
        crate::findings::shorten(name)
    )))
}

fn too_deep() -> RegistryError {
    RegistryError::Name(format!("the resource nests deeper than {RESOURCE_DEPTH} levels"))
}

fn is_text(constant: &Constant, text: &str) -> bool {
    matches!(constant, Constant::Text(found) if found == text)
}

pub(crate) fn member<'c>(value: &'c Constant, name: &str) -> Option<&'c Constant> {
    match value {
        Constant::Object(members) => {
            members.iter().find(|(key, _)| is_text(key, name)).map(|(_, value)| value)
        }
        _ => None,
    }
}

fn set(value: &mut Constant, name: &str, to: Constant) {
    let Constant::Object(members) = value else { return };
    match members.iter_mut().find(|(key, _)| is_text(key, name)) {
        Some((_, value)) => *value = to,
        None => members.push((Constant::text(name), to)),
    }
}

/// A resource in a list. One that cannot be read is in it, too, and keeps no other from being listed.
pub(super) fn listed(record: &store::Resource) -> StoredResource {
    read_record(record).unwrap_or_else(|_| {
        let rest = record.id.split_once("/providers/").map_or("", |(_, rest)| rest);
        let (kind, name) = rest.rsplit_once('/').unwrap_or((rest, ""));
        let text = |name: &str, value: &str| (Constant::text(name), Constant::text(value));
        let state = Constant::Object(vec![text(PROVISIONING_STATE, DAMAGED)]);
        let body = Constant::Object(vec![
            text("id", &record.id),
            text("name", name),
            text("type", kind),
            (Constant::text("properties"), state),
        ]);
        let (id, version) = (record.id.clone(), record.version);
        StoredResource { id, body, is_new: false, version, sealed: None, is_damaged: true }
    })
}

pub(super) fn read_record(record: &store::Resource) -> Result<StoredResource> {
    let damaged = || RegistryError::Damaged(quoted(&record.id));
    let document = Document::from_json(&record.body, FileId::FIRST, &STORED).map_err(|_| damaged())?;
    let body = document.root().member("body").ok_or_else(damaged)?;
    // Nothing of the kind is let in, so that somebody else has written it.
    if !faults(body, SchemaGuide::Nothing, STORED.depth).is_empty() {
        return Err(damaged());
    }
    let body = Constant::copy(body, STORED.depth);
    let mut body = body.ok_or_else(damaged)?;
    let digests = document.root().member("digests");
    let pointers = digests.into_iter().flat_map(|digests| digests.members());
    show_nulls(&mut body, pointers.filter_map(|(pointer, _)| pointer.as_str()));
    let sealed = document.root().member(SEALED).and_then(|sealed| sealed.as_str()).map(Into::into);
    Ok(StoredResource {
        id: record.id.clone(),
        body,
        is_new: false,
        version: record.version,
        sealed,
        is_damaged: false,
    })
}
