//! Resources of registered types in deployments: checked against the schema of their type before they are put, and kept as the
//! registry keeps them.
//!
//! [`ValidatingProvider`] stands before the provider that has the resources. What a template knows beforehand is checked before a
//! deployment begins (`ahead`), the rest before its own put.

mod errors;
mod preflight;

use std::sync::Arc;

use arm::Caseless as _;
use arm::deployment::{Deployment, LOCAL_GROUP, LOCAL_SUBSCRIPTION};
use arm::evaluate::Scope;
use arm::{ObjectBuilder, PROVISIONING_STATE, Value};
use contract::{Admitted, Boundary, Constant, Violation, admit};
use engine::core::{ProviderReply, PutRequest, Response};
use engine::provider::{Layer, Pending, Provider};
use engine::records::Record;
use engine::{Failure, ResourceRecord, admit_body};
use smol_str::SmolStr;

use crate::built_in_types::{BuiltInReference, addressed, built_in, references};
use crate::complete::{Incomplete, ResourceRequestTerms, ResourceStateTerms, Stored, ValueTree as _, hidden};
use crate::limits::STORED;
use crate::pointer::{escaped, within};
use crate::registry::resources::{member, named, resource_id};
use crate::registry::secrets::Secrets;
use crate::registry::{Registry, RegistryError, ResourceTypeVersion};
use crate::schema::Schema;

/// What the ids of resources begin with that a plane of Radius has.
const PLANES: &str = "/planes/radius/";

/// The resource group of deployments that name none.
const GROUP: &str = "default";

/// A provider behind which nothing is put that breaks the schema of its type.
pub struct ValidatingProvider {
    below: Arc<dyn Provider>,
    registry: Arc<Registry>,
    /// Whether resources of a Radius extension may be of types that nobody registered.
    allows_unknown: bool,
}

/// A resource of a registered type on its way to the provider.
struct TypedPut {
    put: PutRequest,
    kind: ResourceTypeVersion,
    /// What it refers to, which has to be there.
    references: Vec<BuiltInReference>,
}

impl ValidatingProvider {
    /// The provider, behind the types of a registry.
    pub fn new(below: Arc<dyn Provider>, registry: Arc<Registry>) -> ValidatingProvider {
        ValidatingProvider { below, registry, allows_unknown: false }
    }

    /// The same; resources of Radius extensions may be of types that nobody registered. They are not checked.
    #[must_use]
    pub fn allowing_unknown_types(self, allows_unknown: bool) -> ValidatingProvider {
        ValidatingProvider { allows_unknown, ..self }
    }

    /// The type of a resource; nothing if the resource is none of the registry's.
    fn kind(&self, put: &PutRequest) -> Result<Option<ResourceTypeVersion>, Failure> {
        // Nested deployments are not put, so what calls itself one is none.
        let in_plane = starts_in_plane(&put.id);
        // Registered types come through extensions; nobody else pays for looking them up.
        if !in_plane && put.extension.is_none() {
            return match is_own_type(&put.kind) && !self.allows_unknown {
                true => Err(errors::without_extension(&put.kind).target(put.id.as_str())),
                false => Ok(None),
            };
        }
        let (type_name, version) = split(&put.kind, &put.api_version);
        let is_radius = in_plane || put.extension.as_deref().is_some_and(is_radius);
        known(&self.registry, type_name, version, is_radius && !self.allows_unknown)
            .map_err(|error| errors::refused(&error).target(put.id.as_str()))
    }

    /// What is put instead: with defaults filled in and sensitive values marked; nothing if the resource is none of the registry's.
    fn prepared(&self, put: &PutRequest) -> Result<Option<TypedPut>, Failure> {
        let Some(kind) = self.kind(put)? else { return Ok(None) };
        let (wanted, schema) = (format!("{}@{}", kind.full_name, kind.version), &**kind.schema);
        if put.wanted.patch {
            let message = format!("resources of `{wanted}` are put as a whole, and not patched");
            return Err(Failure::new("NotSupported", message).target(put.id.as_str()));
        }
        let resource = put.body.get().plain().as_object().and_then(|body| body.get("properties"));
        let resource = resource.unwrap_or(&Value::Null);
        let broken =
            |violations: &[Violation]| errors::broken(&wanted, resource, violations).target(put.id.as_str());
        let found = resource.faults(schema);
        if !found.is_empty() {
            return Err(broken(&found));
        }
        let failed = |error: RegistryError| errors::refused(&error).target(put.id.as_str());
        let members = resource.plain().as_object();
        let name = members.and_then(|members| members.get("name")).and_then(Value::as_str);
        let name = name.unwrap_or_default();
        named("resource", name).map_err(failed)?;
        let Some((scope, _)) = put.id.split_once("/providers/").filter(|_| is_in_plane(&put.id)) else {
            let message = format!("`{}` is not in a resource group of Radius", put.id);
            return Err(Failure::new("InvalidRequestContent", message).target(put.id.as_str()));
        };
        let id = format!("{scope}/providers/{}/{name}", kind.full_name);
        let stored = self.registry.resource(&id).map_err(failed)?;
        let whole = stored.as_ref().map(|stored| self.registry.revealed(stored)).transpose();
        let whole = whole.map_err(failed)?;
        let stored = stored.as_ref().zip(whole.as_ref()).and_then(|(stored, whole)| {
            Some(Stored { shown: stored.member("properties")?, whole: member(whole, "properties")? })
        });
        let given = addressed(&kind.full_name, scope, resource.clone());
        let terms = ResourceRequestTerms { compiled: &kind.schema, stored };
        let admitted = admit(Boundary::Resource, &terms, given)
            .map_err(|why| errors::incomplete(&wanted, resource, &why).target(put.id.as_str()))?;
        let completed = admitted.into_inner();
        let (references, wrong) = match completed.exact() {
            Some(exact) => references(&kind.full_name, &exact),
            None => (Vec::new(), Vec::new()),
        };
        if !wrong.is_empty() {
            return Err(broken(&wrong));
        }
        let members = completed.plain().as_object();
        let properties = members.and_then(|members| members.get("properties")).cloned();
        let properties = properties.unwrap_or(Value::Null);
        let mut body = ObjectBuilder::default();
        for name in ["location", "tags"] {
            if let Some(value) = members.and_then(|members| members.get(name)) {
                body.set(name.into(), value.clone());
            }
        }
        body.set("properties".into(), without_state(marked(schema, properties)));
        let put = PutRequest {
            id: id.as_str().into(),
            kind: kind.full_name.as_str().into(),
            api_version: kind.version.as_str().into(),
            body: admit_body(&id, body.finish())?,
            wanted: put.wanted.clone(),
            extension: put.extension.clone(),
        };
        Ok(Some(TypedPut { put, kind, references }))
    }

    /// What is kept of a state that was let in: all but its secrets, which are sealed beside it.
    fn kept(&self, id: &str, state: &Admitted<Value>) -> Result<ResourceRecord, Failure> {
        let key = &self.registry.key;
        let mut secrets = Secrets::default();
        collect(state.get(), &mut String::new(), &mut secrets);
        let sealed = secrets
            .sealed(key, id)
            .map_err(|error| Failure::new("InternalServerError", error.to_string()).target(id))?;
        Ok(ResourceRecord::new(key, state)?.with_sealed(sealed))
    }

    /// Whether what a resource refers to is there, as the provider sees it: it may have been put a moment ago.
    async fn referred(&self, prepared: &TypedPut) -> Result<(), ProviderReply> {
        let TypedPut { put, kind, references } = prepared;
        let mut missing = Vec::new();
        for reference in references {
            match self.below.get(&reference.id, "").await {
                ProviderReply::Done(_) | ProviderReply::Running { .. } => {}
                ProviderReply::Missing => missing.push(reference.missing()),
                ProviderReply::Failed(failure) => return Err(ProviderReply::Failed(failure)),
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        let wanted = format!("{}@{}", kind.full_name, kind.version);
        let failure = errors::broken(&wanted, put.body.get(), &missing).target(put.id.as_str());
        Err(ProviderReply::Failed(failure))
    }

    /// What the provider made of a resource, kept as the registry keeps it.
    fn answered(&self, prepared: &TypedPut, response: Response) -> Result<Response, Failure> {
        let TypedPut { put, kind, .. } = prepared;
        let (wanted, schema) = (format!("{}@{}", kind.full_name, kind.version), &**kind.schema);
        let refused = |why: &Incomplete| {
            errors::incomplete_answer(&wanted, &response.body, why).target(put.id.as_str())
        };
        let found = response.body.faults(schema);
        if !found.is_empty() {
            return Err(refused(&Incomplete::Broken(found)));
        }
        let mut state = ObjectBuilder::default();
        for (name, value) in response.body.plain().as_object().into_iter().flatten() {
            let value = if name == "properties" { marked(schema, value.clone()) } else { value.clone() };
            state.set(name.clone(), value);
        }
        let state = state.finish();
        let state = admit(Boundary::ProviderAnswer, &ResourceStateTerms(&kind.schema), state)
            .map_err(|why| refused(&why))?;
        let record = self.kept(&put.id, &state)?;
        let state = state.into_inner();
        let is_other = |write: &Record| !matches!(write, Record::PutResource { id, .. } if *id == *put.id);
        let mut writes: Vec<Record> = response.writes.into_iter().filter(is_other).collect();
        writes.push(Record::PutResource { id: put.id.to_string(), record });
        // A type that is changed meanwhile may forbid what the old one allowed.
        writes.extend(kind.unchanged());
        Ok(Response { body: wrapped(state), writes })
    }
}

/// Whether a resource is in a plane of Radius. Deployments are not resources of it, wherever they are.
fn is_in_plane(id: &str) -> bool {
    starts_in_plane(id) && !id.caseless().contains("/providers/microsoft.resources/deployments/")
}

fn starts_in_plane(id: &str) -> bool {
    id.get(..PLANES.len()).is_some_and(|start| start.eq_ignore_ascii_case(PLANES))
}

/// Whether an extension is one of Radius, by its name: that of Radius itself, or of types that were published.
fn is_radius(extension: &str) -> bool {
    const NAME: &str = "radius";
    extension.get(..NAME.len()).is_some_and(|start| start.eq_ignore_ascii_case(NAME))
}

/// Whether a type is in a namespace that nobody but Radius has: no service of Azure knows it.
fn is_own_type(kind: &str) -> bool {
    let starts = |own: &str| kind.get(..own.len()).is_some_and(|start| start.eq_ignore_ascii_case(own));
    ["Applications.", "Radius."].into_iter().any(starts)
}

/// The type of a resource; nothing if it is not known and does not have to be.
fn known(
    registry: &Registry,
    name: &str,
    version: Option<&str>,
    has_to_be: bool,
) -> Result<Option<ResourceTypeVersion>, RegistryError> {
    if !has_to_be && built_in(name).is_none() && registry.resource_type(name)?.is_none() {
        return Ok(None);
    }
    registry.kind(name, version).map(Some)
}

/// A type and its version, which stands behind it or beside it.
fn split<'k>(kind: &'k str, api_version: &'k str) -> (&'k str, Option<&'k str>) {
    let (type_name, version) = kind.split_once('@').unwrap_or((kind, api_version));
    (type_name, Some(version).filter(|version| !version.is_empty()))
}

/// Properties whose sensitive parts are secrets.
fn marked(schema: &Schema, properties: Value) -> Value {
    let mut hide = |_: &str, value: Value| Some(value.secret());
    hidden(schema, properties, &mut String::new(), &mut hide).unwrap_or(Value::Null)
}

/// Properties without the state, which the server writes.
fn without_state(properties: Value) -> Value {
    let Some(members) = properties.plain().as_object() else { return properties };
    let others = members.iter().filter(|(name, _)| *name != PROVISIONING_STATE);
    Value::object(others.map(|(name, value)| (name.clone(), value.clone())))
}

/// All secrets of a value, by their places; depth is bounded by that of values.
fn collect(value: &Value, pointer: &mut String, secrets: &mut Secrets) {
    if !value.has_secret() {
        return;
    }
    match value {
        Value::Secret(inner) => {
            if let Some(plain) = Constant::copy(inner.view(), STORED.depth) {
                secrets.put(pointer, plain);
            }
        }
        Value::Object(object) => {
            for (name, value) in &**object {
                within(pointer, &escaped(name), |pointer| collect(value, pointer, secrets));
            }
        }
        Value::Array(list) => {
            for (index, item) in list.items().iter().enumerate() {
                within(pointer, &index.to_string(), |pointer| collect(item, pointer, secrets));
            }
        }
        _ => {}
    }
}

/// A resource as expressions see one of an extension: all of it is its properties.
fn wrapped(state: Value) -> Value {
    let mut whole = ObjectBuilder::default();
    let members = state.as_object();
    for name in ["id", "name", "type", "apiVersion"] {
        if let Some(value) = members.and_then(|members| members.get(name)) {
            whole.set(name.into(), value.clone());
        }
    }
    whole.set("properties".into(), state);
    whole.finish()
}

impl Layer for ValidatingProvider {
    fn inner(&self) -> &dyn Provider {
        &*self.below
    }

    fn rebase_on(&self, below: Arc<dyn Provider>) -> Arc<dyn Provider> {
        let over = ValidatingProvider::new(below, Arc::clone(&self.registry));
        Arc::new(over.allowing_unknown_types(self.allows_unknown))
    }

    fn get<'a>(&'a self, id: &'a str, api_version: &'a str) -> Pending<'a> {
        if !is_in_plane(id) {
            return self.below.get(id, api_version);
        }
        Box::pin(async move {
            match self.below.get(id, api_version).await {
                ProviderReply::Done(response) => {
                    ProviderReply::Done(Response { body: wrapped(response.body), writes: response.writes })
                }
                other => other,
            }
        })
    }

    fn put<'a>(&'a self, put: &'a PutRequest) -> Pending<'a> {
        match self.prepared(put) {
            Ok(None) => self.below.put(put),
            Ok(Some(prepared)) => Box::pin(async move {
                if let Err(answer) = self.referred(&prepared).await {
                    return answer;
                }
                match self.below.put(&prepared.put).await {
                    ProviderReply::Done(response) => {
                        let writes = response.writes.clone();
                        match self.answered(&prepared, response) {
                            Ok(response) => ProviderReply::Done(response),
                            Err(failure) => {
                                // It will never be written.
                                self.below.settled(&writes);
                                ProviderReply::Failed(failure)
                            }
                        }
                    }
                    other => other,
                }
            }),
            Err(failure) => Box::pin(async move { ProviderReply::Failed(failure) }),
        }
    }

    fn identify(&self, extension: &str, kind: &str, name: &str, scope: &Scope) -> Option<SmolStr> {
        let (type_name, _) = split(kind, "");
        // What is wrong with a type, or with its record, is said when the resource is put.
        let full_name = match (built_in(type_name), self.registry.resource_type(type_name)) {
            (Some(row), _) if is_radius(extension) => row.name.to_owned(),
            (_, Ok(Some(known))) => known.full_name(),
            _ if is_radius(extension) && !self.allows_unknown => type_name.to_owned(),
            _ => return self.below.identify(extension, kind, name, scope),
        };
        let group = match scope {
            Scope::ResourceGroup { subscription, name }
                if (&**subscription, &**name) != (LOCAL_SUBSCRIPTION, LOCAL_GROUP) =>
            {
                name
            }
            Scope::ResourceGroup { .. }
            | Scope::Unknown
            | Scope::Tenant
            | Scope::ManagementGroup(_)
            | Scope::Subscription(_)
            | Scope::Plane { .. } => GROUP,
        };
        let is_good = named("resource group", group).and_then(|()| named("resource", name)).is_ok();
        is_good.then(|| resource_id(group, &full_name, name).into())
    }

    fn preflight(&self, deployment: &Arc<Deployment>) -> Vec<Failure> {
        let mut foreseen = preflight::foresee(self, deployment);
        foreseen.extend(self.below.preflight(deployment));
        foreseen
    }
}
