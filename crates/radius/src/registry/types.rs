//! Resource types in the registry.

use std::collections::HashSet;

use arm::Caseless as _;
use contract::{Admitted, Boundary, admit};
use diagnostics::Span;
use document::{Document, FileId, SourceValue};
use store::{Condition, Like, Page, ResourceId, Write};

use super::change::{BrokenResource, Needs, TypeChange};
use super::groups::NAMED;
use super::icons::icon_id;
use super::resources::GROUPS;
use super::{Registry, RegistryError, Result, quoted, record};
use crate::built_in_types::BUILT_IN;
use crate::limits::{LIMITS, STORED};
use crate::manifest::{Manifest, ResourceType};
use crate::rule::{ManifestDialect, ManifestReadOptions, RuleStage};

/// What stands before the namespace in the id of a type.
pub(super) const TYPES: &str = "/planes/radius/local/providers/System.Resources/resourceProviders/";

/// A type that the registry has.
#[derive(Debug)]
pub struct RegisteredType {
    /// A manifest with that type alone.
    pub manifest: Manifest,
    /// The version of its record.
    pub(super) version: u64,
    /// Its record, for those who have to keep it from being changed.
    pub(super) record: store::Resource,
    /// Whether its record cannot be read: nothing but its name is known.
    pub is_damaged: bool,
}

impl RegisteredType {
    /// The type; none if its record cannot be read.
    pub fn resource_type(&self) -> Option<&ResourceType> {
        self.manifest.types.first()
    }

    /// The type, if its record can be read.
    fn readable(self) -> Result<RegisteredType> {
        if self.is_damaged { Err(RegistryError::Damaged(self.record.id)) } else { Ok(self) }
    }

    /// The full name, `Namespace/type`; empty if its record cannot be read.
    pub fn full_name(&self) -> String {
        self.resource_type().map(|it| self.manifest.full_name(it)).unwrap_or_default()
    }
}

/// What became of a type of a manifest.
#[derive(Clone, Debug, PartialEq)]
pub struct RegisterResult {
    /// The full name, `Namespace/type`.
    pub name: String,
    /// Whether there was none before.
    pub is_new: bool,
    /// The resources of the type that the change left broken.
    pub broken: Vec<BrokenResource>,
}

impl Registry {
    /// Registers the types of a manifest, or one of them; the manifest is checked here, whoever checked it before.
    ///
    /// All types are registered, or none. Versions that a type has and the manifest does not have stay. A change that breaks
    /// resources of the type is refused unless `force` says otherwise.
    pub fn register(
        &self,
        document: &Document,
        only: Option<&str>,
        dialect: ManifestDialect,
        force: bool,
    ) -> Result<Vec<RegisterResult>> {
        self.register_all(&[document], only, dialect, force)
    }

    /// The same for several manifests together: all of their types are registered, or none.
    pub fn register_all(
        &self,
        documents: &[&Document],
        only: Option<&str>,
        dialect: ManifestDialect,
        force: bool,
    ) -> Result<Vec<RegisterResult>> {
        let mut manifests = Vec::with_capacity(documents.len());
        for document in documents {
            let read = Manifest::read(document, ManifestReadOptions { dialect, gate: RuleStage::Registry });
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
            let mut changed = Vec::with_capacity(chosen.len());
            for (manifest, it) in &chosen {
                let name = manifest.full_name(it);
                let before = self.resource_type(&name)?;
                let merged = merge(it, before.as_ref().and_then(RegisteredType::resource_type));
                changed.push((name, before, merged));
            }
            // All resources are looked through once, however many types change.
            let names = changed.iter().filter(|(_, before, merged)| is_changed(before.as_ref(), merged));
            let mut instances = self.instances(&names.map(|(name, ..)| name.caseless()).collect())?;
            for (name, before, merged) in changed {
                let id = type_id(&name);
                let version = before.as_ref().map(|before| before.version);
                conditions.push(Condition::ResourceVersion(ResourceId::new(&id), version));
                let of = instances.remove(&name.caseless());
                let terms = TypeChange::of(self, &name, before.as_ref(), of, force);
                let admitted = admit(Boundary::ResourceType, &terms, merged)?;
                let Needs { conditions: more, writes: others, broken } = terms.needs();
                conditions.extend(more);
                writes.push(Write::Resource(type_record(&id, &admitted)));
                writes.extend(others);
                done.push(RegisterResult { name, is_new: before.is_none(), broken });
            }
            Ok((done, conditions, writes))
        })
    }

    /// All types, in the order of their names.
    pub fn resource_types(&self) -> Result<Vec<RegisteredType>> {
        let records = self.store.resources(TYPES, Page::ALL)?;
        Ok(records.into_iter().filter_map(read_record).collect())
    }

    /// The types of a namespace, in the order of their names.
    pub fn types_of(&self, namespace: &str) -> Result<Vec<RegisteredType>> {
        let records = self.store.resources(&format!("{TYPES}{namespace}/"), Page::ALL)?;
        Ok(records.into_iter().filter_map(read_record).collect())
    }

    /// Puts what a type says of itself; its versions stay as they are. The provider has to be there.
    ///
    /// `envelope` has `description`, `capabilities` and `defaultApiVersion`, as a manifest has them.
    pub fn put_type(&self, full_name: &str, envelope: SourceValue<'_>) -> Result<(RegisteredType, bool)> {
        let read = self.read_part(full_name, &members_of(envelope))?;
        let (registered, is_new, _) = self.change_type(full_name, false, |before| {
            let mut it = read.clone();
            it.versions = before.map(|before| before.versions.clone()).unwrap_or_default();
            Ok(it)
        })?;
        Ok((registered, is_new))
    }

    /// Puts a version of a type, which has to be there; whether it is new. One whose change breaks resources is refused unless `force`
    /// says otherwise; then it is said which it leaves broken.
    pub fn put_version(
        &self,
        full_name: &str,
        version: &str,
        schema: SourceValue<'_>,
        force: bool,
    ) -> Result<(RegisteredType, bool, Vec<BrokenResource>)> {
        let text = format!("\"apiVersions\":{{{}:{{\"schema\":{}}}}}", quoted(version), rooted(schema));
        let read = self.read_part(full_name, &text)?;
        self.found_type(full_name)?;
        let mut is_new = false;
        let (registered, _, broken) = self.change_type(full_name, force, |before| {
            let before = before.ok_or(RegistryError::Busy)?;
            let mut it = before.clone();
            is_new = !it.versions.iter().any(|there| &*there.name == version);
            it.versions.retain(|there| &*there.name != version);
            it.versions.extend(read.versions.iter().cloned());
            it.versions.sort_by(|a, b| a.name.cmp(&b.name));
            Ok(it)
        })?;
        Ok((registered, is_new, broken))
    }

    /// Forgets a version of a type; none if there is none, else the resources that are left without it.
    pub fn delete_version(
        &self,
        full_name: &str,
        version: &str,
        force: bool,
    ) -> Result<Option<Vec<BrokenResource>>> {
        let found = self.resource_type(full_name)?;
        let known = found.as_ref().and_then(RegisteredType::resource_type);
        if !known.is_some_and(|it| it.versions.iter().any(|there| &*there.name == version)) {
            return Ok(None);
        }
        let (_, _, broken) = self.change_type(full_name, force, |before| {
            let mut it = before.ok_or(RegistryError::Busy)?.clone();
            it.versions.retain(|there| &*there.name != version);
            Ok(it)
        })?;
        Ok(Some(broken))
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
        let options = ManifestReadOptions { dialect: ManifestDialect::Tendon, gate: RuleStage::Registry };
        let read = Manifest::read(&document, options);
        match read.usable().and_then(|manifest| manifest.types.first()) {
            Some(it) => Ok(it.clone()),
            None => Err(RegistryError::Manifest(Box::new(read))),
        }
    }

    /// Changes a type, or makes it; whether it is new, and which of its resources are left broken. Its name
    /// stays as it was first written.
    fn change_type(
        &self,
        full_name: &str,
        force: bool,
        mut change: impl FnMut(Option<&ResourceType>) -> Result<ResourceType>,
    ) -> Result<(RegisteredType, bool, Vec<BrokenResource>)> {
        let (namespace, _) = full_name.split_once('/').unwrap_or((full_name, ""));
        let namespace = self.known_provider(namespace)?.namespace;
        self.until_settled(|| {
            let before = self.resource_type(full_name)?;
            let old = before.as_ref().and_then(RegisteredType::resource_type);
            let mut it = change(old)?;
            if let Some(old) = old {
                it.name = old.name.clone();
            }
            let id = type_id(&format!("{namespace}/{}", it.name));
            let version = before.as_ref().map(|before| before.version);
            let mut conditions = vec![Condition::ResourceVersion(ResourceId::new(&id), version)];
            let name = full_name.caseless();
            let of = match is_changed(before.as_ref(), &it) {
                true => self.instances(&HashSet::from([name.clone()]))?.remove(&name),
                false => None,
            };
            let terms = TypeChange::of(self, full_name, before.as_ref(), of, force);
            let admitted = admit(Boundary::ResourceType, &terms, it)?;
            let Needs { conditions: more, writes: others, broken } = terms.needs();
            conditions.extend(more);
            let kept = type_record(&id, &admitted);
            let mut writes = vec![Write::Resource(kept.clone())];
            writes.extend(others);
            let registered = read_record(kept).ok_or_else(|| RegistryError::Damaged(id.clone()))?;
            Ok(((registered, before.is_none(), broken), conditions, writes))
        })
    }

    /// A type by its full name, or that there is none.
    pub fn found_type(&self, full_name: &str) -> Result<RegisteredType> {
        let found = self.resource_type(full_name)?.ok_or_else(|| {
            let shown = crate::findings::shorten(full_name);
            RegistryError::Missing(format!("the resource type `{shown}` was not found"))
        })?;
        found.readable()
    }

    /// A type by its full name, `Namespace/type`, regardless of case.
    pub fn resource_type(&self, full_name: &str) -> Result<Option<RegisteredType>> {
        let found = self.store.resource(&ResourceId::new(&type_id(full_name)))?;
        Ok(found.and_then(read_record))
    }

    /// The same, or why there is none.
    pub fn known_type(&self, full_name: &str) -> Result<RegisteredType> {
        if full_name.split('/').filter(|part| !part.is_empty()).count() != 2 {
            let message = format!("`{full_name}` is not a resource type; write `Namespace/type`");
            return Err(RegistryError::Name(message));
        }
        if let Some(found) = self.resource_type(full_name)? {
            return found.readable();
        }
        let names = self.resource_types()?;
        let names = names.iter().map(RegisteredType::full_name);
        let names: Vec<String> = names.chain(BUILT_IN.iter().map(|row| row.name.to_owned())).collect();
        let hint = nearest(full_name, &names).map(|near| format!("; did you mean `{near}`?"));
        let shown = crate::findings::shorten(full_name);
        let message = format!("the resource type `{shown}` is not registered{}", hint.unwrap_or_default());
        Err(RegistryError::Name(message))
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
        let part = format!("/providers/{}/", full_name.caseless());
        let is_instance = |id: &str| id.caseless().contains(&part);
        let instances = store::scan_resources(&*self.store, GROUPS, "")
            .map(|found| found.map(|found| found.id))
            .filter(|id| id.as_ref().map_or(true, |id| is_instance(id)))
            .take(NAMED)
            .collect::<std::result::Result<Vec<String>, _>>()?;
        if instances.is_empty() {
            return Ok(());
        }
        Err(RegistryError::InUse { name: full_name.to_owned(), instances })
    }
}

/// The name of a type that is most likely meant: in a namespace that there is, one of its types.
fn nearest<'n>(full_name: &str, names: &'n [String]) -> Option<&'n str> {
    let (namespace, wanted) = full_name.split_once('/')?;
    let of = |name: &'n String| {
        let (known, kind) = name.split_once('/')?;
        known.eq_ignore_ascii_case(namespace).then_some((kind, name.as_str()))
    };
    let siblings: Vec<(&str, &str)> = names.iter().filter_map(of).collect();
    if siblings.is_empty() {
        return diagnostics::suggest(full_name, names.iter().map(String::as_str));
    }
    let near = diagnostics::suggest(wanted, siblings.iter().map(|(kind, _)| *kind))?;
    siblings.iter().find(|(kind, _)| *kind == near).map(|(_, name)| *name)
}

/// There is still no resource of a type. Whoever puts one depends on the record of its type.
pub(super) fn without_instances(full_name: &str) -> Condition {
    Condition::NoResource(instances_like(full_name))
}

/// The resources of a type.
pub(super) fn instances_like(full_name: &str) -> Like {
    Like::new(GROUPS, &format!("/providers/{full_name}/"))
}

/// A schema with the type of its root. `rad` sends `schema: {}` with the properties that every type has, and leaves the type out.
fn rooted(schema: SourceValue<'_>) -> String {
    let is_object = matches!(schema.node(), contract::Node::Object(_));
    if !is_object || ["type", "$ref", "openAPIV3Schema"].iter().any(|name| schema.member(name).is_some()) {
        return schema.to_string();
    }
    let members = members_of(schema);
    let comma = if members.is_empty() { "" } else { "," };
    format!("{{\"type\":\"object\"{comma}{members}}}")
}

/// The members of an object as text, to be put among others.
fn members_of(value: SourceValue<'_>) -> String {
    let members = value.members().map(|(name, value)| format!("{name}:{value}"));
    members.collect::<Vec<_>>().join(",")
}

pub(super) fn type_id(full_name: &str) -> String {
    let (namespace, name) = full_name.split_once('/').unwrap_or((full_name, ""));
    format!("{TYPES}{namespace}/resourceTypes/{name}")
}

/// A type with the versions that it had before and no longer declares.
fn merge(it: &ResourceType, before: Option<&ResourceType>) -> ResourceType {
    let mut merged = it.clone();
    for version in before.into_iter().flat_map(|before| &before.versions) {
        if !merged.versions.iter().any(|known| known.name == version.name) {
            merged.versions.push(version.clone());
        }
    }
    merged.versions.sort_by(|a, b| a.name.cmp(&b.name));
    merged
}

/// Whether a version is not what it was, as far as that is known.
fn is_changed(before: Option<&RegisteredType>, after: &ResourceType) -> bool {
    let Some(before) = before else { return false };
    let mut versions = before.resource_type().into_iter().flat_map(|before| &before.versions);
    before.is_damaged
        || versions.any(|old| {
            let new = after.versions.iter().find(|new| new.name == old.name);
            new.is_none_or(|new| new.schema.to_json() != old.schema.to_json())
        })
}

/// The record of a type that was let in.
fn type_record(id: &str, it: &Admitted<ResourceType>) -> store::Resource {
    record(id, &shown(id, it.get()), "{}", None)
}

/// What is shown of a type.
fn shown(id: &str, it: &ResourceType) -> String {
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
        quoted(&it.name),
        properties.join(",")
    )
}

/// A type from its record. Of one that cannot be read its name is known, so that it can be listed, deleted and registered again.
fn read_record(record: store::Resource) -> Option<RegisteredType> {
    let version = record.version;
    if let Some(manifest) = manifest_of(&record) {
        return Some(RegisteredType { manifest, version, record, is_damaged: false });
    }
    let (namespace, name) = record.id.get(TYPES.len()..)?.split_once("/resourceTypes/")?;
    let it = ResourceType {
        name: name.into(),
        description: None,
        capabilities: Vec::new(),
        default_version: None,
        versions: Vec::new(),
        place: Span::empty(FileId::FIRST, 0),
    };
    let manifest = Manifest { namespace: namespace.into(), location: None, types: vec![it] };
    Some(RegisteredType { manifest, version, record, is_damaged: true })
}

pub(super) fn manifest_of(record: &store::Resource) -> Option<Manifest> {
    let document = Document::from_json(&record.body, FileId::FIRST, &STORED).ok()?;
    let shown = document.root().member("body")?;
    let namespace = shown.member("id")?.as_str()?.get(TYPES.len()..)?.split('/').next()?;
    let name = shown.member("name")?.as_str()?;
    let text = format!(
        "{{\"namespace\":{},\"types\":{{{}:{}}}}}",
        quoted(namespace),
        quoted(name),
        shown.member("properties")?
    );
    let document = Document::from_json(text, FileId::FIRST, &STORED).ok()?;
    let read = Manifest::read(&document, ManifestReadOptions::default());
    read.usable()?;
    read.manifest
}
