//! Resources of registered types in deployments: checked against the schema of their type before they are put.
//!
//! In a deployment to a plane of Radius they are the resources of the registry: they are kept in the form that it reads, under the ids
//! that it gives. Expressions see such a resource as that of an extension: `reference('db').id`, `reference('db').properties.host`.

use std::sync::Arc;

use arm::{ObjectBuilder, Value};
use engine::Failure;
use engine::core::{Answer, Put, Response};
use engine::provider::{Layer, Pending, Provider};

use crate::registry::{Registry, RegistryError};
use crate::{Additional, Purpose, Schema, contract_of};

/// What the ids of resources begin with that an extension has.
const EXTENSION: &str = "extension/";

/// What the ids of resources begin with that a plane of Radius has.
const PLANES: &str = "/planes/radius/";

/// A provider behind which nothing is put that breaks the schema of its type.
pub struct Registered {
    inner: Arc<dyn Provider>,
    registry: Arc<Registry>,
}

impl Registered {
    /// The provider, behind the types of a registry.
    pub fn new(inner: Arc<dyn Provider>, registry: Arc<Registry>) -> Registered {
        Registered { inner, registry }
    }

    /// What is put into a plane: the resource as the registry reads it, with defaults filled in and sensitive values marked.
    fn in_plane(&self, put: &Put) -> Result<Put, Failure> {
        let (type_name, version) = type_and_version(put);
        let kind = self.registry.kind(type_name, version).map_err(|error| match error {
            RegistryError::Name(message) => Failure::new("BadRequest", message).target(put.id.as_str()),
            RegistryError::Version(message) => {
                Failure::new("InvalidApiVersionParameter", message).target(put.id.as_str())
            }
            error => refused(put, &error),
        })?;
        let body = put.body.plain().as_object();
        let resource = body.and_then(|body| body.get("properties")).unwrap_or(&Value::Null);
        check(put, &kind.full_name, &kind.schema, resource)?;
        let mut members = ObjectBuilder::default();
        for (name, value) in resource.plain().as_object().into_iter().flatten() {
            let is = |known: &str| name.eq_ignore_ascii_case(known);
            if is("properties") {
                members.set("properties".into(), complete(value, &kind.schema));
            } else if is("location") || is("tags") {
                members.set(name.to_lowercase().into(), value.clone());
            }
        }
        let (_, name) = put.id.rsplit_once('/').unwrap_or_default();
        let (scope, _) = put.id.split_once("/providers/").unwrap_or_default();
        Ok(Put {
            id: format!("{scope}/providers/{}/{name}", kind.full_name).into(),
            kind: kind.full_name.into(),
            api_version: kind.version.into(),
            body: members.finish(),
            wanted: put.wanted.clone(),
        })
    }

    /// What is put instead: with defaults filled in and sensitive values marked; nothing if the type is not registered.
    fn checked(&self, put: &Put) -> Result<Option<Put>, Failure> {
        // Registered types come through extensions; nobody else pays for looking them up.
        if !put.id.starts_with(EXTENSION) {
            return Ok(None);
        }
        let (type_name, version) = type_and_version(put);
        let found = self.registry.resource_type(type_name).map_err(|error| refused(put, &error))?;
        let Some(found) = found else { return Ok(None) };
        let wanted = version.map_or_else(|| type_name.to_owned(), |version| format!("{type_name}@{version}"));
        let (_, version) = found.manifest.find(&wanted).map_err(|why| {
            Failure::new("InvalidApiVersionParameter", format!("the resource type `{type_name}`: {why}"))
                .target(put.id.as_str())
        })?;
        let body = put.body.plain().as_object();
        let resource = body.and_then(|body| body.get("properties")).unwrap_or(&Value::Null);
        check(put, &wanted, &version.schema, resource)?;
        let mut members = ObjectBuilder::default();
        for (name, value) in body.into_iter().flatten() {
            let value =
                if name == "properties" { in_resource(value, &version.schema) } else { value.clone() };
            members.set(name.clone(), value);
        }
        Ok(Some(Put { body: members.finish(), ..put.clone() }))
    }
}

/// Whether a resource is in a plane of Radius. Deployments are not resources of it, wherever they are.
fn is_in_plane(id: &str) -> bool {
    let starts = id.get(..PLANES.len()).is_some_and(|start| start.eq_ignore_ascii_case(PLANES));
    starts && !id.to_lowercase().contains("/providers/microsoft.resources/deployments/")
}

/// The type of a resource, and the version that it names.
fn type_and_version(put: &Put) -> (&str, Option<&str>) {
    let (type_name, version) = put.kind.split_once('@').unwrap_or((&put.kind, &put.api_version));
    (type_name, Some(version).filter(|version| !version.is_empty()))
}

/// Refuses a resource that breaks the schema of its type.
fn check(put: &Put, type_name: &str, schema: &Schema, resource: &Value) -> Result<(), Failure> {
    let contract = contract_of(schema, Purpose::Request)
        .map_err(|_| Failure::new("InvalidSchema", format!("the schema of `{type_name}` cannot be used")))?;
    // A value that was found may be a secret of the template: it is in no message.
    let violations = contract.violations(resource.expose().view());
    if violations.is_empty() {
        return Ok(());
    }
    let message = format!("the resource breaks the schema of `{type_name}`");
    let mut failure = Failure::new("InvalidRequestContent", message).target(put.id.as_str());
    failure.details = violations
        .iter()
        .map(|it| {
            let text = format!("{}: {}", it.path, it.message);
            Failure::new("InvalidRequestContent", text).target(it.path.pointer().as_str())
        })
        .collect();
    Err(failure)
}

/// A resource of a plane as expressions see it: that of an extension has all its members in its properties.
fn seen(answer: Answer) -> Answer {
    match answer {
        Answer::Done(response) => {
            let body = Value::object([("properties", response.body)]);
            Answer::Done(Response { body, writes: response.writes })
        }
        other @ (Answer::Running { .. } | Answer::Missing | Answer::Failed(_)) => other,
    }
}

fn refused(put: &Put, error: &RegistryError) -> Failure {
    Failure::new("InternalServerError", error.to_string()).target(put.id.as_str())
}

/// A resource whose properties are complete.
fn in_resource(resource: &Value, schema: &Schema) -> Value {
    let Some(object) = resource.as_object() else { return resource.clone() };
    let mut members = ObjectBuilder::default();
    for (name, value) in object {
        let value = if name == "properties" { complete(value, schema) } else { value.clone() };
        members.set(name.clone(), value);
    }
    members.finish()
}

/// A value with the defaults of what is absent, and with its secrets marked; depth is bounded by that of schemas.
fn complete(value: &Value, schema: &Schema) -> Value {
    if schema.sensitive || schema.write_only {
        return if value.is_secret() { value.clone() } else { value.clone().secret() };
    }
    match value {
        Value::Object(object) => {
            let mut members = ObjectBuilder::default();
            for (name, member) in &**object {
                let inner = match (schema.property(name), &schema.additional) {
                    (Some(property), _) => Some(&property.schema),
                    (None, Additional::Schema(values)) => Some(&**values),
                    (None, Additional::Unsaid | Additional::None) => None,
                };
                members
                    .set(name.clone(), inner.map_or_else(|| member.clone(), |inner| complete(member, inner)));
            }
            for property in schema.properties() {
                let inner = &property.schema;
                let is_used = !inner.read_only && !schema.requires(&property.name);
                if let Some(default) = inner.default.as_ref().filter(|_| is_used)
                    && object.get(&property.name).is_none()
                    && let Ok(default) = Value::from_view(default)
                {
                    members.set((&*property.name).into(), complete(&default, inner));
                }
            }
            members.finish()
        }
        Value::Array(list) => match &schema.items {
            Some(items) => Value::array(list.items().iter().map(|item| complete(item, items)).collect()),
            None => value.clone(),
        },
        other => other.clone(),
    }
}

impl Layer for Registered {
    fn below(&self) -> &dyn Provider {
        &*self.inner
    }

    fn over(&self, below: Arc<dyn Provider>) -> Arc<dyn Provider> {
        Arc::new(Registered::new(below, Arc::clone(&self.registry)))
    }

    fn get<'a>(&'a self, id: &'a str, api_version: &'a str) -> Pending<'a> {
        if !is_in_plane(id) {
            return self.inner.get(id, api_version);
        }
        Box::pin(async move { seen(self.inner.get(id, api_version).await) })
    }

    fn put<'a>(&'a self, put: &'a Put) -> Pending<'a> {
        if is_in_plane(&put.id) {
            return Box::pin(async move {
                match self.in_plane(put) {
                    Ok(put) => seen(self.inner.put(&put).await),
                    Err(failure) => Answer::Failed(failure),
                }
            });
        }
        match self.checked(put) {
            Ok(None) => self.inner.put(put),
            Ok(Some(put)) => Box::pin(async move { self.inner.put(&put).await }),
            Err(failure) => Box::pin(async move { Answer::Failed(failure) }),
        }
    }
}
