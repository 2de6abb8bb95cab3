//! Resource types in the registry.

use std::collections::HashMap;

use document::{Document, FileId, Limits, Value};
use store::{Condition, Like, Page, ResourceId, Write};

use super::icons::icon_id;
use super::resources::GROUPS;
use super::{Registry, RegistryError, Result, quoted, record};
use crate::manifest::{LIMITS, Manifest, ResourceType};
use crate::rule::{Dialect, Gate, Options};

/// What stands before the namespace in the id of a type.
const TYPES: &str = "/planes/radius/local/providers/System.Resources/resourceProviders/";

/// A type that the registry has.
#[derive(Debug)]
pub struct RegisteredType {
    /// A manifest with that type alone.
    pub manifest: Manifest,
    /// The version of its record.
    pub(super) version: u64,
    /// Its record, for those who have to keep it from being changed.
    pub(super) record: store::Resource,
}

impl RegisteredType {
    /// The type.
    pub fn resource_type(&self) -> Option<&ResourceType> {
        self.manifest.types.first()
    }

    /// `Namespace/type`.
    pub fn full_name(&self) -> String {
        self.resource_type().map(|it| self.manifest.full_name(it)).unwrap_or_default()
    }
}

/// What became of a type of a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registered {
    /// `Namespace/type`.
    pub name: String,
    /// Whether there was none before.
    pub is_new: bool,
}

impl Registry {
    /// Registers the types of a manifest, or one of them; the manifest is checked here, whoever checked it before.
    ///
    /// All types are registered, or none. Versions that a type has and the manifest does not have stay. A version that is
    /// changed while there are resources of the type is refused unless `force` says otherwise.
    pub fn register(
        &self,
        document: &Document,
        only: Option<&str>,
        dialect: Dialect,
        force: bool,
    ) -> Result<Vec<Registered>> {
        self.register_all(&[document], only, dialect, force)
    }

    /// The same for several manifests together: all of their types are registered, or none.
    pub fn register_all(
        &self,
        documents: &[&Document],
        only: Option<&str>,
        dialect: Dialect,
        force: bool,
    ) -> Result<Vec<Registered>> {
        let mut manifests = Vec::with_capacity(documents.len());
        for document in documents {
            let read = Manifest::read(document, Options { dialect, gate: Gate::Registry });
            match read.usable() {
                Some(_) => manifests.extend(read.manifest),
                None => return Err(RegistryError::Manifest(Box::new(read))),
            }
        }
        let chosen: Vec<(&Manifest, &ResourceType)> = manifests
            .iter()
            .flat_map(|manifest| manifest.named(only).map(move |resource_type| (manifest, resource_type)))
            .collect();
        if let (Some(only), true) = (only, chosen.is_empty()) {
            return Err(RegistryError::Name(format!("there is no type `{only}` in the manifest")));
        }
        self.until_settled(|| {
            let (mut done, mut conditions, mut writes) = (Vec::new(), Vec::new(), Vec::new());
            let mut instances = None;
            for (manifest, it) in &chosen {
                let name = manifest.full_name(it);
                let before = self.resource_type(&name)?;
                let merged = merge(it, before.as_ref().and_then(RegisteredType::resource_type));
                let is_guarded = !force && before.as_ref().is_some_and(|before| changes(&merged, before));
                if is_guarded {
                    // All resources are looked through once, however many types change.
                    let known = match &mut instances {
                        Some(known) => known,
                        none => none.insert(self.instances()?),
                    };
                    if let Some(instances) = known.remove(&name.to_lowercase()) {
                        return Err(RegistryError::InUse { name, instances });
                    }
                }
                let id = type_id(&name);
                let version = before.as_ref().map(|before| before.version);
                conditions.extend(is_guarded.then(|| without_instances(&name)));
                conditions.push(Condition::ResourceVersion(ResourceId::new(&id), version));
                let shown = shown(&id, &merged);
                writes.push(Write::Resource(record(&id, &shown, "{}", None)));
                done.push(Registered { name, is_new: before.is_none() });
            }
            Ok((done, conditions, writes))
        })
    }

    /// The ids of all resources in groups, by their types in lower case.
    fn instances(&self) -> Result<HashMap<String, Vec<String>>> {
        let mut by_type: HashMap<String, Vec<String>> = HashMap::new();
        for record in self.store.resources(GROUPS, Page::ALL)? {
            let lower = record.id.to_lowercase();
            let rest = lower.split_once("/providers/").map_or("", |(_, rest)| rest);
            if let Some((kind, _)) = rest.rsplit_once('/') {
                by_type.entry(kind.to_owned()).or_default().push(record.id);
            }
        }
        Ok(by_type)
    }

    /// All types, in the order of their names.
    pub fn resource_types(&self) -> Result<Vec<RegisteredType>> {
        let records = self.store.resources(TYPES, Page::ALL)?;
        records.into_iter().map(read_record).collect()
    }

    /// The types of a namespace, in the order of their names.
    pub fn types_of(&self, namespace: &str) -> Result<Vec<RegisteredType>> {
        let records = self.store.resources(&format!("{TYPES}{namespace}/"), Page::ALL)?;
        records.into_iter().map(read_record).collect()
    }

    /// Puts what a type says of itself; its versions stay as they are. The provider has to be there.
    ///
    /// `envelope` has `description`, `capabilities` and `defaultApiVersion`, as a manifest has them.
    pub fn put_type(&self, full_name: &str, envelope: Value<'_>) -> Result<(RegisteredType, bool)> {
        let read = self.read_part(full_name, &members_of(envelope))?;
        self.change_type(full_name, false, |before| {
            let mut it = read.clone();
            it.versions = before.map(|before| before.versions.clone()).unwrap_or_default();
            Ok(it)
        })
    }

    /// Puts a version of a type, which has to be there; whether it is new. One that changes while there are resources of the type is
    /// refused unless `force` says otherwise.
    pub fn put_version(
        &self,
        full_name: &str,
        version: &str,
        schema: Value<'_>,
        force: bool,
    ) -> Result<(RegisteredType, bool)> {
        let text = format!("\"apiVersions\":{{{}:{{\"schema\":{}}}}}", quoted(version), rooted(schema));
        let read = self.read_part(full_name, &text)?;
        self.found_type(full_name)?;
        let mut is_new = false;
        let (registered, _) = self.change_type(full_name, force, |before| {
            let before = before.ok_or(RegistryError::Busy)?;
            let mut it = before.clone();
            is_new = !it.versions.iter().any(|there| &*there.name == version);
            it.versions.retain(|there| &*there.name != version);
            it.versions.extend(read.versions.iter().cloned());
            it.versions.sort_by(|a, b| a.name.cmp(&b.name));
            Ok(it)
        })?;
        Ok((registered, is_new))
    }

    /// Forgets a version of a type; whether there was one.
    pub fn delete_version(&self, full_name: &str, version: &str, force: bool) -> Result<bool> {
        let found = self.resource_type(full_name)?;
        let known = found.as_ref().and_then(RegisteredType::resource_type);
        if !known.is_some_and(|it| it.versions.iter().any(|there| &*there.name == version)) {
            return Ok(false);
        }
        self.change_type(full_name, force, |before| {
            let mut it = before.ok_or(RegistryError::Busy)?.clone();
            it.versions.retain(|there| &*there.name != version);
            Ok(it)
        })?;
        Ok(true)
    }

    /// Reads a part of a type as a manifest with nothing else.
    fn read_part(&self, full_name: &str, members: &str) -> Result<ResourceType> {
        let (namespace, name) = full_name.split_once('/').unwrap_or((full_name, ""));
        let provider = self.known_provider(namespace)?;
        // One that is there may be named in any case.
        let there = self.resource_type(full_name)?;
        let name = there.as_ref().and_then(RegisteredType::resource_type).map_or(name, |it| &*it.name);
        let text = format!(
            "{{\"namespace\":{},\"types\":{{{}:{{{members}}}}}}}",
            quoted(&provider.namespace),
            quoted(name)
        );
        let document = Document::from_json(text, FileId::FIRST, &LIMITS)
            .map_err(|error| RegistryError::Name(format!("the type cannot be read: {error}")))?;
        let options = Options { dialect: Dialect::Tendon, gate: Gate::Registry };
        let read = Manifest::read(&document, options);
        match read.usable().and_then(|manifest| manifest.types.first()) {
            Some(it) => Ok(it.clone()),
            None => Err(RegistryError::Manifest(Box::new(read))),
        }
    }

    /// Changes a type, or makes it; whether it is new. Its name stays as it was first written.
    fn change_type(
        &self,
        full_name: &str,
        force: bool,
        mut change: impl FnMut(Option<&ResourceType>) -> Result<ResourceType>,
    ) -> Result<(RegisteredType, bool)> {
        let (namespace, _) = full_name.split_once('/').unwrap_or((full_name, ""));
        let namespace = self.known_provider(namespace)?.namespace;
        self.until_settled(|| {
            let before = self.resource_type(full_name)?;
            let old = before.as_ref().and_then(RegisteredType::resource_type);
            let mut it = change(old)?;
            if let Some(old) = old {
                it.name = old.name.clone();
            }
            let merged = (it.name.to_string(), it);
            let is_guarded = !force && before.as_ref().is_some_and(|before| changes(&merged, before));
            if is_guarded {
                self.unused(full_name)?;
            }
            let id = type_id(&format!("{namespace}/{}", merged.0));
            let version = before.as_ref().map(|before| before.version);
            let mut conditions = vec![Condition::ResourceVersion(ResourceId::new(&id), version)];
            conditions.extend(is_guarded.then(|| without_instances(full_name)));
            let kept = record(&id, &shown(&id, &merged), "{}", None);
            let registered = read_record(kept.clone())?;
            Ok(((registered, before.is_none()), conditions, vec![Write::Resource(kept)]))
        })
    }

    /// A type by its full name, or that there is none.
    pub fn found_type(&self, full_name: &str) -> Result<RegisteredType> {
        self.resource_type(full_name)?.ok_or_else(|| {
            let shown = crate::schema::shorten(full_name);
            RegistryError::Missing(format!("the resource type `{shown}` was not found"))
        })
    }

    /// A type by its full name, `Namespace/type`, regardless of case.
    pub fn resource_type(&self, full_name: &str) -> Result<Option<RegisteredType>> {
        let found = self.store.resource(&ResourceId::new(&type_id(full_name)))?;
        found.map(read_record).transpose()
    }

    /// The same, or why there is none.
    pub fn known_type(&self, full_name: &str) -> Result<RegisteredType> {
        if full_name.split('/').filter(|part| !part.is_empty()).count() != 2 {
            let message = format!("`{full_name}` is not a resource type; write `Namespace/type`");
            return Err(RegistryError::Name(message));
        }
        if let Some(found) = self.resource_type(full_name)? {
            return Ok(found);
        }
        let names: Vec<String> = self.resource_types()?.iter().map(RegisteredType::full_name).collect();
        let near = diagnostics::suggest(full_name, names.iter().map(String::as_str));
        let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        Err(RegistryError::Name(format!("the resource type `{full_name}` is not registered{hint}")))
    }

    /// Forgets a type; whether there was one. Its resources keep it unless `force` says otherwise.
    pub fn delete_type(&self, full_name: &str, force: bool) -> Result<bool> {
        self.until_settled(|| {
            let Some(before) = self.resource_type(full_name)? else {
                return Ok((false, Vec::new(), Vec::new()));
            };
            if !force {
                self.unused(full_name)?;
            }
            let id = ResourceId::new(&type_id(full_name));
            let mut conditions = vec![Condition::ResourceVersion(id.clone(), Some(before.version))];
            conditions.extend((!force).then(|| without_instances(full_name)));
            let icon = ResourceId::new(&icon_id(full_name));
            Ok((true, conditions, vec![Write::DeleteResource(id), Write::DeleteResource(icon)]))
        })
    }

    /// Refuses what would pull a type from under its resources.
    pub(super) fn unused(&self, full_name: &str) -> Result<()> {
        let instances: Vec<String> =
            self.resources(Some(full_name), None)?.into_iter().map(|it| it.id).collect();
        if instances.is_empty() {
            return Ok(());
        }
        Err(RegistryError::InUse { name: full_name.to_owned(), instances })
    }
}

/// There is still no resource of a type. Whoever puts one depends on the record of its type.
pub(super) fn without_instances(full_name: &str) -> Condition {
    Condition::NoResource(Like::new(GROUPS, &format!("/providers/{full_name}/")))
}

/// A schema with the type of its root. `rad` sends `schema: {}` with the properties that every type has, and leaves the type out.
fn rooted(schema: Value<'_>) -> String {
    let is_object = matches!(schema.node(), contract::Node::Object(_));
    if !is_object || ["type", "$ref", "openAPIV3Schema"].iter().any(|name| schema.member(name).is_some()) {
        return schema.to_string();
    }
    let members = members_of(schema);
    let comma = if members.is_empty() { "" } else { "," };
    format!("{{\"type\":\"object\"{comma}{members}}}")
}

/// The members of an object as text, to be put among others.
fn members_of(value: Value<'_>) -> String {
    let members = value.members().map(|(name, value)| format!("{name}:{value}"));
    members.collect::<Vec<_>>().join(",")
}

pub(super) fn type_id(full_name: &str) -> String {
    let (namespace, name) = full_name.split_once('/').unwrap_or((full_name, ""));
    format!("{TYPES}{namespace}/resourceTypes/{name}")
}

/// A type with the versions that it had before and no longer declares.
fn merge(it: &ResourceType, before: Option<&ResourceType>) -> (String, ResourceType) {
    let mut merged = it.clone();
    for version in before.into_iter().flat_map(|before| &before.versions) {
        if !merged.versions.iter().any(|known| known.name == version.name) {
            merged.versions.push(version.clone());
        }
    }
    merged.versions.sort_by(|a, b| a.name.cmp(&b.name));
    (it.name.to_string(), merged)
}

/// Whether a version is not what it was.
fn changes((_, after): &(String, ResourceType), before: &RegisteredType) -> bool {
    let before = before.resource_type().into_iter().flat_map(|before| &before.versions);
    before.into_iter().any(|old| {
        let new = after.versions.iter().find(|new| new.name == old.name);
        new.is_none_or(|new| new.schema.to_json() != old.schema.to_json())
    })
}

/// What is shown of a type.
fn shown(id: &str, (name, it): &(String, ResourceType)) -> String {
    let mut properties = Vec::new();
    if let Some(description) = &it.description {
        properties.push(format!("\"description\":{}", quoted(description)));
    }
    let capabilities: Vec<String> = it.capabilities.iter().map(|name| quoted(name)).collect();
    properties.push(format!("\"capabilities\":[{}]", capabilities.join(",")));
    if let Some(version) = &it.default_version {
        properties.push(format!("\"defaultApiVersion\":{}", quoted(version)));
    }
    let versions = it.versions.iter();
    let versions = versions.map(|it| format!("{}:{{\"schema\":{}}}", quoted(&it.name), it.schema.to_json()));
    properties.push(format!("\"apiVersions\":{{{}}}", versions.collect::<Vec<_>>().join(",")));
    format!(
        "{{\"id\":{},\"name\":{},\"type\":\"System.Resources/resourceProviders/resourceTypes\",\"properties\":{{{}}}}}",
        quoted(id),
        quoted(name),
        properties.join(",")
    )
}

/// A type from its record.
fn read_record(record: store::Resource) -> Result<RegisteredType> {
    let manifest = manifest_of(&record).ok_or_else(|| RegistryError::Damaged(record.id.clone()))?;
    Ok(RegisteredType { manifest, version: record.version, record })
}

pub(super) fn manifest_of(record: &store::Resource) -> Option<Manifest> {
    let document = Document::from_json(&record.body, FileId::FIRST, &Limits::DEFAULT).ok()?;
    let shown = document.root().member("body")?;
    let namespace = shown.member("id")?.as_str()?.get(TYPES.len()..)?.split('/').next()?;
    let name = shown.member("name")?.as_str()?;
    let text = format!(
        "{{\"namespace\":{},\"types\":{{{}:{}}}}}",
        quoted(namespace),
        quoted(name),
        shown.member("properties")?
    );
    let document = Document::from_json(text, FileId::FIRST, &Limits::DEFAULT).ok()?;
    let read = Manifest::read(&document, Options::default());
    read.usable()?;
    read.manifest
}
