//! Resources of any type, kept in the store of the deployments.
//!
//! What is put is kept, with an id, a name, a type and what its service would add ([`super::added_properties`]). Secrets are not kept: a keyed
//! digest tells whether they changed. Keys that services make are derived, and not kept either.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arm::Caseless as _;
use arm::deployment::ReadMember;
use arm::{ObjectBuilder, PROVISIONING_STATE, ProvisioningState, Value};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use machine::Failure;
use machine::core::{Act, ProviderReply, PutRequest, Response};
use machine::records::{DEPLOYMENTS, Record, parse};
use machine::records::{ResourceRecord, admit_body};
use store::{DeploymentKey, Key, ResourceId, Store};

use super::added_properties::{ADDED, COMES_ALONG, MADE_BESIDE};
use super::generated_properties::{self, LazyTypes, Values};
use super::listed_values;
use super::members::{with, with_all, with_own_values};
use super::read_members::with_read;
use super::script::{self, SCRIPTS};
use super::{EXTENSION, Pending, Provider, Trial, UNAVAILABLE, is_placeholder};

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

    /// Fills in what a row of the table says.
    fn filled(&self, holds: &str, id: &str, name: &ResourceName, location: &str, label: &str) -> Value {
        let text = self.with_names(holds, id, name, location, label);
        if (text.starts_with('{') || text.starts_with('['))
            && let Ok(value) = parse(&text)
        {
            return value;
        }
        match text.parse() {
            Ok(number) => Value::Int(number),
            Err(_) => Value::text(text),
        }
    }

    /// A text with what stands in its braces.
    fn with_names(&self, text: &str, id: &str, name: &ResourceName, location: &str, label: &str) -> String {
        let group = id.split("/providers/").next().unwrap_or_default();
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            out.push_str(before);
            let made = after.split_once('}').and_then(|(word, after)| {
                let made = match word {
                    "name" => name.last.clone(),
                    "lower" => name.last.caseless(),
                    "parent" => name.parent_name.clone(),
                    "id" => id.to_owned(),
                    "group" => group.to_owned(),
                    "groupname" => group.rsplit('/').next().unwrap_or_default().to_owned(),
                    "location" => location.replace(' ', ""),
                    "tenant" => TENANT.to_owned(),
                    "guid" => self.guid(id, label),
                    "identity" => self.guid(base_of(id).unwrap_or(id), "identity"),
                    "hex" => self.hex(id, label, 16),
                    "hex8" => self.hex(id, label, 4).to_uppercase(),
                    "thumbprint" => self.hex(id, label, 20).to_uppercase(),
                    "ip" => self.address(id),
                    "private" => self.private_address(id, label),
                    "key" => self.secret_key(id, label),
                    _ => return None,
                };
                Some((made, after))
            });
            match made {
                Some((made, after)) => {
                    out.push_str(&made);
                    rest = after;
                }
                None => {
                    out.push('{');
                    rest = after;
                }
            }
        }
        out.push_str(rest);
        out
    }

    /// A key as services make them: 64 bytes in base64.
    fn secret_key(&self, id: &str, label: &str) -> String {
        let of = |half: u8| {
            let of = format!("{}\0{label}\0{half}", id.caseless());
            self.key.derive("local resource", of.as_bytes()).unwrap_or([0; 32])
        };
        STANDARD.encode([of(1), of(2)].concat())
    }

    /// An address in the private network that most templates use.
    fn private_address(&self, id: &str, label: &str) -> String {
        let hex = self.hex(id, label, 1);
        let last = u8::from_str_radix(&hex, 16).unwrap_or(0) % 250 + 4;
        format!("10.0.0.{last}")
    }

    /// Bytes that belong to a resource and a purpose, in hexadecimal.
    fn hex(&self, id: &str, label: &str, bytes: usize) -> String {
        let of = format!("{}\0{label}", id.caseless());
        let derived = self.key.derive("local resource", of.as_bytes()).unwrap_or([0; 32]);
        derived.iter().take(bytes).map(|byte| format!("{byte:02x}")).collect()
    }

    fn guid(&self, id: &str, label: &str) -> String {
        let hex = self.hex(id, label, 16);
        let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default().to_owned();
        format!("{}-{}-4{}-8{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
    }

    fn address(&self, id: &str) -> String {
        let hex = self.hex(id, "address", 2);
        let byte = |from: usize| u8::from_str_radix(hex.get(from..from + 2).unwrap_or("0"), 16).unwrap_or(0);
        format!("203.0.{}.{}", byte(0), byte(2).max(1))
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

/// The values that belong to a resource.
struct GeneratedValues<'o> {
    local: &'o Local,
    id: &'o str,
    name: &'o ResourceName,
    location: &'o str,
}

impl Values for GeneratedValues<'_> {
    fn id(&self) -> &str {
        self.id
    }

    fn name(&self) -> &str {
        &self.name.last
    }

    fn location(&self) -> &str {
        self.location
    }

    fn hex(&self, label: &str, bytes: usize) -> String {
        self.local.hex(self.id, label, bytes)
    }

    fn key(&self, label: &str) -> String {
        self.local.secret_key(self.id, label)
    }

    fn guid(&self, label: &str) -> String {
        self.local.guid(self.id, label)
    }

    fn address(&self) -> String {
        self.local.address(self.id)
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

/// The id of the resource that one extends; none if it extends nothing but a scope.
fn base_of(id: &str) -> Option<&str> {
    let at = id.to_ascii_lowercase().rfind("/providers/")?;
    id.get(..at).filter(|base| base.to_ascii_lowercase().contains("/providers/"))
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

/// The id and the name of the group that a resource is in; nothing for one that is in none.
fn group_of(id: &str) -> Option<(&str, &str)> {
    let mut parts = id.split('/').skip(1);
    let is = |part: Option<&str>, word: &str| part.is_some_and(|part| part.eq_ignore_ascii_case(word));
    let subscription = is(parts.next(), "subscriptions").then(|| parts.next()).flatten()?;
    let name = is(parts.next(), "resourceGroups").then(|| parts.next()).flatten()?;
    // A group is in none.
    parts.next()?;
    let length = "/subscriptions//resourceGroups/".len() + subscription.len() + name.len();
    Some((id.get(..length)?, name))
}

/// The type of a resource by its id.
pub(super) fn kind_of(id: &str) -> String {
    ResourceName::of(id).kind
}

/// What an id says of a resource.
struct ResourceName {
    kind: String,
    last: String,
    /// The id of the resource that it is inside of.
    parent: Option<String>,
    parent_name: String,
}

impl ResourceName {
    fn of(id: &str) -> ResourceName {
        let last = id.rsplit('/').next().unwrap_or_default().to_owned();
        if let Some(rest) = id.strip_prefix(EXTENSION) {
            let kind = rest.split_once('/').and_then(|(_, rest)| rest.rsplit_once('/'));
            let kind = kind.map_or_else(String::new, |(kind, _)| kind.to_owned());
            return ResourceName { kind, last, parent: None, parent_name: String::new() };
        }
        // Its place in the id itself: other letters may have another length.
        let provider = id.to_ascii_lowercase().rfind("/providers/");
        let Some(at) = provider else {
            let kind = match id.split('/').filter(|part| !part.is_empty()).count() {
                0 => "Microsoft.Resources/tenants",
                1 | 2 => "Microsoft.Resources/subscriptions",
                _ => "Microsoft.Resources/resourceGroups",
            };
            return ResourceName { kind: kind.to_owned(), last, parent: None, parent_name: String::new() };
        };
        let rest = id.get(at + "/providers/".len()..).unwrap_or_default();
        let parts: Vec<&str> = rest.split('/').collect();
        let (namespace, pairs) =
            parts.split_first().map_or(("", &[] as &[&str]), |(first, rest)| (*first, rest));
        let kinds = pairs.iter().step_by(2).fold(namespace.to_owned(), |kind, part| format!("{kind}/{part}"));
        let mut parent = None;
        let mut parent_name = String::new();
        if let [before @ .., _, _] = pairs
            && !before.is_empty()
        {
            parent_name = before.last().copied().unwrap_or_default().to_owned();
            let base = id.get(..at).unwrap_or_default();
            parent = Some(format!("{base}/providers/{namespace}/{}", before.join("/")));
        }
        ResourceName { kind: kinds, last, parent, parent_name }
    }
}

/// Refuses an id that no request could name, or that another reader takes for another one.
fn check_id(id: &str) -> Result<(), Failure> {
    let is_wrong = |part: &str| {
        part == "." || part == ".." || part.contains(|letter: char| letter == '\\' || letter.is_control())
    };
    if !id.starts_with('/') || !id.split('/').any(is_wrong) {
        return Ok(());
    }
    let message = "the id of the resource has a part that is `.` or `..`, or that has a backslash or a control character";
    Err(Failure::new("InvalidResourceName", message).target(id.escape_debug().to_string()))
}

#[cfg(test)]
mod tests {
    use arm::template::TypeWord;
    use store::MemoryStore;

    use super::*;
    use machine::core::StepPolicy;

    const GROUP: &str = "/subscriptions/s/resourceGroups/g";

    fn local() -> Local {
        Local::new(Arc::new(MemoryStore::new()), Key::random().unwrap())
    }

    fn put(kind: &str, name: &str, body: Value) -> PutRequest {
        PutRequest {
            id: format!("{GROUP}/providers/{kind}/{name}").into(),
            kind: kind.into(),
            api_version: "2025-01-01".into(),
            body: admit_body("/a", body).unwrap(),
            wanted: StepPolicy::default(),
            extension: None,
        }
    }

    fn at<'v>(value: &'v Value, path: &[&str]) -> Option<&'v Value> {
        path.iter().try_fold(value, |value, name| value.as_object()?.get(name))
    }

    #[test]
    fn a_storage_account_has_endpoints_and_keys() {
        let local = local();
        let put =
            put("Microsoft.Storage/storageAccounts", "acc", Value::object([("location", "westus".into())]));
        let ProviderReply::Done(response) = local.put_now(&put) else { panic!() };
        let blob = at(&response.body, &["properties", "primaryEndpoints", "blob"]);
        assert_eq!(blob, Some(&Value::text("https://acc.blob.core.windows.net/")));
        assert_eq!(at(&response.body, &["properties", "provisioningState"]), Some(&Value::text("Succeeded")));
        let ProviderReply::Done(keys) = local.action_now(&put.id, "listKeys", "") else { panic!() };
        let ProviderReply::Done(again) = local.action_now(&put.id.to_uppercase(), "listKeys", "") else {
            panic!()
        };
        assert!(keys.body == again.body, "keys belong to the resource");
        let other = format!("{}2", put.id);
        assert!(matches!(local.action_now(&other, "listKeys", ""), ProviderReply::Missing));
    }

    #[test]
    fn secrets_are_seen_by_the_deployment_and_not_kept() {
        let local = local();
        let secret = |text: &str| {
            Value::object([("properties", Value::object([("password", Value::from(text).secret())]))])
        };
        let (state, kept) = local.put_state(&put("Our.Things/things", "t", secret("hunter2"))).unwrap();
        assert!(at(&state, &["properties", "password"]).unwrap().is_secret());
        assert!(!kept.to_store().contains("hunter2") && !kept.body().has_secret(), "{kept:?}");
        let digest = |kept: &ResourceRecord| at(kept.digests(), &["/properties/password"]).cloned();
        let (_, same) = local.put_state(&put("Our.Things/things", "t", secret("hunter2"))).unwrap();
        let (_, other) = local.put_state(&put("Our.Things/things", "t", secret("hunter3"))).unwrap();
        assert!(digest(&kept).is_some() && digest(&kept) == digest(&same) && digest(&kept) != digest(&other));
    }

    #[test]
    fn a_secret_of_a_vault_is_not_kept_even_if_nobody_says_that_it_is_one() {
        let local = local();
        let body = Value::object([("properties", Value::object([("value", Value::text("hunter2"))]))]);
        let (state, kept) = local.put_state(&put("Microsoft.KeyVault/vaults/secrets", "v/s", body)).unwrap();
        assert!(at(&state, &["properties", "value"]).unwrap().is_secret());
        assert!(!kept.to_store().contains("hunter2"), "{kept:?}");
        assert!(at(kept.digests(), &["/properties/value"]).is_some());
    }

    #[test]
    fn what_is_inside_of_a_resource_is_found() {
        let local = local();
        let subnet =
            Value::object([("name", "a".into()), ("properties", Value::object([("x", Value::Int(1))]))]);
        let properties = Value::object([("subnets", Value::array(vec![subnet]))]);
        let put =
            put("Microsoft.Network/virtualNetworks", "net", Value::object([("properties", properties)]));
        local.put_now(&put);
        let found = local.state(&format!("{}/subnets/A", put.id)).unwrap().unwrap();
        assert_eq!(text_member(&found, "id"), Some(format!("{}/subnets/a", put.id).as_str()));
        assert_eq!(local.state(&format!("{}/subnets/b", put.id)).unwrap(), None);
        assert!(local.state(GROUP).unwrap().is_some(), "groups exist as soon as they are named");
    }

    #[test]
    fn items_of_lists_have_what_their_service_adds() {
        let local = local();
        let rules = Value::array(vec![
            Value::object([("sourceContainer", Value::text("a"))]),
            Value::object([("ruleId", Value::text("own"))]),
        ]);
        let body = Value::object([("properties", Value::object([("rules", rules)]))]);
        let put = put("Microsoft.Storage/storageAccounts/objectReplicationPolicies", "p", body);
        let ProviderReply::Done(response) = local.put_now(&put) else { panic!() };
        let rules = at(&response.body, &["properties", "rules"]).unwrap().as_array().unwrap().to_vec();
        assert_eq!(text_member(&rules[0], "ruleId").map(str::len), Some(36));
        assert_eq!(text_member(&rules[1], "ruleId"), Some("own"));
    }

    #[test]
    fn a_script_has_the_outputs_that_its_text_names() {
        let local = local();
        let script = "$DeploymentScriptOutputs = @{ publicKey = $key; secretUrl = $url }";
        let properties = Value::object([("scriptContent", Value::text(script))]);
        let put = put(SCRIPTS, "s", Value::object([("properties", properties)]));
        let ProviderReply::Done(one) = local.put_now(&put) else { panic!() };
        let ProviderReply::Done(two) = local.put_now(&put) else { panic!() };
        assert_eq!(one.body, two.body, "the values are the same each time");
        let outputs = at(&one.body, &["properties", "outputs"]).unwrap();
        assert_eq!(text_member(outputs, "publicKey").map(str::len), Some(88));
        assert!(text_member(outputs, "secretUrl").unwrap().contains("/secrets/s/"));
    }

    #[test]
    fn a_script_has_the_outputs_that_are_read_of_it() {
        let local = local();
        let output = |name: &str, word, parts: Vec<ReadMember>| ReadMember {
            name: Some(name.into()),
            word,
            parts,
            items: 0,
        };
        let item = ReadMember { name: None, ..output("", None, vec![output("host", None, vec![])]) };
        let list = ReadMember { items: 2, ..output("list", None, vec![item]) };
        let inner = vec![output("publicKey", Some(TypeWord::String), vec![])];
        let read = vec![
            output("flag", Some(TypeWord::Bool), vec![]),
            output("count", Some(TypeWord::Int), vec![]),
            output("rows", Some(TypeWord::Array), vec![]),
            output("table", Some(TypeWord::Object), vec![]),
            output("keyInfo", Some(TypeWord::String), inner),
            list,
        ];
        let mut put = put(
            SCRIPTS,
            "s",
            Value::object([(
                "properties",
                Value::object([(
                    "scriptContent",
                    Value::text("$DeploymentScriptOutputs = @{ Flag = 1; other = 2 }"),
                )]),
            )]),
        );
        put.wanted.script_outputs = read.into();
        let ProviderReply::Done(one) = local.put_now(&put) else { panic!() };
        let outputs = at(&one.body, &["properties", "outputs"]).unwrap();
        let key = at(outputs, &["keyInfo", "publicKey"]).and_then(Value::as_str).unwrap();
        let list = at(outputs, &["list"]).and_then(Value::as_array).unwrap();
        assert_eq!((key.len(), list.len()), (88, 2));
        assert!(list.iter().all(|item| text_member(item, "host").is_some()), "{}", outputs.to_json());
        let rest = |name: &str| at(outputs, &[name]).map(Value::to_json);
        let expect = [("flag", "true"), ("count", "1"), ("rows", "[]"), ("table", "{}")];
        for (name, expect) in expect {
            assert_eq!(rest(name).as_deref(), Some(expect), "{name}");
        }
        assert!(rest("other").is_some());
        assert_eq!(outputs.as_object().unwrap().len(), 7);
    }

    #[test]
    fn some_resources_are_there_without_being_put() {
        let local = local();
        let namespace = put("Microsoft.EventHub/namespaces", "n", Value::Null);
        local.put_now(&namespace);
        let rule = format!("{}/AuthorizationRules/RootManageSharedAccessKey", namespace.id);
        assert!(local.state(&rule).unwrap().is_some());
        assert!(local.state(&format!("{}/AuthorizationRules/other", namespace.id)).unwrap().is_none());
        for id in [
            format!("{GROUP}/providers/Microsoft.Resources/tags/default"),
            format!("{GROUP}/providers/Microsoft.HybridCompute/machines/m"),
        ] {
            assert!(local.state(&id).unwrap().is_some(), "{id}");
        }
    }

    #[test]
    fn what_a_placeholder_names_is_there() {
        let local = local();
        let state = |rest: &str| local.state(&format!("{GROUP}/providers/{rest}")).unwrap();
        let vault = state("Microsoft.KeyVault/vaults/GET-PREREQ-vault").unwrap();
        let address = at(&vault, &["properties", "vaultUri"]).and_then(Value::as_str).map(str::to_owned);
        assert_eq!(address.as_deref(), Some("https://GET-PREREQ-vault.vault.azure.net/"));
        assert!(state("Microsoft.Logic/workflows/GEN-FLOW/triggers/manual").is_some());
        assert!(state("Microsoft.Network/virtualNetworks/net/subnets/GET-PREREQ-subnet").is_some());
        for absent in [
            "Microsoft.KeyVault/vaults/vault",
            "Microsoft.KeyVault/vaults/get-prereq-vault",
            "Microsoft.KeyVault/vaults/GET-PREREQ-vault/keys/own",
        ] {
            assert_eq!(state(absent), None, "{absent}");
        }
        // What is put is what was put.
        let name = "GEN-VNET-NAME";
        let tags = Value::object([("tags", Value::object([("a", Value::text("b"))]))]);
        local.put_now(&put("Microsoft.Network/virtualNetworks", name, tags));
        let put = state(&format!("Microsoft.Network/virtualNetworks/{name}")).unwrap();
        assert!(at(&put, &["tags", "a"]).is_some());
    }

    #[test]
    fn what_a_placeholder_names_has_what_is_read_of_it() {
        let local = local();
        let member = |name: &str, parts: Vec<ReadMember>| ReadMember {
            name: Some(name.into()),
            word: None,
            parts,
            items: 0,
        };
        let read = [member("identity", vec![member("principalId", Vec::new())])];
        let presumed = |id: &str| {
            let state = local.state(id).unwrap().unwrap();
            let presumed = local.presumed(id, &state, &read);
            at(&presumed, &["identity", "principalId"]).and_then(Value::as_str).map(str::len)
        };
        let id = |rest: &str| format!("{GROUP}/providers/Microsoft.Compute/virtualMachines/{rest}");
        assert_eq!(presumed(&id("GET-PREREQ-vmName")), Some(36));
        let placeholder = format!("{GROUP}/providers/GET-PREREQ-vmResourceId");
        assert_eq!(presumed(&placeholder), Some(36), "the id itself may be a placeholder");
        // What is put has what was put, whatever is read of it.
        for name in ["vm", "GEN-VM-NAME"] {
            local.put_now(&put("Microsoft.Compute/virtualMachines", name, Value::Null));
            assert_eq!(presumed(&id(name)), None, "{name}");
        }
    }

    #[test]
    fn deleting_takes_what_is_inside() {
        let local = local();
        for name in ["a", "b"] {
            local.put_now(&put("Our.Things/things", name, Value::Null));
        }
        let mut part = put("Our.Things/things/parts", "p", Value::Null);
        part.id = format!("{GROUP}/providers/Our.Things/things/a/parts/p").into();
        local.put_now(&part);
        assert_eq!(local.ids(GROUP).unwrap().len(), 3);
        local.delete_now(&format!("{GROUP}/providers/Our.Things/things/A"));
        assert_eq!(local.ids(GROUP).unwrap(), [format!("{GROUP}/providers/Our.Things/things/b")]);
    }

    #[test]
    fn services_add_what_a_row_says_if_its_parts_are_there() {
        let local = local();
        let address = |label: Option<&str>| {
            let label = label.map(|label| ("domainNameLabel", Value::text(label)));
            let properties = Value::object([("dnsSettings", Value::object(label))]);
            let body = Value::object([("location", Value::text("West US")), ("properties", properties)]);
            let ProviderReply::Done(done) =
                local.put_now(&put("Microsoft.Network/publicIPAddresses", "a", body))
            else {
                panic!()
            };
            at(&done.body, &["properties", "dnsSettings", "fqdn"]).and_then(Value::as_str).map(str::to_owned)
        };
        assert_eq!(address(Some("shop")).as_deref(), Some("shop.westus.cloudapp.azure.com"));
        assert_eq!((address(None), address(Some(""))), (None, None));
        let configurations = Value::array(vec![Value::object([("name", Value::text("one"))])]);
        let properties = Value::object([("ipConfigurations", configurations)]);
        let card =
            put("Microsoft.Network/networkInterfaces", "n", Value::object([("properties", properties)]));
        let ProviderReply::Done(done) = local.put_now(&card) else { panic!() };
        let first =
            at(&done.body, &["properties", "ipConfigurations"]).and_then(Value::as_array).unwrap().first();
        let private = at(first.unwrap(), &["properties", "privateIPAddress"]).and_then(Value::as_str);
        assert!(private.is_some_and(|private| private.starts_with("10.0.0.")), "{private:?}");
    }

    #[test]
    fn what_services_make_is_there_as_soon_as_its_maker_is() {
        let local = local();
        let id = |rest: &str| format!("{GROUP}/providers/{rest}");
        let made = [
            "Microsoft.Logic/workflows/flow/triggers/manual",
            "Microsoft.Compute/virtualMachineScaleSets/set/virtualMachines/0/networkInterfaces/nic/ipConfigurations/ip/publicIPAddresses/pub",
            "Microsoft.Compute/virtualMachines/vm/providers/Microsoft.ManagedIdentity/Identities/default",
            "Microsoft.Network/networkInterfaces/end.nic.3f2a",
            "Microsoft.MachineLearningServices/workspaces/learn/environments/AzureML-minimal",
        ];
        for made in made {
            assert_eq!(local.state(&id(made)).unwrap(), None, "{made}");
        }
        for (kind, name) in [
            ("Microsoft.Logic/workflows", "flow"),
            ("Microsoft.Compute/virtualMachineScaleSets", "set"),
            ("Microsoft.Network/privateEndpoints", "end"),
            ("Microsoft.MachineLearningServices/workspaces", "learn"),
        ] {
            assert!(matches!(local.put_now(&put(kind, name, Value::Null)), ProviderReply::Done(_)));
        }
        let identity = Value::object([("type", Value::text("SystemAssigned"))]);
        let machine = put("Microsoft.Compute/virtualMachines", "vm", Value::object([("identity", identity)]));
        let ProviderReply::Done(machine) = local.put_now(&machine) else { panic!() };
        for made in made {
            assert!(local.state(&id(made)).unwrap().is_some(), "{made}");
        }
        let identity = local.state(&id(made[2])).unwrap().unwrap();
        assert_eq!(
            at(&identity, &["properties", "principalId"]),
            at(&machine.body, &["identity", "principalId"])
        );
        assert_eq!(local.state(&id("Microsoft.Logic/workflows/flow/runs/r")).unwrap(), None);
        assert_eq!(local.state(&id("Microsoft.Logic/workflows/flow/providers/A.B/c/default")).unwrap(), None);
    }

    #[test]
    fn keys_look_like_keys_and_a_vault_need_not_be_there() {
        let local = local();
        let account = put("Microsoft.Storage/storageAccounts", "store", Value::Null);
        assert!(matches!(local.put_now(&account), ProviderReply::Done(_)));
        let ProviderReply::Done(keys) = local.action_now(&account.id, "listKeys", "2023-01-01") else {
            panic!()
        };
        let keys = keys.body.expose();
        let first = at(&keys, &["keys"]).and_then(Value::as_array).unwrap().first().cloned().unwrap();
        let key = text_member(&first, "value").unwrap();
        assert_eq!(STANDARD.decode(key).unwrap().len(), 64);
        let vault = format!("{GROUP}/providers/Microsoft.KeyVault/vaults/v/secrets/s");
        let ProviderReply::Done(secret) = local.action_now(&vault, "getSecret", "") else { panic!() };
        assert!(secret.body.is_secret());
        assert!(matches!(local.action_now(&vault, "listKeys", ""), ProviderReply::Missing));
    }

    #[test]
    fn groups_are_kept_if_they_have_to_be() {
        let local = local().keeping_groups();
        let thing = put("Our.Things/things", "t", Value::Null);
        let ProviderReply::Failed(failure) = local.put_now(&thing) else { panic!() };
        assert_eq!(
            (failure.code.as_str(), failure.target.as_deref()),
            ("ResourceGroupNotFound", Some(GROUP))
        );
        assert_eq!((local.state(GROUP).unwrap(), local.group(GROUP).unwrap()), (None, None));
        let body = Value::object([("location", Value::text("north"))]);
        let group = PutRequest { id: GROUP.into(), ..put("Microsoft.Resources/resourceGroups", "g", body) };
        assert!(matches!(local.put_now(&group), ProviderReply::Done(_)));
        assert!(matches!(local.put_now(&thing), ProviderReply::Done(_)));
        for name in ["..", ".", "a\\b", "a\r\nb: c", "\0"] {
            let thing = put("Our.Things/things", name, Value::Null);
            let ProviderReply::Failed(failure) = local.put_now(&thing) else { panic!("{name}") };
            assert_eq!(failure.code, "InvalidResourceName", "{name}");
        }
        assert_eq!(
            local.group(GROUP).unwrap().as_ref().and_then(|group| text_member(group, "location")),
            Some("north")
        );
        assert_eq!(group_of("/subscriptions/s/providers/A.B/c/d"), None);
        assert_eq!(group_of("/planes/radius/local/resourceGroups/g/providers/A.B/c/d"), None);
    }

    #[test]
    fn names_are_taken_from_ids() {
        let name = ResourceName::of("/subscriptions/s/resourceGroups/g/providers/A.B/c/d/e/f");
        assert_eq!((name.kind.as_str(), name.last.as_str()), ("A.B/c/e", "f"));
        assert_eq!(name.parent.as_deref(), Some("/subscriptions/s/resourceGroups/g/providers/A.B/c/d"));
        assert_eq!(ResourceName::of("/subscriptions/s").kind, "Microsoft.Resources/subscriptions");
        assert_eq!(
            ResourceName::of("/subscriptions/s/resourceGroups/g").kind,
            "Microsoft.Resources/resourceGroups"
        );
        let extension = ResourceName::of("/x/providers/A.B/c/d/providers/E.F/g/h");
        assert_eq!((extension.kind.as_str(), extension.parent), ("E.F/g", None));
    }
}
