//! Resources of registered types.

use contract::{Constant, PathStep, Violation};
use document::{Document, FileId, Limits, Value};
use sha2::{Digest as _, Sha256};
use store::{Condition, ResourceId, Write};

use super::compiled::Compiled;
use super::secrets::{Secrets, show_nulls};
use super::{Registry, RegistryError, Result, quoted, record};
use crate::complete::{filled, hidden, restored, within};
use crate::lower::Purpose;

/// Where resources are.
pub(crate) const GROUPS: &str = "/planes/radius/local/resourceGroups/";

/// How many resources are looked through at a time for those of a type.
const LOOKED_AT: usize = 1_000;

/// How deep a resource may nest.
pub(crate) const DEPTH: usize = 128;

/// A resource that somebody wants.
#[derive(Clone, Copy, Debug)]
pub struct PutResource<'p> {
    /// The resource group.
    pub group: &'p str,
    /// Its type, `Namespace/type`.
    pub type_name: &'p str,
    /// Its name.
    pub name: &'p str,
    /// The version of the API; the default or only one without it.
    pub api_version: Option<&'p str>,
    /// What it is to be.
    pub body: Value<'p>,
}

/// A resource as the registry has it.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredResource {
    /// Its id.
    pub id: String,
    /// What is shown of it: no secret.
    pub body: Constant,
    /// Whether a put made it.
    pub is_new: bool,
    version: u64,
}

/// What must hold of a resource that is there, by its [`StoredResource::etag`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precondition<'p> {
    /// Nothing.
    None,
    /// There is one; with a tag, this one.
    Match(Option<&'p str>),
    /// There is none.
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
    pub fn sent(body: Value<'_>, is_new: bool) -> Option<StoredResource> {
        let id = body.member("id")?.as_str()?.to_owned();
        Some(StoredResource { id, body: Constant::copy(body, DEPTH)?, is_new, version: 0 })
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
            check(&kind.schema, put.body, before.as_ref())?;
            let expected =
                [("id", id.as_str()), ("name", put.name), ("type", full_name), ("apiVersion", &kind.version)];
            for (member, expected) in expected {
                let given = put.body.member(member).and_then(|given| given.as_str());
                if let Some(given) = given.filter(|given| !given.eq_ignore_ascii_case(expected)) {
                    let message = format!(
                        "the {member} of the resource is `{}`, and `{expected}` was asked for",
                        crate::schema::shorten(given)
                    );
                    return Err(RegistryError::Name(message));
                }
            }
            let properties = put.body.member("properties").and_then(|it| Constant::copy(it, DEPTH));
            let properties =
                properties.ok_or_else(|| RegistryError::Name("the resource nests too deeply".to_owned()))?;
            let stored = before.as_ref().and_then(|before| member(&before.body, "properties"));
            let properties = filled(schema, restored(schema, properties, stored));
            let mut secrets = Secrets::default();
            let properties = within(&mut String::new(), "properties", |pointer| {
                hidden(schema, properties, pointer, &mut |pointer, value| {
                    secrets.put(pointer, value);
                    None
                })
            });
            let mut properties = properties.unwrap_or(Constant::Null);
            set(&mut properties, "provisioningState", Constant::text("Succeeded"));
            let mut members = vec![
                (Constant::text("id"), Constant::text(&id)),
                (Constant::text("name"), Constant::text(put.name)),
                (Constant::text("type"), Constant::text(full_name)),
                (Constant::text("apiVersion"), Constant::text(&kind.version)),
            ];
            for name in ["location", "tags"] {
                let given = put.body.member(name).and_then(|given| Constant::copy(given, DEPTH));
                members.extend(given.map(|given| (Constant::text(name), given)));
            }
            members.push((Constant::text("properties"), properties));
            let body = Constant::Object(members);
            let (digests, sealed) = (secrets.digests(&self.key)?, secrets.sealed(&self.key, &id)?);
            let key = ResourceId::new(&id);
            let mut conditions = vec![Condition::ResourceVersion(key, before.as_ref().map(|it| it.version))];
            conditions.extend(kind.condition());
            let kept = record(&id, &body.to_string(), &digests, sealed.as_deref());
            let mut done = read_record(&kept)?;
            done.is_new = before.is_none();
            Ok((done, conditions, vec![Write::Resource(kept)]))
        })
    }

    /// A resource by its id.
    pub fn resource(&self, id: &str) -> Result<Option<StoredResource>> {
        let found = self.store.resource(&ResourceId::new(id))?;
        found.map(|found| read_record(&found)).transpose()
    }

    /// A resource by its names.
    pub fn named_resource(&self, group: &str, type_name: &str, name: &str) -> Result<Option<StoredResource>> {
        self.resource(&resource_id(group, type_name, name))
    }

    /// The resources of a type, or of all registered types; of a group, or of all groups.
    pub fn resources(&self, type_name: Option<&str>, group: Option<&str>) -> Result<Vec<StoredResource>> {
        self.resources_after(type_name, group, None, usize::MAX)
    }

    /// A part of the same list, which is in the order of ids: those behind an id, at most so many.
    pub fn resources_after(
        &self,
        type_name: Option<&str>,
        group: Option<&str>,
        after: Option<&str>,
        take: usize,
    ) -> Result<Vec<StoredResource>> {
        // Ids are in order, so what begins alike is one part of the store.
        let (below, part) = match (group, type_name) {
            (Some(group), Some(name)) => (format!("{GROUPS}{group}/providers/{name}/"), None),
            (Some(group), None) => (format!("{GROUPS}{group}/"), None),
            (None, name) => {
                (GROUPS.to_owned(), name.map(|name| format!("/providers/{}/", name.to_lowercase())))
            }
        };
        let mut after = ResourceId::new(after.unwrap_or_default());
        let Some(part) = part else {
            return self.store.resources_after(&below, &after, take)?.iter().map(read_record).collect();
        };
        let mut found = Vec::new();
        loop {
            let records = self.store.resources_after(&below, &after, LOOKED_AT)?;
            let Some(last) = records.last() else { return Ok(found) };
            after = ResourceId::new(&last.id);
            for record in records.iter().filter(|record| record.id.to_lowercase().contains(&part)) {
                if found.len() == take {
                    return Ok(found);
                }
                found.push(read_record(record)?);
            }
        }
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
            let before = self.named_resource(group, type_name, name)?;
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
        crate::schema::shorten(name)
    )))
}

/// Checks a request; what it repeats of the server's own values is not held against it.
fn check(schema: &Compiled, body: Value<'_>, before: Option<&StoredResource>) -> Result<()> {
    let unusable = || RegistryError::Name("the schema of the type cannot be used".to_owned());
    let contract = schema.contract(Purpose::Request).ok_or_else(unusable)?;
    let mut violations = contract.violations(body);
    violations.retain(|violation| !repeats(violation, body, before));
    if violations.is_empty() { Ok(()) } else { Err(RegistryError::Resource(violations)) }
}

fn repeats(violation: &Violation, body: Value<'_>, before: Option<&StoredResource>) -> bool {
    if &*violation.rule != "readOnly" {
        return false;
    }
    let Some(before) = before else { return false };
    let stored = violation.path.steps.iter().try_fold(&before.body, |value, step| match step {
        PathStep::Name(name) => member(value, name),
        PathStep::Index(_) | PathStep::Entry(_) | PathStep::Key(_) | PathStep::Secret => None,
    });
    let given = body.pointer(&violation.path.pointer()).and_then(|given| Constant::copy(given, DEPTH));
    stored.is_some() && given.as_ref() == stored
}

fn is_text(constant: &Constant, text: &str) -> bool {
    matches!(constant, Constant::Text(found) if found == text)
}

fn member<'c>(value: &'c Constant, name: &str) -> Option<&'c Constant> {
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

fn read_record(record: &store::Resource) -> Result<StoredResource> {
    let damaged = || RegistryError::Damaged(quoted(&record.id));
    // The resource stands inside of the record.
    let limits = Limits { depth: DEPTH + 8, ..Limits::DEFAULT };
    let document = Document::from_json(&record.body, FileId::FIRST, &limits).map_err(|_| damaged())?;
    let body = document.root().member("body").and_then(|body| Constant::copy(body, DEPTH));
    let mut body = body.ok_or_else(damaged)?;
    let digests = document.root().member("digests");
    let pointers = digests.into_iter().flat_map(|digests| digests.members());
    show_nulls(&mut body, pointers.filter_map(|(pointer, _)| pointer.as_str()));
    Ok(StoredResource { id: record.id.clone(), body, is_new: false, version: record.version })
}
