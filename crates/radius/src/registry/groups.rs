//! Resource groups of the plane. The first who asks finds the group `default`; a group that somebody put resources into is there, too.

use arm::Caseless as _;
use contract::{Admitted, Node};
use document::{Document, FileId, ReadLimits, SourceValue};
use store::{Condition, Page, ResourceId, Write};

use super::resources::{GROUPS, named};
use super::stored::{document_of, has_only};
use super::{Registry, RegistryError, Result, record};
use crate::built_in_types::built_in;

/// What stands before the name in the records of groups. They are not among the resources.
const RECORDS: &str = "/planes/radius/local/providers/System.Resources/groups/";

/// A record that says that the group `default` was made; it stays when the group goes.
const PLANTED: &str = "/planes/radius/local/providers/System.Resources/planes/local";

/// The group that is there from the start.
const DEFAULT: &str = "default";

/// How many resources of a group are named at most when they keep it.
pub(super) const NAMED: usize = 20;

/// A resource group of the plane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its name, as it was first written.
    pub name: String,
    /// What was put, as JSON: `location` and `tags`.
    pub body: String,
}

impl Group {
    /// The full id, with the plane.
    pub fn id(&self) -> String {
        format!("{GROUPS}{}", self.name)
    }
}

impl Registry {
    /// Puts a group; whether it is new.
    pub fn put_group(&self, name: &str, body: &Admitted<SourceValue<'_>>) -> Result<(Group, bool)> {
        named("resource group", name)?;
        self.plant()?;
        self.until_settled(|| {
            let id = format!("{RECORDS}{name}");
            let found = self.store.resource(&ResourceId::new(&id))?;
            let is_new = found.is_none();
            let spelled = found.as_ref().map(|it| spelling(&it.id)).unwrap_or(name);
            let members = ["location", "tags"].into_iter().filter_map(|name| {
                let value = body.get().member(name).filter(|it| it.node() != Node::Null)?;
                Some(format!("\"{name}\":{value}"))
            });
            let members: Vec<String> = members.collect();
            let group = Group { name: spelled.to_owned(), body: format!("{{{}}}", members.join(",")) };
            let version = found.as_ref().map(|found| found.version);
            let condition = Condition::ResourceVersion(ResourceId::new(&id), version);
            let write = Write::Resource(record(&format!("{RECORDS}{spelled}"), &group.body, "{}", None));
            Ok(((group, is_new), vec![condition], vec![write]))
        })
    }

    /// A group by its name, in whatever case.
    pub fn group(&self, name: &str) -> Result<Option<Group>> {
        self.plant()?;
        if let Some(found) = self.store.resource(&ResourceId::new(&format!("{RECORDS}{name}")))? {
            return Ok(Some(Group { name: spelling(&found.id).to_owned(), body: body_of(&found) }));
        }
        let inside = self.store.resources(&format!("{GROUPS}{name}/"), Page { skip: 0, take: 1 })?;
        let spelled = inside.first().and_then(|it| it.id.get(GROUPS.len()..)?.split('/').next());
        Ok(spelled.map(|name| Group { name: name.to_owned(), body: "{}".to_owned() }))
    }

    /// All groups that were put, in the order of their names.
    pub fn groups(&self) -> Result<Vec<Group>> {
        self.plant()?;
        let found = self.store.resources(RECORDS, Page::ALL)?;
        let groups = found.iter().map(|it| Group { name: spelling(&it.id).to_owned(), body: body_of(it) });
        Ok(groups.collect())
    }

    /// Forgets a group; whether there was one. Its resources keep it, but environments and the like go with it: clients that empty a
    /// group look only for resources of registered types.
    pub fn delete_group(&self, name: &str) -> Result<bool> {
        self.plant()?;
        self.until_settled(|| {
            let inside = self.store.resources(&format!("{GROUPS}{name}/"), Page::ALL)?;
            let (own, others): (Vec<_>, Vec<_>) = inside.into_iter().partition(|it| is_built_in(&it.id));
            if !others.is_empty() {
                let instances = others.into_iter().take(NAMED).map(|it| it.id).collect();
                return Err(RegistryError::InUse { name: name.to_owned(), instances });
            }
            let (mut conditions, mut writes) = (Vec::new(), Vec::new());
            let id = ResourceId::new(&format!("{RECORDS}{name}"));
            let group = self.store.resource(&id)?;
            let was_there = group.is_some() || !own.is_empty();
            for found in group.into_iter().chain(own) {
                let id = ResourceId::new(&found.id);
                conditions.push(Condition::ResourceVersion(id.clone(), Some(found.version)));
                writes.push(Write::DeleteResource(id));
            }
            Ok((was_there, conditions, writes))
        })
    }

    /// Makes the group `default`, once.
    fn plant(&self) -> Result<()> {
        let planted = ResourceId::new(PLANTED);
        // Those who read do not wait for those who write.
        if self.store.resource(&planted)?.is_some() {
            return Ok(());
        }
        self.until_settled(|| {
            let planted = planted.clone();
            if self.store.resource(&planted)?.is_some() {
                return Ok(((), Vec::new(), Vec::new()));
            }
            let id = format!("{RECORDS}{DEFAULT}");
            let mut writes = vec![Write::Resource(record(PLANTED, "{}", "{}", None))];
            if self.store.resource(&ResourceId::new(&id))?.is_none() {
                writes.push(Write::Resource(record(&id, "{\"location\":\"global\"}", "{}", None)));
            }
            Ok(((), vec![Condition::ResourceVersion(planted, None)], writes))
        })
    }
}

/// Whether a record is that of a group, or says that the first one was made, as it is written here.
pub(super) fn is_record(record: &store::Resource) -> bool {
    let Some(document) = document_of(record) else { return false };
    let Some(body) = document.root().member("body") else { return false };
    if record.id.eq_ignore_ascii_case(PLANTED) {
        return has_only(body, &[]);
    }
    let name = record.id.get(RECORDS.len()..).filter(|name| !name.contains('/')).unwrap_or_default();
    let is_text = |name: &str| body.member(name).is_none_or(|it| it.as_str().is_some());
    let tags = body.member("tags").is_none_or(|tags| {
        matches!(tags.node(), Node::Object(_)) && tags.members().all(|(_, tag)| tag.as_str().is_some())
    });
    record.id.eq_ignore_ascii_case(&format!("{RECORDS}{name}"))
        && named("resource group", name).is_ok()
        && has_only(body, &["location", "tags"])
        && is_text("location")
        && tags
}

/// Whether a resource is of a type that is built in.
fn is_built_in(id: &str) -> bool {
    let lower = id.caseless();
    let kind = lower.split_once("/providers/").and_then(|(_, rest)| rest.rsplit_once('/'));
    kind.is_some_and(|(kind, _)| built_in(kind).is_some())
}

/// The name at the end of the id of a record.
fn spelling(id: &str) -> &str {
    id.rsplit('/').next().unwrap_or_default()
}

/// What was put, from its record.
fn body_of(record: &store::Resource) -> String {
    let document = Document::from_json(&record.body, FileId::FIRST, &ReadLimits::DEFAULT).ok();
    let body = document.as_ref().and_then(|document| document.root().member("body"));
    body.map_or_else(|| "{}".to_owned(), |body| body.to_string())
}
