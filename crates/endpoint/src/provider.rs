//! The provider: what the engine asks for, as requests.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use arm::Caseless as _;
use arm::evaluate::Scope;
use arm::{ObjectBuilder, Value};
use client::{Client, ClientError, Origin};
use engine::Failure;
use engine::core::{Act, ProviderReply, PutRequest, Response};
use engine::provider::{LazyTypes, Local, Pending, Provider};
use hyper::body::Bytes;
use hyper::{Method, StatusCode};
use smol_str::SmolStr;
use store::{Key, Store};
use tokio::sync::watch;

use crate::address::{Base, group_of, kind_of};
use crate::credential::{Claims, Credential};
use crate::operation::LongRunningRequest;
use crate::retry_policy::RequestThrottle;
use crate::send::{ArmRequest, RequestError, Wire, guid};
use crate::versions::{RESOURCES, SUBSCRIPTIONS, Versions};
use crate::{error_body, secrets};

/// How long one request may take; an answer that is lost is waited for no longer than that.
const PATIENCE: Duration = Duration::from_secs(120);
/// How large an answer may be.
const MOST_BYTES: usize = 64 * 1024 * 1024;
/// How many pages a list may have.
const MOST_PAGES: usize = 10_000;

/// The type of deployments, which are run here and never sent.
const DEPLOYMENTS: &str = "Microsoft.Resources/deployments";

/// What a resource is called in its body; a request names it by its address.
const NAMES: &[&str] = &["id", "name", "type", "apiVersion"];

/// What an endpoint is made of.
pub struct Setup {
    /// Its address, such as `https://management.azure.com`.
    pub url: String,
    /// Who sends requests, with the authorities that it trusts.
    pub client: Client,
    /// Where tokens come from; none for an endpoint that asks for none.
    pub credential: Option<Arc<dyn Credential>>,
    /// What is known of resource types.
    pub types: Arc<LazyTypes>,
    /// Where deployments are kept.
    pub store: Arc<dyn Store>,
    /// What seals secrets there.
    pub key: Key,
    /// How long one step may take, all attempts and its whole operation included.
    pub step: Duration,
    /// How long a request may take.
    pub patience: Option<Duration>,
    /// How long a second of the service lasts: a second, unless a test is in a hurry.
    pub second: Duration,
}

/// How many resources became what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// They were not there before.
    pub created: usize,
    /// They were there before; whether they changed is not known.
    pub updated: usize,
    /// They are not there any more.
    pub deleted: usize,
}

/// The resources of an ARM endpoint.
pub struct Endpoint {
    pub(crate) wire: Wire,
    pub(crate) versions: Versions,
    pub(crate) types: Arc<LazyTypes>,
    pub(crate) key: Key,
    /// What is known here: deployments, which the endpoint never hears of.
    own: Local,
    step: Duration,
    groups: Mutex<BTreeMap<String, Value>>,
    counts: Mutex<Counts>,
    /// What the endpoint has accepted and not finished, by id: what was asked.
    under_way: Mutex<BTreeMap<String, &'static str>>,
}

impl Endpoint {
    /// The endpoint at an address.
    pub fn new(setup: Setup) -> Result<Endpoint, ClientError> {
        let base = Base::new(&setup.url)?;
        let patience = setup.patience.unwrap_or(PATIENCE);
        let wire = Wire {
            client: setup.client.with_limits(patience.min(setup.step), MOST_BYTES),
            base,
            credential: setup.credential,
            second: setup.second,
            gate: RequestThrottle::default(),
            was_reached: AtomicBool::new(false),
            correlation: guid(),
            canceled: watch::Sender::new(false),
        };
        let own = Local::new(Arc::clone(&setup.store), setup.key.clone());
        Ok(Endpoint {
            wire,
            versions: Versions::new(Arc::clone(&setup.types)),
            types: setup.types,
            key: setup.key,
            own,
            step: setup.step,
            groups: Mutex::default(),
            counts: Mutex::default(),
            under_way: Mutex::default(),
        })
    }

    /// Remembers the version of the API that a type was deployed with, for when one of its resources is deleted.
    pub fn note_version(&self, kind: &str, version: &str) {
        self.versions.note(kind, version);
    }

    /// The scheme, host and port that all requests go to.
    pub fn origin(&self) -> &Origin {
        self.wire.base.origin()
    }

    /// Stops waiting, for pauses and for operations. What the endpoint has accepted goes on there.
    pub fn cancel(&self) {
        self.wire.canceled.send_replace(true);
    }

    /// What the endpoint has accepted and, as far as is known, not finished: what was asked, and the resource.
    pub fn under_way(&self) -> Vec<(&'static str, String)> {
        let under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        under_way.iter().map(|(id, method)| (*method, id.clone())).collect()
    }

    /// How many resources became what.
    pub fn counts(&self) -> Counts {
        *self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self, count: impl FnOnce(&mut Counts)) {
        count(&mut self.counts.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(crate) fn until(&self) -> Instant {
        let now = Instant::now();
        // A time without an end is as good as a day that never comes.
        now.checked_add(self.step).unwrap_or_else(|| now + Duration::from_secs(86_400 * 365))
    }

    /// What the token says of whoever deploys; none if there is no token, or one that cannot be read.
    pub async fn deployer(&self) -> Result<Option<Claims>, Failure> {
        let Some(credential) = &self.wire.credential else { return Ok(None) };
        let token = credential.token(None).await.map_err(|why| {
            Failure::new("NoToken", format!("there is no token for `{}`: {why}", self.origin()))
        })?;
        Ok(token.claims())
    }

    /// The subscription of a scope, as the endpoint describes it; none for a scope without one, or if it may not be read.
    pub async fn subscription(&self, scope: &Scope) -> Result<Option<Value>, Failure> {
        let (Scope::Subscription(id) | Scope::ResourceGroup { subscription: id, .. }) = scope else {
            return Ok(None);
        };
        let id = format!("/subscriptions/{id}");
        let (reply, _) = self
            .ask_once(Method::GET, &id, SUBSCRIPTIONS)
            .await
            .map_err(|error| self.to_failure(error, &id))?;
        match reply.status {
            status if status.is_success() => {
                let found = error_body::body_of(&reply);
                if let Some(found) = &found {
                    self.know_group(&id, found.clone());
                }
                Ok(found)
            }
            StatusCode::FORBIDDEN | StatusCode::NOT_FOUND => Ok(None),
            _ => Err(error_body::failure(&reply, "GET", &id)),
        }
    }

    /// What is known of a group, or of a subscription, because it was looked for.
    fn known_group(&self, id: &str) -> Option<Value> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner).get(&id.caseless()).cloned()
    }

    /// What the endpoint says of its cloud: what `environment()` is there; none if it says nothing.
    pub async fn environment(&self) -> Result<Option<Value>, Failure> {
        let id = "/metadata/endpoints";
        let (reply, _) =
            self.ask_once(Method::GET, id, "2022-09-01").await.map_err(|error| self.to_failure(error, id))?;
        match reply.status {
            StatusCode::NOT_FOUND => Ok(None),
            status if status.is_success() => {
                Ok(error_body::body_of(&reply).filter(|body| body.as_object().is_some()))
            }
            _ => Err(error_body::failure(&reply, "GET", id)),
        }
    }

    /// Looks for the resource group of a scope, which has to be there.
    pub async fn check_group(&self, scope: &Scope) -> Result<(), Failure> {
        let Scope::ResourceGroup { name, .. } = scope else { return Ok(()) };
        let id = scope.id();
        if self.groups.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&id.caseless()) {
            return Ok(());
        }
        match self.fetch_resource(&id, RESOURCES).await {
            Ok(Some(group)) => {
                self.know_group(&id, group);
                Ok(())
            }
            Ok(None) => {
                let message = format!(
                    "Resource group '{name}' could not be found at `{}`. Create it with `az group create`, or deploy a template with `targetScope = 'subscription'` that does",
                    self.origin()
                );
                Err(Failure::new("ResourceGroupNotFound", message).target(id.as_str()))
            }
            Err(error) => Err(self.to_failure(error, &id)),
        }
    }

    fn know_group(&self, id: &str, group: Value) {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner).insert(id.caseless(), group);
    }

    /// An error in the shape of the engine.
    pub(crate) fn to_failure(&self, error: RequestError, id: &str) -> Failure {
        match error {
            RequestError::Failed(failure) => failure,
            RequestError::Canceled => {
                let under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
                let message = match under_way.get(id) {
                    Some(method) => format!(
                        "the deployment was cancelled; `{}` has accepted the {method} of `{id}` and goes on with it: nothing was stopped there",
                        self.origin()
                    ),
                    None => format!("the deployment was cancelled before `{id}` was done"),
                };
                Failure::new("DeploymentCanceled", message).target(id)
            }
        }
    }

    async fn ask_once(
        &self,
        method: Method,
        id: &str,
        said: &str,
    ) -> Result<(client::Reply, String), RequestError> {
        let until = self.until();
        let version = self.versions.of(&self.wire, id, said, until).await?;
        let url = self.wire.base.of(id, &version)?;
        let question = ArmRequest { method, url, body: Bytes::new(), id, is_look: false };
        Ok((self.wire.exchange(&question, until).await?, version))
    }

    /// The state of a resource; none if there is none.
    pub(crate) async fn fetch_resource(
        &self,
        id: &str,
        api_version: &str,
    ) -> Result<Option<Value>, RequestError> {
        let (reply, version) = self.ask_once(Method::GET, id, api_version).await?;
        self.versions.note(&kind_of(id), &version);
        match reply.status {
            StatusCode::NOT_FOUND => Ok(None),
            status if status.is_success() => {
                let body = error_body::body_of(&reply).unwrap_or(Value::Null);
                Ok(Some(self.shown(&kind_of(id), &version, body)))
            }
            _ => Err(error_body::failure(&reply, "GET", id).into()),
        }
    }

    /// A state as expressions see it: with the version, and with secrets that are secrets.
    fn shown(&self, kind: &str, version: &str, body: Value) -> Value {
        let body = self.types.marked(kind, version, &body);
        let Some(object) = body.as_object().filter(|object| object.get("apiVersion").is_none()) else {
            return body;
        };
        let mut members = ObjectBuilder::default();
        for (name, member) in object {
            members.insert(name.clone(), member.clone());
        }
        members.set("apiVersion".into(), Value::text(version));
        members.finish()
    }

    async fn get_resource(&self, id: &str, api_version: &str) -> Result<ProviderReply, RequestError> {
        // A deployment that was run here is known here alone.
        if kind_of(id).eq_ignore_ascii_case(DEPLOYMENTS)
            && let Some(record) = self.own.state(id)?
        {
            return Ok(done(record));
        }
        Ok(self.fetch_resource(id, api_version).await?.map_or(ProviderReply::Missing, done))
    }

    async fn put_resource(&self, put: &PutRequest) -> Result<ProviderReply, RequestError> {
        let (id, until) = (put.id.as_str(), self.until());
        let version = self.versions.of(&self.wire, id, &put.api_version, until).await?;
        self.versions.note(&put.kind, &version);
        let url = self.wire.base.of(id, &version)?;
        let method = if put.wanted.patch { Method::PATCH } else { Method::PUT };
        let word = if put.wanted.patch { "PATCH" } else { "PUT" };
        let body = Bytes::from(sent(put.body.get()).expose().to_json());
        let question = ArmRequest { method, url: url.clone(), body, id, is_look: false };
        let reply = self.wire.exchange(&question, until).await?;
        if !reply.status.is_success() {
            return Err(error_body::failure(&reply, word, id).into());
        }
        let is_new = reply.status == StatusCode::CREATED;
        let accepted = LongRunningRequest { id, url: &url, method: word, until };
        self.begin(id, word);
        let body = self.wire.follow_put(&accepted, reply).await;
        self.end(id, &body);
        let body = secrets::marked_like(&body?, put.body.get());
        let body = self.shown(&put.kind, &version, body);
        if group_of(id).is_some_and(|group| group.len() == id.len()) {
            self.know_group(id, body.clone());
        }
        self.count(|counts| if is_new { counts.created += 1 } else { counts.updated += 1 });
        Ok(done(body))
    }

    async fn delete_resource(&self, id: &str) -> Result<ProviderReply, RequestError> {
        let until = self.until();
        let version = self.versions.of(&self.wire, id, "", until).await?;
        let url = self.wire.base.of(id, &version)?;
        let question =
            ArmRequest { method: Method::DELETE, url: url.clone(), body: Bytes::new(), id, is_look: false };
        let reply = self.wire.exchange(&question, until).await?;
        if reply.status == StatusCode::NOT_FOUND {
            return Ok(ProviderReply::Missing);
        }
        if !reply.status.is_success() {
            return Err(error_body::failure(&reply, "DELETE", id).into());
        }
        let accepted = LongRunningRequest { id, url: &url, method: "DELETE", until };
        self.begin(id, "DELETE");
        let ended = self.wire.follow_delete(&accepted, reply).await;
        self.end(id, &ended);
        ended?;
        self.count(|counts| counts.deleted += 1);
        Ok(done(Value::Null))
    }

    /// The ids of the resources of a group, and what its list says of them.
    pub(crate) async fn list_resources(&self, below: &str) -> Result<Vec<Value>, RequestError> {
        let group = group_of(below).ok_or_else(|| {
            let message =
                format!("only the resources of a resource group can be listed, and `{below}` is none");
            Failure::new("InvalidResourceId", message).target(below)
        })?;
        let until = self.until();
        let mut next = Some(self.wire.base.of(&format!("{group}/resources"), RESOURCES)?);
        let (mut items, mut pages) = (Vec::new(), 0);
        while let Some(url) = next {
            pages += 1;
            if pages > MOST_PAGES {
                let message =
                    format!("the list of the resources of `{group}` has more than {MOST_PAGES} pages");
                return Err(Failure::new("InvalidList", message).target(group).into());
            }
            let reply = self.wire.exchange(&ArmRequest::get(url, group), until).await?;
            if !reply.status.is_success() {
                return Err(error_body::failure(&reply, "GET", group).into());
            }
            let page = error_body::body_of(&reply).unwrap_or(Value::Null);
            let member = |name: &str| page.as_object().and_then(|page| page.get(name));
            let Some(value) = member("value").and_then(Value::as_array) else {
                let message = format!("the endpoint's list of the resources of `{group}` has no `value`");
                return Err(Failure::new("InvalidList", message).target(group).into());
            };
            items.extend(value.iter().cloned());
            let link = member("nextLink").and_then(Value::as_str).filter(|link| !link.is_empty());
            next = link.map(|link| self.wire.base.link(link, "`nextLink` of a list")).transpose()?;
        }
        let below = below.caseless();
        items.retain(|item| id_in(item).is_some_and(|id| id.caseless().starts_with(&below)));
        Ok(items)
    }

    pub(crate) async fn act(&self, act: &Act) -> Result<ProviderReply, RequestError> {
        let Act { id, action, api_version, body } = act;
        if action.eq_ignore_ascii_case("getSecret") {
            let message = format!(
                "the secret `{id}` is not read from an endpoint: vaults give secrets to other tokens at other addresses. Give the value with `--param`, or with an external input"
            );
            return Err(Failure::new("KeyVaultSecretNotRead", message).target(id.as_str()).into());
        }
        let is_name = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !is_name(action) {
            let message = format!("`{action}` is not the name of an action");
            return Err(Failure::new("InvalidTemplate", message).target(id.as_str()).into());
        }
        let until = self.until();
        let version = self.versions.of(&self.wire, id, api_version, until).await?;
        let url = self.wire.base.of(&format!("{id}/{action}"), &version)?;
        let question = ArmRequest {
            method: Method::POST,
            url: url.clone(),
            body: Bytes::from(body.to_string()),
            id,
            is_look: false,
        };
        let reply = self.wire.exchange(&question, until).await?;
        if reply.status == StatusCode::NOT_FOUND {
            return Ok(ProviderReply::Missing);
        }
        if !reply.status.is_success() {
            return Err(error_body::failure(&reply, "POST", id).into());
        }
        let accepted = LongRunningRequest { id, url: &url, method: "POST", until };
        let result = self.wire.follow_action(&accepted, reply).await?;
        // What actions give are keys, mostly, and nobody says which of it is not.
        Ok(done(result.secret()))
    }

    fn begin(&self, id: &str, method: &'static str) {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned(), method);
    }

    /// What was accepted has ended, unless nobody waited for it.
    fn end<T>(&self, id: &str, ended: &Result<T, RequestError>) {
        if !matches!(ended, Err(RequestError::Canceled)) {
            self.under_way.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        }
    }

    /// The answer to a call that is made in a task. The first look at it does nothing, because the engine may throw away a call that is not
    /// answered at once, and make it again.
    pub(crate) fn pending<'a>(
        &'a self,
        id: &'a str,
        call: impl Future<Output = Result<ProviderReply, RequestError>> + Send + 'a,
    ) -> Pending<'a> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            call.await.unwrap_or_else(|error| ProviderReply::Failed(self.to_failure(error, id)))
        })
    }
}

pub(crate) fn done(body: Value) -> ProviderReply {
    ProviderReply::Done(Response { body, writes: Vec::new() })
}

pub(crate) fn id_in(item: &Value) -> Option<&str> {
    item.as_object()?.get("id")?.as_str()
}

/// What is sent of a body: all but what the address says.
pub(crate) fn sent(body: &Value) -> Value {
    let Some(object) = body.as_object() else { return Value::object::<&str>([]) };
    let mut members = ObjectBuilder::default();
    for (name, member) in object {
        if !NAMES.iter().any(|own| own.eq_ignore_ascii_case(name)) {
            members.insert(name.clone(), member.clone());
        }
    }
    members.finish()
}

impl Provider for Endpoint {
    fn get<'a>(&'a self, id: &'a str, api_version: &'a str) -> Pending<'a> {
        self.pending(id, self.get_resource(id, api_version))
    }

    fn put<'a>(&'a self, put: &'a PutRequest) -> Pending<'a> {
        self.pending(&put.id, self.put_resource(put))
    }

    fn delete<'a>(&'a self, id: &'a str) -> Pending<'a> {
        self.pending(id, self.delete_resource(id))
    }

    fn list<'a>(&'a self, below: &'a str) -> Pending<'a> {
        self.pending(below, async move {
            let items = self.list_resources(below).await?;
            let ids = items.iter().filter_map(id_in).map(Value::text);
            Ok(done(Value::array(ids.collect())))
        })
    }

    fn action<'a>(&'a self, act: &'a Act) -> Pending<'a> {
        self.pending(&act.id, self.act(act))
    }

    fn endpoint(&self) -> Option<SmolStr> {
        Some(self.origin().to_string().into())
    }

    fn marked(&self, kind: &str, api_version: &str, body: &Value) -> Value {
        self.types.marked(kind, api_version, body)
    }

    /// A group that was not seen yet is asked for at once: whoever evaluates cannot wait. That is rare, because the group of a deployment is
    /// looked for before it begins.
    fn group(&self, id: &str) -> Result<Option<Value>, Failure> {
        if let Some(known) = self.known_group(id) {
            return Ok(Some(known));
        }
        let asked = std::thread::scope(|scope| scope.spawn(|| self.group_now(id)).join());
        let ended = |_| Failure::new("InternalServerError", "a thread ended early");
        let found = match asked.map_err(ended)? {
            Ok(found) => found,
            // Who may not read a group knows its name, and no location: not that of another one.
            Err(failure) if failure.code == "AuthorizationFailed" => {
                return Ok(Some(Value::object([("location", Value::Null)])));
            }
            Err(failure) => return Err(failure),
        };
        if let Some(group) = &found {
            self.know_group(id, group.clone());
        }
        Ok(found)
    }
}

impl Endpoint {
    /// Asks for a group on a thread of its own, with connections of its own: those of the others wait for the runtime that is held up here.
    fn group_now(&self, id: &str) -> Result<Option<Value>, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Failure::new("InternalServerError", error.to_string()))?;
        let wire = Wire {
            client: self.wire.client.clone().apart(),
            base: self.wire.base.clone(),
            credential: self.wire.credential.clone(),
            second: self.wire.second,
            gate: RequestThrottle::default(),
            was_reached: AtomicBool::new(true),
            correlation: self.wire.correlation.clone(),
            canceled: watch::Sender::new(false),
        };
        let version = if id.split('/').count() == 3 { SUBSCRIPTIONS } else { RESOURCES };
        let url = wire.base.of(id, version)?;
        let reply = runtime.block_on(wire.exchange(&ArmRequest::get(url, id), self.until()));
        let reply = reply.map_err(|error| self.to_failure(error, id))?;
        match reply.status {
            StatusCode::NOT_FOUND => Ok(None),
            status if status.is_success() => Ok(error_body::body_of(&reply)),
            _ => Err(error_body::failure(&reply, "GET", id)),
        }
    }
}
