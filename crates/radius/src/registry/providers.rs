//! Resource providers: the namespaces of types, and the locations that they are served from.
//!
//! A provider is there once somebody puts it or registers a type of its namespace. Which types and versions a location has is what is
//! registered: a list that a client sends along is not kept, so that two clients who write theirs at once lose nothing.

use std::collections::BTreeMap;

use arm::Caseless as _;
use contract::{Constant, Node};
use document::{Document, FileId, ReadLimits, SourceValue};
use store::{Condition, Page, ResourceId, Write};

use super::icons::icon_id;
use super::stored::{document_of, has_only};
use super::types::without_instances;
use super::{RegisteredType, Registry, RegistryError, Result, quoted, record};
use crate::names;

/// What stands before the namespace in the records of providers. They are not among the types.
const PROVIDERS: &str = "/planes/radius/local/providers/System.Resources/namespaces/";

/// The location that every provider has.
pub const GLOBAL: &str = "global";

/// A namespace of resource types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    /// The namespace, as it was first written.
    pub namespace: String,
    /// Where its types are served.
    pub locations: Vec<ProviderLocation>,
    /// The version of its record; none if nobody put it and it is there for its types.
    version: Option<u64>,
}

/// Where types are served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderLocation {
    /// The name of the location, such as `global`.
    pub name: String,
    /// The address, if somebody else serves them.
    pub address: Option<String>,
}

impl Registry {
    /// Puts a provider; whether it is new.
    pub fn put_provider(&self, namespace: &str) -> Result<(Provider, bool)> {
        // One that is there may be named in any case.
        if !names::is_namespace(namespace) && self.provider(namespace)?.is_none() {
            return Err(RegistryError::Name(format!(
                "`{}` is not a namespace: write two parts with a dot between them, each with a capital letter first, as in `MyCompany.Resources`",
                crate::findings::shorten(namespace)
            )));
        }
        self.change_provider(namespace, |_| Ok(()))
    }

    /// Puts a location of a provider; whether it is new.
    pub fn put_location(
        &self,
        namespace: &str,
        name: &str,
        address: Option<&str>,
    ) -> Result<(ProviderLocation, bool)> {
        if !names::is_location(name) {
            return Err(RegistryError::Name(format!(
                "`{}` is not the name of a location: write letters and digits, as in `global`",
                crate::findings::shorten(name)
            )));
        }
        self.known_provider(namespace)?;
        let mut is_new = true;
        let mut put = ProviderLocation { name: name.to_owned(), address: address.map(str::to_owned) };
        self.change_provider(namespace, |provider| {
            match provider.locations.iter_mut().find(|it| it.name.eq_ignore_ascii_case(name)) {
                Some(there) => {
                    put.name.clone_from(&there.name);
                    there.address.clone_from(&put.address);
                    is_new = false;
                }
                None => {
                    provider.locations.push(put.clone());
                    is_new = true;
                }
            }
            Ok(())
        })?;
        Ok((put, is_new))
    }

    /// Forgets a location; whether there was one. The types stay.
    pub fn delete_location(&self, namespace: &str, name: &str) -> Result<bool> {
        let provider = self.known_provider(namespace)?;
        if !provider.locations.iter().any(|it| it.name.eq_ignore_ascii_case(name)) {
            return Ok(false);
        }
        self.change_provider(namespace, |provider| {
            provider.locations.retain(|it| !it.name.eq_ignore_ascii_case(name));
            Ok(())
        })?;
        Ok(true)
    }

    fn change_provider(
        &self,
        namespace: &str,
        mut change: impl FnMut(&mut Provider) -> Result<()>,
    ) -> Result<(Provider, bool)> {
        self.until_settled(|| {
            let before = self.provider(namespace)?;
            let is_new = before.is_none();
            let mut provider = before.unwrap_or_else(|| Provider {
                namespace: namespace.to_owned(),
                locations: Vec::new(),
                version: None,
            });
            change(&mut provider)?;
            let id = format!("{PROVIDERS}{}", provider.namespace);
            let condition = Condition::ResourceVersion(ResourceId::new(&id), provider.version);
            let writes = vec![Write::Resource(record(&id, &shown(&provider), "{}", None))];
            Ok(((provider, is_new), vec![condition], writes))
        })
    }

    /// A provider by its namespace, in whatever case.
    pub fn provider(&self, namespace: &str) -> Result<Option<Provider>> {
        let id = ResourceId::new(&format!("{PROVIDERS}{namespace}"));
        if let Some(found) = self.store.resource(&id)? {
            return read_record(&found).map(Some);
        }
        let of = self.types_of(namespace)?;
        Ok(of.first().map(|it| for_its_types(&it.manifest.namespace)))
    }

    /// The same, or that there is none.
    pub fn known_provider(&self, namespace: &str) -> Result<Provider> {
        self.provider(namespace)?.ok_or_else(|| {
            let shown = crate::findings::shorten(namespace);
            RegistryError::Missing(format!("the resource provider `{shown}` was not found"))
        })
    }

    /// All providers, in the order of their namespaces, each with its types.
    pub fn providers(&self) -> Result<Vec<(Provider, Vec<RegisteredType>)>> {
        let mut all: BTreeMap<String, (Provider, Vec<RegisteredType>)> = BTreeMap::new();
        for found in self.store.resources(PROVIDERS, Page::ALL)? {
            let provider = read_record(&found)?;
            all.insert(provider.namespace.caseless(), (provider, Vec::new()));
        }
        for it in self.resource_types()? {
            let namespace = &it.manifest.namespace;
            let entry = all.entry(namespace.caseless());
            let (_, types) = entry.or_insert_with(|| (for_its_types(namespace), Vec::new()));
            types.push(it);
        }
        Ok(all.into_values().collect())
    }

    /// Forgets a provider with its types; whether there was one. Resources of a type keep it unless `force` says otherwise.
    pub fn delete_provider(&self, namespace: &str, force: bool) -> Result<bool> {
        self.until_settled(|| {
            let Some(provider) = self.provider(namespace)? else {
                return Ok((false, Vec::new(), Vec::new()));
            };
            let (mut conditions, mut writes) = (Vec::new(), Vec::new());
            if provider.version.is_some() {
                let id = ResourceId::new(&format!("{PROVIDERS}{namespace}"));
                conditions.push(Condition::ResourceVersion(id.clone(), provider.version));
                writes.push(Write::DeleteResource(id));
            }
            for it in self.types_of(namespace)? {
                if !force {
                    self.unused(&it.full_name())?;
                    conditions.push(without_instances(&it.full_name()));
                }
                let id = ResourceId::new(&it.record.id);
                conditions.push(Condition::ResourceVersion(id.clone(), Some(it.version)));
                writes.push(Write::DeleteResource(id));
                writes.push(Write::DeleteResource(ResourceId::new(&icon_id(&it.full_name()))));
            }
            Ok((true, conditions, writes))
        })
    }
}

/// A provider that nobody put.
fn for_its_types(namespace: &str) -> Provider {
    let global = ProviderLocation { name: GLOBAL.to_owned(), address: None };
    Provider { namespace: namespace.to_owned(), locations: vec![global], version: None }
}

/// What is kept of a provider.
fn shown(provider: &Provider) -> String {
    let locations = provider.locations.iter().map(|it| {
        let address = it.address.as_deref().map(|address| format!("\"address\":{}", quoted(address)));
        format!("{}:{{{}}}", quoted(&it.name), address.unwrap_or_default())
    });
    format!(
        "{{\"namespace\":{},\"locations\":{{{}}}}}",
        quoted(&provider.namespace),
        locations.collect::<Vec<_>>().join(",")
    )
}

/// Whether a record is that of a provider, as it is written here.
pub(super) fn is_record(record: &store::Resource) -> bool {
    let is_whole = document_of(record).is_some_and(|document| {
        let body = document.root().member("body");
        let locations = body.and_then(|body| body.member("locations"));
        body.is_some_and(|body| has_only(body, &["namespace", "locations"]))
            && locations.is_some_and(|all| {
                matches!(all.node(), Node::Object(_))
                    && all.members().all(|(_, it)| has_only(it, &["address"]))
            })
    });
    is_whole
        && read_record(record).is_ok_and(|provider| {
            record.id.eq_ignore_ascii_case(&format!("{PROVIDERS}{}", provider.namespace))
                && names::is_namespace(&provider.namespace)
                && provider.locations.iter().all(|it| names::is_location(&it.name))
        })
}

fn read_record(record: &store::Resource) -> Result<Provider> {
    let document = Document::from_json(&record.body, FileId::FIRST, &ReadLimits::DEFAULT).ok();
    let read = |root: SourceValue<'_>| {
        let body = root.member("body")?;
        let namespace = body.member("namespace")?.as_str()?.to_owned();
        let locations = body.member("locations")?.members().filter_map(|(name, location)| {
            let address = location.member("address").and_then(|it| it.as_str()).map(str::to_owned);
            Some(ProviderLocation { name: name.as_str()?.to_owned(), address })
        });
        Some(Provider { namespace, locations: locations.collect(), version: Some(record.version) })
    };
    document
        .as_ref()
        .and_then(|document| read(document.root()))
        .ok_or_else(|| RegistryError::Damaged(Constant::text(&record.id).to_string()))
}
