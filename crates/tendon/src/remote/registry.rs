//! Resource types and resources of a server.

use arm::Caseless as _;
use arm::Value;
use contract::Constant;
use document::{Document, FileId};
use hyper::{Method, StatusCode};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use radius::ManifestDialect;
use radius::registry::{
    API_VERSION, BUILT_IN, BrokenResource, PutResource, RegisterResult, Registry, StoredResource,
};
use store::{Key, MemoryStore};

use super::{Remote, TargetError};

/// Where types and resources are.
const PLANE: &str = "/planes/radius/local";

fn escaped(name: &str) -> impl std::fmt::Display {
    utf8_percent_encode(name, NON_ALPHANUMERIC)
}

/// A type as a path has it.
fn type_path(type_name: &str) -> String {
    type_name.split('/').map(|part| escaped(part).to_string()).collect::<Vec<_>>().join("/")
}

impl Remote {
    /// A registry in memory with the types of the server, so that what is wrong is found here, and told in the same words.
    pub(crate) fn registry(&self) -> Result<Registry, TargetError> {
        let key = Key::random().map_err(|error| self.failed(&error))?;
        let registry = Registry::new(std::sync::Arc::new(MemoryStore::new()), key);
        let providers =
            self.runtime.block_on(self.list(&format!("{PLANE}/providers?api-version={API_VERSION}")))?;
        for provider in &providers {
            let member = |name: &str| provider.as_object().and_then(|provider| provider.get(name));
            let Some(namespace) = member("name").and_then(Value::as_str) else { continue };
            let types = member("resourceTypes").map_or_else(|| "{}".to_owned(), without_icons);
            let text = format!("{{\"namespace\":{},\"types\":{types}}}", Constant::text(namespace));
            let document = Document::from_json(text, FileId::FIRST, &radius::STORED);
            let document = document.map_err(|error| self.failed(&error))?;
            registry
                .register(&document, None, ManifestDialect::default(), true)
                .map_err(|error| self.failed(&format!("its types cannot be read: {error}")))?;
        }
        Ok(registry)
    }

    /// Registers the types of manifests, all or none.
    pub(crate) fn register(
        &self,
        documents: &[&Document],
        only: Option<&str>,
        dialect: ManifestDialect,
        force: bool,
    ) -> Result<Vec<RegisterResult>, TargetError> {
        let mut path = format!(
            "{PLANE}/providers/System.Resources/resourceProviders?api-version={API_VERSION}&force={force}"
        );
        if let Some(only) = only {
            path.push_str(&format!("&type={}", escaped(only)));
        }
        if dialect == ManifestDialect::Radius {
            path.push_str("&dialect=radius");
        }
        let manifests: Vec<String> = documents.iter().map(|document| document.root().to_string()).collect();
        let body = format!("[{}]", manifests.join(","));
        let reply = self.runtime.block_on(self.ask(Method::POST, &path, body))?;
        let value = self.value(&reply)?;
        let items = value.as_object().and_then(|value| value.get("value")).and_then(Value::as_array);
        let registered = |item: &Value| {
            let member = |name: &str| item.as_object().and_then(|item| item.get(name));
            let name = member("name").and_then(Value::as_str)?.to_owned();
            let broken = member("leftBroken").and_then(Value::as_array).unwrap_or_default();
            Some(RegisterResult {
                name,
                is_new: member("isNew") == Some(&Value::Bool(true)),
                broken: broken.iter().filter_map(left_broken).collect(),
            })
        };
        Ok(items.unwrap_or_default().iter().filter_map(registered).collect())
    }

    /// Forgets a type; whether there was one.
    pub(crate) fn delete_type(&self, type_name: &str, force: bool) -> Result<bool, TargetError> {
        let (namespace, name) = type_name.split_once('/').unwrap_or((type_name, ""));
        let path = format!(
            "{PLANE}/providers/System.Resources/resourceProviders/{}/resourceTypes/{}?api-version={API_VERSION}&force={force}",
            escaped(namespace),
            escaped(name)
        );
        let reply = self.runtime.block_on(self.ask(Method::DELETE, &path, String::new()))?;
        Ok(reply.status != StatusCode::NO_CONTENT)
    }

    /// Puts a resource. A group that is named is there, as it is on this machine.
    pub(crate) fn put_resource(&self, put: PutResource<'_>) -> Result<StoredResource, TargetError> {
        let group = format!("{PLANE}/resourceGroups/{}?api-version={API_VERSION}", escaped(put.group));
        let path = resource_path(put.group, put.type_name, Some(put.name), put.api_version);
        self.runtime.block_on(async {
            match self.ask(Method::GET, &group, String::new()).await {
                Err(TargetError::Failure(failure)) if failure.code == "NotFound" => {
                    self.ask(Method::PUT, &group, "{\"location\":\"global\"}".to_owned()).await?;
                }
                other => drop(other?),
            }
            let reply = self.ask(Method::PUT, &path, put.body.to_string()).await?;
            let is_new = reply.status == StatusCode::CREATED;
            self.stored(&String::from_utf8_lossy(&reply.body), is_new)
        })
    }

    /// A resource; none if it is not there.
    pub(crate) fn resource(
        &self,
        group: &str,
        type_name: &str,
        name: &str,
    ) -> Result<Option<StoredResource>, TargetError> {
        let path = resource_path(group, type_name, Some(name), None);
        match self.runtime.block_on(self.ask(Method::GET, &path, String::new())) {
            Ok(reply) => self.stored(&String::from_utf8_lossy(&reply.body), false).map(Some),
            Err(TargetError::Failure(failure)) if failure.code == "NotFound" => Ok(None),
            Err(refused) => Err(refused),
        }
    }

    /// The resources of types, and of those that are built in if they are wanted, in a group or in all of them, in the order of their ids.
    pub(crate) fn resources(
        &self,
        types: &[String],
        built_in: bool,
        group: Option<&str>,
    ) -> Result<Vec<StoredResource>, TargetError> {
        let built_in = BUILT_IN.iter().filter(|_| built_in).map(|row| row.name.to_owned());
        let mut found = Vec::new();
        for type_name in types.iter().cloned().chain(built_in) {
            let path = match group {
                Some(group) => resource_path(group, &type_name, None, None),
                None => format!("{PLANE}/providers/{}?{VERSION}", type_path(&type_name)),
            };
            match self.runtime.block_on(self.list(&path)) {
                Ok(items) => {
                    for item in items {
                        found.push(self.stored(&item.to_json(), false)?);
                    }
                }
                // A group that is not there has nothing.
                Err(TargetError::Failure(failure)) if failure.code == "NotFound" => {}
                Err(refused) => return Err(refused),
            }
        }
        found.sort_by_key(|it| it.id.caseless());
        Ok(found)
    }

    /// Deletes a resource; whether there was one.
    pub(crate) fn delete_resource(
        &self,
        group: &str,
        type_name: &str,
        name: &str,
    ) -> Result<bool, TargetError> {
        let path = resource_path(group, type_name, Some(name), None);
        let reply = self.runtime.block_on(self.ask(Method::DELETE, &path, String::new()))?;
        Ok(reply.status != StatusCode::NO_CONTENT)
    }

    fn stored(&self, text: &str, is_new: bool) -> Result<StoredResource, TargetError> {
        let document = Document::from_json(text, FileId::FIRST, &radius::STORED);
        let document = document.map_err(|error| self.failed(&error))?;
        let stored = StoredResource::sent(document.root(), is_new);
        stored.ok_or_else(|| self.failed(&"its answer is not a resource").into())
    }
}

/// The version that stands for the default or only one, and that answers say theirs.
const VERSION: &str = "api-version=2023-10-01-preview&includeApiVersion=true";

fn resource_path(group: &str, type_name: &str, name: Option<&str>, version: Option<&str>) -> String {
    let name = name.map(|name| format!("/{}", escaped(name))).unwrap_or_default();
    let version = match version {
        Some(version) => format!("api-version={}&includeApiVersion=true", escaped(version)),
        None => VERSION.to_owned(),
    };
    format!("{PLANE}/resourceGroups/{}/providers/{}{name}?{version}", escaped(group), type_path(type_name))
}

/// A resource that a change left broken, as a server tells it.
fn left_broken(value: &Value) -> Option<BrokenResource> {
    let member = |name: &str| value.as_object().and_then(|value| value.get(name));
    let id = member("id").and_then(Value::as_str)?.to_owned();
    let problems = member("problems").and_then(Value::as_array).unwrap_or_default();
    let why = problems.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    Some(BrokenResource { id, why, violations: Vec::new() })
}

/// The types of a provider as a manifest has them.
fn without_icons(types: &Value) -> String {
    let types = types.as_object().into_iter().flatten().map(|(name, it)| {
        let members = it.as_object().into_iter().flatten();
        let members = members.filter(|(name, _)| name != "icon" && name != "iconHash").cloned();
        (name.clone(), Value::object(members))
    });
    Value::object(types).to_json()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_their_place_in_a_path() {
        let path = resource_path("a/b", "My.Types/x?y", Some("../z"), None);
        assert!(
            path.starts_with(
                "/planes/radius/local/resourceGroups/a%2Fb/providers/My%2ETypes/x%3Fy/%2E%2E%2Fz?"
            ),
            "{path}"
        );
        assert!(
            engine::records::parse(&without_icons(&Value::object([(
                "t",
                Value::object([("icon", Value::text("x"))])
            )])))
            .is_ok()
        );
    }
}
