//! A change of a type whose resources are there: it is made if all of them keep the new schema, too.
//!
//! What is checked is what is stored, with its secrets. The commit depends on every resource that was looked at, and on there being
//! no other, so that nobody puts one in between.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};

use arm::Caseless as _;
use contract::{Boundary, Constant, Terms, Violation, admit};
use store::{Condition, ResourceId, Write};

use super::resources::{GROUPS, LOOKED_AT, StoredResource, listed, put_aside};
use super::types::instances_like;
use super::{RegisteredType, Registry, RegistryError, Result};
use crate::compiled_schema::CompiledSchema;
use crate::complete::{Incomplete, ResourceStateTerms};
use crate::manifest::ResourceType;
use crate::schema::Schema;

/// How many broken rules are told of all resources together.
const MOST: usize = 1_000;

/// A resource that a change breaks.
#[derive(Clone, Debug, PartialEq)]
pub struct BrokenResource {
    /// The full id of the resource.
    pub id: String,
    /// What else is wrong.
    pub why: Vec<String>,
    /// The rules that it breaks.
    pub violations: Vec<Violation>,
}

impl BrokenResource {
    /// What is wrong, a line for each problem.
    pub fn problems(&self) -> impl Iterator<Item = String> {
        let rules = self.violations.iter().map(|it| format!("{}: {}", it.path, it.message()));
        self.why.iter().cloned().chain(rules)
    }
}

/// What a change needs besides the record of the type.
#[derive(Debug, Default)]
pub(super) struct Needs {
    pub(super) conditions: Vec<Condition>,
    pub(super) writes: Vec<Write>,
    /// What it leaves broken, where it is forced.
    pub(super) broken: Vec<BrokenResource>,
}

/// What is asked of a type before it is kept: the resources of the one that it takes the place of keep it, too.
pub(super) struct TypeChange<'c> {
    registry: &'c Registry,
    full_name: &'c str,
    before: Option<&'c RegisteredType>,
    /// The resources of the type; none if nothing changes for them.
    instances: Option<Vec<StoredResource>>,
    force: bool,
    needs: RefCell<Needs>,
}

impl<'c> TypeChange<'c> {
    pub(super) fn of(
        registry: &'c Registry,
        full_name: &'c str,
        before: Option<&'c RegisteredType>,
        instances: Option<Vec<StoredResource>>,
        force: bool,
    ) -> TypeChange<'c> {
        TypeChange { registry, full_name, before, instances, force, needs: RefCell::default() }
    }

    /// What it needs, after the type was let in.
    pub(super) fn needs(self) -> Needs {
        self.needs.into_inner()
    }
}

impl Terms<ResourceType> for TypeChange<'_> {
    type Refusal = RegistryError;

    fn admit(&self, it: ResourceType) -> Result<ResourceType> {
        if let Some(instances) = &self.instances {
            let needs = self.registry.needs(self.full_name, self.before, &it, instances, self.force)?;
            self.needs.replace(needs);
        }
        Ok(it)
    }
}

impl Registry {
    /// The resources of types, by those in lower case; each type has an entry.
    pub(super) fn instances(&self, types: &HashSet<String>) -> Result<HashMap<String, Vec<StoredResource>>> {
        let mut by_type: HashMap<String, Vec<StoredResource>> =
            types.iter().map(|name| (name.clone(), Vec::new())).collect();
        let mut after = ResourceId::new("");
        while !types.is_empty() {
            let records = self.store.resources_after(GROUPS, &after, LOOKED_AT)?;
            let Some(last) = records.last() else { break };
            after = ResourceId::new(&last.id);
            for record in &records {
                let lower = record.id.caseless();
                let rest = lower.split_once("/providers/").map_or("", |(_, rest)| rest);
                let kind = rest.rsplit_once('/').map_or("", |(kind, _)| kind);
                if let Some(of) = by_type.get_mut(kind) {
                    of.push(listed(record));
                }
            }
        }
        Ok(by_type)
    }

    /// What has to hold, and to be written, for a type to become another one with these resources of it.
    fn needs(
        &self,
        full_name: &str,
        before: Option<&RegisteredType>,
        after: &ResourceType,
        instances: &[StoredResource],
        force: bool,
    ) -> Result<Needs> {
        let mut change = Needs::default();
        let old = before.and_then(RegisteredType::resource_type);
        let mut compiled: HashMap<&str, CompiledSchema> = HashMap::new();
        let mut told = 0;
        for it in instances {
            let version = it.text(&["apiVersion"]);
            let new = after.versions.iter().find(|new| &*new.name == version);
            let was = old.and_then(|old| old.versions.iter().find(|old| &*old.name == version));
            let mut broken = BrokenResource { id: it.id.clone(), why: Vec::new(), violations: Vec::new() };
            match new {
                _ if it.is_damaged => broken.why.push("its record cannot be read".to_owned()),
                None => broken.why.push(format!("its version `{version}` would be gone")),
                Some(new) if was.is_some_and(|was| was.schema.to_json() == new.schema.to_json()) => continue,
                Some(new) => {
                    let compiled =
                        compiled.entry(&new.name).or_insert_with(|| CompiledSchema::new(new.schema.clone()));
                    let whole = self.revealed(it)?;
                    let places = |schema: &Schema| secret_places(schema, &whole);
                    let (old, new_places) = (was.map(|was| places(&was.schema)), places(&new.schema));
                    let shown = old.iter().flatten().find(|place| !new_places.contains(*place));
                    if let Some(place) = shown {
                        broken.why.push(format!("`{place}` is a secret of it, and would no longer be one"));
                    }
                    match admit(Boundary::Resource, &ResourceStateTerms(compiled), whole) {
                        Ok(whole) if broken.why.is_empty() => {
                            let kept = self.sealed_again(it, &whole, &new.schema)?;
                            change.writes.extend(kept.map(Write::Resource));
                        }
                        Ok(_) => {}
                        Err(Incomplete::Broken(violations)) => broken.violations = violations,
                        Err(Incomplete::Unusable | Incomplete::Unknown(_)) => {
                            broken.why.push("the schema cannot be used".to_owned());
                        }
                    }
                }
            }
            if !broken.why.is_empty() || !broken.violations.is_empty() {
                broken.violations.truncate(MOST.saturating_sub(told));
                told += broken.violations.len();
                change.broken.push(broken);
            }
        }
        if !force && !change.broken.is_empty() {
            return Err(RegistryError::Breaks { name: full_name.to_owned(), broken: change.broken });
        }
        // Who puts a resource depends on the record of its type: who comes later sees the new one.
        change.conditions.extend(instances.iter().map(StoredResource::unchanged));
        let known = instances.iter().map(|it| ResourceId::new(&it.id));
        change.conditions.push(Condition::NoResource(instances_like(full_name).except(known)));
        Ok(change)
    }
}

/// Where a resource has what a schema says nobody may see.
fn secret_places(schema: &Schema, whole: &Constant) -> BTreeSet<String> {
    let mut places = BTreeSet::new();
    put_aside(schema, whole.clone(), &mut |place, _| {
        places.insert(place.to_owned());
    });
    places
}
