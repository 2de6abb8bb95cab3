//! Resources of any type, kept in the store of the deployments.
//!
//! What is put is kept, with an id, a name, a type and what its service would add ([`super::added_properties`]). Secrets are not kept: a keyed
//! digest tells whether they changed. Keys that services make are derived, and not kept either.

mod resource_name;
#[cfg(test)]
mod tests;
mod values;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arm::Caseless as _;
use arm::deployment::ReadMember;
use arm::{ObjectBuilder, PROVISIONING_STATE, ProvisioningState, Value};
use machine::Failure;
use machine::core::{Act, ProviderReply, PutRequest, Response};
use machine::records::{DEPLOYMENTS, Record, parse};
use machine::records::{ResourceRecord, admit_body};
use store::{DeploymentKey, Key, ResourceId, Store};

use super::added_properties::{ADDED, COMES_ALONG, MADE_BESIDE};
use super::generated_properties::{self, LazyTypes};
use super::listed_values;
use super::members::{with, with_all, with_own_values};
use super::read_members::with_read;
use super::script::{self, SCRIPTS};
use super::{EXTENSION, Pending, Provider, Trial, UNAVAILABLE, is_placeholder};
pub(super) use resource_name::kind_of;
use resource_name::{ResourceName, base_of, check_id, group_of};
use values::GeneratedValues;

/// Types whose resources are everywhere without being put.
const EVERYWHERE: &[&str] = &[
    "microsoft.authorization/roledefinitions",
    "microsoft.authorization/policydefinitions",
    "microsoft.authorization/policysetdefinitions",
    "microsoft.resources/tenants",
    "microsoft.resources/subscriptions",
    GROUPS,
    "microsoft.resources/tags",
    "microsoft.management/managementgroups",
    // Machines and their devices register themselves.
    "microsoft.hybridcompute/machines",
    "microsoft.azurestackhci/edgedevices",
];

/// Names of parts that come with the resource that they are part of.
const COMES_ALONG_NAMED: &[&str] = &[
    "default",
    "master",
    "RootManageSharedAccessKey",
    "DefaultFullSharedAccessSignature",
    "DefaultListenSharedAccessSignature",
    "$Default",
];

/// The type of resource groups, in lower case.
const GROUPS: &str = "microsoft.resources/resourcegroups";

/// The tenant that identities belong to.
const TENANT: &str = arm::deployment::LOCAL_TENANT;

/// The provider that keeps its resources in the store, and adds the properties that a service would.
pub struct Local {
    store: Arc<dyn Store>,
    key: Key,
    types: Arc<LazyTypes>,
    /// Whether resource groups have to be put before anything is put into them.
    keeps_groups: bool,
    /// Whether nothing is ever written, so that what was changed is known here alone.
    is_trial: bool,
    /// What was put or deleted and is not durable yet; nothing stands for what is gone.
    changed: Mutex<BTreeMap<ResourceId, UnsettledState>>,
}

/// The state of a resource.
enum FoundState {
    /// It was put, or comes with what was put or with the service.
    Known(Value),
    /// Its name is a placeholder: somebody else has put it, and only its id is known.
    Presumed(Value),
}

/// What was put or deleted last, by whomever.
struct UnsettledState {
    kept: Option<ResourceRecord>,
    /// How many changes have not settled. Afterwards the store is asked, where others may have changed it since.
    open: u32,
}

impl Local {
    /// The resources of a store; keys are derived from a key.
    pub fn new(store: Arc<dyn Store>, key: Key) -> Local {
        let types = Arc::new(LazyTypes::none());
        Local { store, key, types, keeps_groups: false, is_trial: false, changed: Mutex::default() }
    }

    /// The same, where a resource group has to be put before anything is put into it. Otherwise groups are
    /// there as soon as they are named.
    #[must_use]
    pub fn keeping_groups(self) -> Local {
        Local { keeps_groups: true, ..self }
    }

    /// The same, with types that say what services add to their resources.
    #[must_use]
    pub fn with_types(self, types: Arc<LazyTypes>) -> Local {
        Local { types, ..self }
    }

    /// The same for a trial: nothing is ever written, and what was changed is known here alone.
    #[must_use]
    pub fn on_trial(self) -> Local {
        Local { is_trial: true, ..self }
    }

    /// Takes note of what somebody else put or deleted.
    pub fn note(&self, id: &str, kept: Option<ResourceRecord>) {
        self.change(id, kept);
    }

    fn changed(&self) -> MutexGuard<'_, BTreeMap<ResourceId, UnsettledState>> {
        self.changed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a change until it has settled.
    fn change(&self, id: &str, kept: Option<ResourceRecord>) {
        let mut changed = self.changed();
        let entry = changed.entry(ResourceId::new(id)).or_insert(UnsettledState { kept: None, open: 0 });
        *entry = UnsettledState { kept, open: entry.open.saturating_add(1) };
    }

    /// What was put or deleted and is not durable: the resource, and what would be kept of it.
    pub(crate) fn changed_ids(&self) -> Vec<(ResourceId, Option<ResourceRecord>)> {
        self.changed().iter().map(|(id, changed)| (id.clone(), changed.kept.clone())).collect()
    }

    /// What is kept of a resource.
    fn storable_state(&self, id: &ResourceId) -> Result<Option<ResourceRecord>, Failure> {
        if let Some(changed) = self.changed().get(id) {
            return Ok(changed.kept.clone());
        }
        let found = self.store.resource(id).map_err(|error| unread(&error))?;
        found
            .map(|resource| ResourceRecord::from_store(&resource).map_err(|error| broken(&error)))
            .transpose()
    }

    /// The state of a resource, one that is inside another or everywhere included.
    pub fn state(&self, id: &str) -> Result<Option<Value>, Failure> {
        Ok(self.found(id)?.map(|found| match found {
            FoundState::Known(state) | FoundState::Presumed(state) => state,
        }))
    }

    fn found(&self, id: &str) -> Result<Option<FoundState>, Failure> {
        if let Some(kept) = self.storable_state(&ResourceId::new(id))? {
            return Ok(Some(FoundState::Known(kept.body().clone())));
        }
        if id.starts_with(EXTENSION) {
            return Ok(None);
        }
        let name = ResourceName::of(id);
        if let Some(known) = self.known(id, &name)? {
            return Ok(Some(FoundState::Known(known)));
        }
        // What only a pipeline knows is what was there before.
        let is_presumed = is_placeholder(&name.last);
        Ok(is_presumed
            .then(|| FoundState::Presumed(self.everywhere(id, &name, arm::deployment::LOCAL_LOCATION))))
    }

    /// The state of a resource that was not put by itself.
    fn known(&self, id: &str, name: &ResourceName) -> Result<Option<Value>, Failure> {
        if name.kind.eq_ignore_ascii_case(DEPLOYMENTS) {
            return self.deployment(id, name);
        }
        let kind = name.kind.caseless();
        if EVERYWHERE.contains(&kind.as_str()) && !(self.keeps_groups && kind == GROUPS) {
            return Ok(Some(self.everywhere(id, name, arm::deployment::LOCAL_LOCATION)));
        }
        for (_, between, maker) in
            MADE_BESIDE.iter().filter(|(made, ..)| made.eq_ignore_ascii_case(&name.kind))
        {
            let group = id.split("/providers/").next().unwrap_or_default();
            if let Some((of, _)) = name.last.split_once(between)
                && self
                    .storable_state(&ResourceId::new(&format!("{group}/providers/{maker}/{of}")))?
                    .is_some()
            {
                return Ok(Some(self.everywhere(id, name, arm::deployment::LOCAL_LOCATION)));
            }
        }
        let Some(around) = name.parent.as_deref().or_else(|| base_of(id)) else { return Ok(None) };
        // What comes along may have something that comes along; ids are short.
        Ok(self.state(around)?.and_then(|around| self.inside(id, name, &around)))
    }

    /// A deployment is a resource, too.
    fn deployment(&self, id: &str, name: &ResourceName) -> Result<Option<Value>, Failure> {
        let lower = id.caseless();
        let scope = lower.rfind("/providers/").and_then(|at| lower.get(..at)).unwrap_or_default();
        let found =
            self.store.deployment(&DeploymentKey::new(scope, &name.last)).map_err(|error| unread(&error))?;
        found.map(|deployment| parse(&deployment.body).map_err(|error| broken(&error))).transpose()
    }

    /// What services add to a resource.
    fn with_additions(&self, state: &Value, id: &str, name: &ResourceName, kind: &str) -> Value {
        let location = text_member(state, "location").unwrap_or(arm::deployment::LOCAL_LOCATION).caseless();
        let mut state = state.clone();
        for row in ADDED.iter().filter(|row| row.kind.eq_ignore_ascii_case(kind)) {
            let mut make = |item: &Value, label: &str| {
                let holds = with_own_values(row.holds, item)?;
                Some(self.filled(&holds, id, name, &location, label))
            };
            state = with_all(&state, row.path, &mut String::new(), &mut make);
        }
        state
    }

    /// What a script would have written, as far as its text and the template say it.
    fn with_script_outputs(
        &self,
        state: &Value,
        id: &str,
        name: &ResourceName,
        read: &[ReadMember],
    ) -> Value {
        let location = text_member(state, "location").unwrap_or(arm::deployment::LOCAL_LOCATION);
        let own = GeneratedValues { local: self, id, name, location };
        let properties = state.as_object().and_then(|state| state.get("properties"));
        let content = properties.and_then(|properties| text_member(properties, "scriptContent"));
        let outputs = script::outputs(read, content.unwrap_or_default(), &own);
        with(state, &["properties", "outputs"], || outputs)
    }

    /// A resource that nobody has to put.
    fn everywhere(&self, id: &str, name: &ResourceName, location: &str) -> Value {
        let properties = ProvisioningState::Succeeded.properties();
        let state = Value::object([
            ("id", Value::text(id)),
            ("name", Value::text(name.last.as_str())),
            ("type", Value::text(name.kind.as_str())),
            ("location", Value::text(location)),
            ("properties", properties),
        ]);
        self.with_additions(&state, id, name, &name.kind)
    }

    /// A resource that is written inside of another one, or that comes with it.
    fn inside(&self, id: &str, name: &ResourceName, parent: &Value) -> Option<Value> {
        let segment = name.kind.rsplit('/').next()?;
        let properties = parent.as_object()?.get("properties")?.as_object()?;
        let is_extension = name.parent.is_none();
        let listed =
            properties.get(segment).filter(|_| !is_extension).and_then(Value::as_array).unwrap_or_default();
        let is_it = |item: &&Value| {
            let item_name = item.as_object().and_then(|item| item.get("name")).and_then(Value::as_str);
            item_name.is_some_and(|item_name| item_name.eq_ignore_ascii_case(&name.last))
        };
        if let Some(item) = listed.iter().find(is_it) {
            return Some(item.clone());
        }
        let named = COMES_ALONG_NAMED.iter().any(|part| name.last.eq_ignore_ascii_case(part));
        let comes_along =
            named && !is_extension || COMES_ALONG.iter().any(|kind| kind.eq_ignore_ascii_case(&name.kind));
        let location = text_member(parent, "location").unwrap_or(arm::deployment::LOCAL_LOCATION);
        comes_along.then(|| self.everywhere(id, name, location))
    }

    /// What a put makes of a resource: the state that is seen, and what is kept of it.
    pub fn put_state(&self, put: &PutRequest) -> Result<(Value, ResourceRecord), Failure> {
        let name = ResourceName::of(&put.id);
        let mut body = ObjectBuilder::default();
        body.set("id".into(), Value::Text(put.id.clone()));
        body.set("name".into(), Value::text(name.last.as_str()));
        body.set("type".into(), Value::Text(put.kind.clone()));
        body.set("apiVersion".into(), Value::Text(put.api_version.clone()));
        let given = put.body.get().plain().as_object();
        for (member, value) in given.into_iter().flatten() {
            let is_name =
                ["id", "name", "type", "apiVersion"].iter().any(|own| member.eq_ignore_ascii_case(own));
            if !is_name {
                body.set(member.clone(), value.clone());
            }
        }
        // What is known to be a secret is not kept, also if the template does not say so.
        let mut state = generated_properties::with_known_secrets(&put.kind, body.finish());
        state = with(&state, &["properties", PROVISIONING_STATE], || {
            Value::text(ProvisioningState::Succeeded.as_str())
        });
        state = self.with_identity(&state, &put.id);
        if put.kind.eq_ignore_ascii_case(SCRIPTS) {
            state = self.with_script_outputs(&state, &put.id, &name, &put.wanted.script_outputs);
        }
        state = self.with_additions(&state, &put.id, &name, &put.kind);
        if name.kind.caseless().starts_with("microsoft.network/") {
            state = with_inner_ids(&state, &put.id);
        }
        let state = admit_body(&put.id, state)?;
        let record = ResourceRecord::new(&self.key, &state)?;
        Ok((state.into_inner(), record))
    }

    /// The ids of identities, which the directory gives.
    fn with_identity(&self, state: &Value, id: &str) -> Value {
        let identity = state.as_object().and_then(|state| state.get("identity")).and_then(Value::as_object);
        let Some(identity) = identity else { return state.clone() };
        let kinds = identity.get("type").and_then(Value::as_str).unwrap_or_default().caseless();
        let mut state = state.clone();
        if kinds.contains("systemassigned") {
            state = with(&state, &["identity", "principalId"], || Value::text(self.guid(id, "identity")));
            state = with(&state, &["identity", "tenantId"], || Value::text(TENANT));
        }
        let users = identity.get("userAssignedIdentities").and_then(Value::as_object);
        for (user, _) in users.into_iter().flatten() {
            for (member, label) in
                [("clientId", "properties/clientId"), ("principalId", "properties/principalId")]
            {
                let path = ["identity", "userAssignedIdentities", user, member];
                state = with(&state, &path, || Value::text(self.guid(user, label)));
            }
        }
        state
    }

    /// Refuses what goes into a group that is not there, and says what has to be so when it is kept.
    fn check_group(&self, id: &str) -> Result<Option<Record>, Failure> {
        let Some((group, name)) = group_of(id).filter(|_| self.keeps_groups) else { return Ok(None) };
        match self.storable_state(&ResourceId::new(group))? {
            // Somebody may delete the group meanwhile.
            Some(_) => Ok(Some(Record::Present { id: group.to_owned() })),
            None => {
                let message = format!("Resource group '{name}' could not be found.");
                Err(Failure::new("ResourceGroupNotFound", message).target(group))
            }
        }
    }

    fn put_now(&self, put: &PutRequest) -> ProviderReply {
        let mut writes = Vec::new();
        match check_id(&put.id).and_then(|()| self.check_group(&put.id)) {
            Ok(needed) => writes.extend(needed),
            Err(failure) => return ProviderReply::Failed(failure),
        }
        let made = if put.wanted.patch { self.patch_state(put, &mut writes) } else { self.put_state(put) };
        match made {
            Ok((state, record)) => {
                self.change(&put.id, Some(record.clone()));
                writes.push(Record::PutResource { id: put.id.to_string(), record });
                ProviderReply::Done(Response { body: state, writes })
            }
            Err(failure) => ProviderReply::Failed(failure),
        }
    }

    /// What a patch makes of a resource, which has to be there: the state that is seen, and what is kept of it.
    fn patch_state(
        &self,
        put: &PutRequest,
        writes: &mut Vec<Record>,
    ) -> Result<(Value, ResourceRecord), Failure> {
        let id = ResourceId::new(&put.id);
        // The version first: what is read after it may only be newer.
        let version = self.store.resource(&id).map_err(|error| unread(&error))?.map(|it| it.version);
        let before = self.storable_state(&id)?;
        if !self.changed().contains_key(&id) {
            writes.push(Record::Unchanged { id: put.id.to_string(), version });
        }
        let Some(before) = before else {
            let message = format!("the resource `{}` was not found, and a PATCH makes none", put.id);
            return Err(Failure::new("ResourceNotFound", message).target(put.id.as_str()));
        };
        let body = admit_body(&put.id, before.body().merged_with(put.body.get()))?;
        let (state, after) = self.put_state(&PutRequest { body, ..put.clone() })?;
        Ok((state, after.patched(&before, put.body.get())))
    }

    /// The state of a resource with what its service shows beyond what was put.
    fn shown(&self, id: &str, kind: &str, api_version: &str, state: &Value) -> Value {
        let name = ResourceName::of(id);
        let location = text_member(state, "location").unwrap_or(arm::deployment::LOCAL_LOCATION).caseless();
        let own = GeneratedValues { local: self, id, name: &name, location: &location };
        self.types.shown(kind, api_version, state, &own)
    }

    /// The state of a resource that is only taken to be there, with all that its type says it may have.
    fn guessed(&self, id: &str, api_version: &str, state: &Value) -> Value {
        let name = ResourceName::of(id);
        let location = text_member(state, "location").unwrap_or(arm::deployment::LOCAL_LOCATION);
        let own = GeneratedValues { local: self, id, name: &name, location };
        self.types.guessed(&name.kind, api_version, state, &own)
    }

    fn get_now(&self, id: &str, api_version: &str) -> ProviderReply {
        match self.found(id) {
            Ok(Some(found)) => {
                let body = match found {
                    FoundState::Known(state) => {
                        self.shown(id, &ResourceName::of(id).kind, api_version, &state)
                    }
                    FoundState::Presumed(state) => self.guessed(id, api_version, &state),
                };
                ProviderReply::Done(Response { body, writes: Vec::new() })
            }
            Ok(None) => ProviderReply::Missing,
            Err(failure) => ProviderReply::Failed(failure),
        }
    }

    fn delete_now(&self, id: &str) -> ProviderReply {
        let ids = match self.ids(&format!("{id}/")) {
            Ok(ids) => ids,
            Err(failure) => return ProviderReply::Failed(failure),
        };
        let mut writes = Vec::new();
        for id in ids.into_iter().chain([id.to_owned()]) {
            self.change(&id, None);
            writes.push(Record::DeleteResource { id });
        }
        ProviderReply::Done(Response { body: Value::Null, writes })
    }

    /// The ids of the resources below another one.
    pub fn ids(&self, below: &str) -> Result<Vec<String>, Failure> {
        let mut ids = BTreeMap::new();
        for resource in store::scan_resources(&*self.store, below, "") {
            let resource = resource.map_err(|error| unread(&error))?;
            ids.insert(ResourceId::new(&resource.id), resource.id);
        }
        let below = below.caseless();
        for (id, changed) in self.changed().iter().filter(|(id, _)| id.as_str().starts_with(&below)) {
            match &changed.kept {
                Some(kept) => {
                    let spelled = text_member(kept.body(), "id").unwrap_or(id.as_str()).to_owned();
                    ids.insert(id.clone(), spelled);
                }
                None => {
                    ids.remove(id);
                }
            }
        }
        Ok(ids.into_values().collect())
    }

    fn list_now(&self, below: &str) -> ProviderReply {
        match self.ids(below) {
            Ok(ids) => {
                let body = Value::array(ids.into_iter().map(Value::from).collect());
                ProviderReply::Done(Response { body, writes: Vec::new() })
            }
            Err(failure) => ProviderReply::Failed(failure),
        }
    }

    fn action_now(&self, id: &str, action: &str, api_version: &str) -> ProviderReply {
        // A vault that nobody put has the secret as well: parameters are given from vaults that were there before.
        if action.eq_ignore_ascii_case("getSecret") {
            let value = Value::text(self.hex(id, "secret", 16)).secret();
            return ProviderReply::Done(Response { body: value, writes: Vec::new() });
        }
        let state = match self.state(id) {
            Ok(Some(state)) => state,
            Ok(None) => return ProviderReply::Missing,
            Err(failure) => return ProviderReply::Failed(failure),
        };
        let name = ResourceName::of(text_member(&state, "id").unwrap_or(id));
        if name.kind.eq_ignore_ascii_case(DEPLOYMENTS) {
            let message =
                format!("the secure outputs of `{id}` are not kept: they were erased when it ended");
            return ProviderReply::Failed(Failure::new("SecureOutputsNotKept", message).target(id));
        }
        let location = text_member(&state, "location").unwrap_or(arm::deployment::LOCAL_LOCATION);
        let fill = |text: &str| {
            let keys = ["{key1}", "{key2}", "{key3}", "{key4}"];
            let text =
                keys.iter().fold(text.to_owned(), |text, key| text.replace(key, &self.secret_key(id, key)));
            self.with_names(&text, id, &name, &location.caseless(), "list")
        };
        let Some(known) = listed_values::listed(&name.kind, action, fill) else {
            return ProviderReply::Failed(broken(&"the result of the action is no JSON"));
        };
        let key = |policy: &str, number: u8| self.secret_key(id, &format!("policy/{policy}/{number}"));
        let known = match listed_values::policies(&name.kind, action, &state, key) {
            Some(own) => known.merged_with(&own),
            None => known,
        };
        let own = GeneratedValues { local: self, id, name: &name, location };
        let body = self.types.result(&name.kind, api_version, action, &known, &own);
        ProviderReply::Done(Response { body, writes: Vec::new() })
    }
}

impl Provider for Local {
    fn get<'a>(&'a self, id: &'a str, api_version: &'a str) -> Pending<'a> {
        Box::pin(async move { self.get_now(id, api_version) })
    }

    fn put<'a>(&'a self, put: &'a PutRequest) -> Pending<'a> {
        Box::pin(async move { self.put_now(put) })
    }

    fn delete<'a>(&'a self, id: &'a str) -> Pending<'a> {
        Box::pin(async move { self.delete_now(id) })
    }

    fn list<'a>(&'a self, below: &'a str) -> Pending<'a> {
        Box::pin(async move { self.list_now(below) })
    }

    fn action<'a>(&'a self, act: &'a Act) -> Pending<'a> {
        Box::pin(async move { self.action_now(&act.id, &act.action, &act.api_version) })
    }

    fn seen(&self, id: &str, kind: &str, api_version: &str, state: &Value) -> Value {
        self.shown(id, kind, api_version, state)
    }

    fn presumed(&self, id: &str, state: &Value, read: &[ReadMember]) -> Value {
        match self.found(id) {
            Ok(Some(FoundState::Presumed(_))) => {
                let name = ResourceName::of(id);
                let location = text_member(state, "location").unwrap_or(arm::deployment::LOCAL_LOCATION);
                let own = GeneratedValues { local: self, id, name: &name, location };
                with_read(state, read, "", &own)
            }
            Ok(Some(FoundState::Known(_)) | None) | Err(_) => state.clone(),
        }
    }

    fn marked(&self, kind: &str, api_version: &str, body: &Value) -> Value {
        self.types.marked(kind, api_version, body)
    }

    fn group(&self, id: &str) -> Result<Option<Value>, Failure> {
        Ok(self.storable_state(&ResourceId::new(id))?.map(|kept| kept.body().clone()))
    }

    fn settled(&self, records: &[Record]) {
        if self.is_trial {
            return;
        }
        let mut changed = self.changed();
        for record in records {
            let id = match record {
                Record::PutResource { id, .. } | Record::DeleteResource { id } => ResourceId::new(id),
                Record::Deployment { .. }
                | Record::Step { .. }
                | Record::Operation { .. }
                | Record::Unchanged { .. }
                | Record::Present { .. }
                | Record::Link { .. }
                | Record::EraseSecrets { .. } => continue,
            };
            // Somebody may have changed it again, and that has not settled.
            if let Some(entry) = changed.get_mut(&id) {
                entry.open = entry.open.saturating_sub(1);
                if entry.open == 0 {
                    changed.remove(&id);
                }
            }
        }
    }

    fn trial(&self) -> Option<Trial> {
        let fresh = Local::new(Arc::clone(&self.store), self.key.clone());
        let fresh = fresh.with_types(Arc::clone(&self.types));
        let local = Local { is_trial: true, keeps_groups: self.keeps_groups, ..fresh };
        let local = Arc::new(local);
        Some(Trial { provider: Arc::<Local>::clone(&local), changes: local })
    }
}

fn unread(error: &dyn std::fmt::Display) -> Failure {
    Failure::new(UNAVAILABLE, error.to_string())
}

fn broken(error: &dyn std::fmt::Display) -> Failure {
    Failure::new("InternalServerError", error.to_string())
}

fn text_member<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.as_object()?.get(name)?.as_str()
}

/// Gives ids to the named parts of a network resource: its subnets, configurations and the like.
fn with_inner_ids(state: &Value, id: &str) -> Value {
    let Some(properties) = state.as_object().and_then(|state| state.get("properties")) else {
        return state.clone();
    };
    let Some(object) = properties.as_object() else { return state.clone() };
    let mut members = ObjectBuilder::default();
    for (name, member) in object {
        let items = member.as_array().map(|items| {
            let item = |item: &Value| match text_member(item, "name") {
                Some(item_name) => {
                    let item = with(item, &["id"], || Value::text(format!("{id}/{name}/{item_name}")));
                    // A configuration in a subnet has an address of it.
                    let in_subnet = item.as_object().and_then(|item| item.get("properties"));
                    let in_subnet = in_subnet.and_then(Value::as_object).and_then(|it| it.get("subnet"));
                    if in_subnet.is_some() {
                        with(&item, &["properties", "privateIPAddress"], || Value::text("10.0.0.4"))
                    } else {
                        item
                    }
                }
                None => item.clone(),
            };
            Value::array(items.iter().map(item).collect())
        });
        members.insert(name.clone(), items.unwrap_or_else(|| member.clone()));
    }
    let mut body = ObjectBuilder::default();
    for (name, member) in state.as_object().into_iter().flatten() {
        body.insert(name.clone(), member.clone());
    }
    body.set("properties".into(), members.finish());
    body.finish()
}
