//! Resources of registered types in deployments: checked against the schema of their type before they are put.

use std::sync::Arc;

use arm::{ObjectBuilder, Value};
use engine::Failure;
use engine::core::{Answer, Put};
use engine::provider::{Layer, Pending, Provider};
use radius::registry::{Registry, RegistryError};
use radius::{Additional, Purpose, Schema, contract_of};

/// What the ids of resources begin with that an extension has.
const EXTENSION: &str = "extension/";

/// A provider behind which nothing is put that breaks the schema of its type.
pub(super) struct Registered {
    inner: Arc<dyn Provider>,
    registry: Arc<Registry>,
}

impl Registered {
    /// The provider, behind the types of a registry.
    pub(super) fn new(inner: Arc<dyn Provider>, registry: Arc<Registry>) -> Registered {
        Registered { inner, registry }
    }

    /// What is put instead: with defaults filled in and sensitive values marked; nothing if the type is not registered.
    fn checked(&self, put: &Put) -> Result<Option<Put>, Failure> {
        // Registered types come through extensions; nobody else pays for looking them up.
        if !put.id.starts_with(EXTENSION) {
            return Ok(None);
        }
        let (type_name, version) = match put.kind.split_once('@') {
            Some((type_name, version)) => (type_name, version),
            None => (put.kind.as_str(), put.api_version.as_str()),
        };
        let found = self.registry.resource_type(type_name).map_err(|error| refused(put, &error))?;
        let Some(found) = found else { return Ok(None) };
        let wanted = if version.is_empty() { type_name.to_owned() } else { format!("{type_name}@{version}") };
        let (_, version) = found.manifest.find(&wanted).map_err(|why| {
            Failure::new("InvalidApiVersionParameter", format!("the resource type `{type_name}`: {why}"))
                .target(put.id.as_str())
        })?;
        let body = put.body.plain().as_object();
        let resource = body.and_then(|body| body.get("properties")).unwrap_or(&Value::Null);
        let contract = contract_of(&version.schema, Purpose::Request)
            .map_err(|_| Failure::new("InvalidSchema", format!("the schema of `{wanted}` cannot be used")))?;
        // A value that was found may be a secret of the template: it is in no message.
        let violations = contract.violations(resource.expose().view());
        if !violations.is_empty() {
            let message = format!("the resource breaks the schema of `{wanted}`");
            let mut failure = Failure::new("InvalidRequestContent", message).target(put.id.as_str());
            failure.details = violations
                .iter()
                .map(|it| {
                    let text = format!("{}: {}", it.path, it.message);
                    Failure::new("InvalidRequestContent", text).target(it.path.pointer().as_str())
                })
                .collect();
            return Err(failure);
        }
        let mut members = ObjectBuilder::default();
        for (name, value) in body.into_iter().flatten() {
            let value =
                if name == "properties" { in_resource(value, &version.schema) } else { value.clone() };
            members.set(name.clone(), value);
        }
        Ok(Some(Put { body: members.finish(), ..put.clone() }))
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

    fn put<'a>(&'a self, put: &'a Put) -> Pending<'a> {
        match self.checked(put) {
            Ok(None) => self.inner.put(put),
            Ok(Some(put)) => Box::pin(async move { self.inner.put(&put).await }),
            Err(failure) => Box::pin(async move { Answer::Failed(failure) }),
        }
    }
}
