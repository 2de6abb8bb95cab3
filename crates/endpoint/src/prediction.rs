//! A prediction: a deployment is run on what is there, and nothing is put.
//!
//! What is there is read when it is needed, and copied into the store of the prediction, where the engine finds what was there before. What would
//! be there is known here. A resource that is not there yet has the values that the local provider makes up for it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use arm::Caseless as _;
use arm::evaluate::Scope;
use arm::{ObjectBuilder, Value};
use contract::{Boundary, OpenTerms};
use engine::Failure;
use engine::ResourceRecord;
use engine::core::{Act, ProviderReply, PutRequest};
use engine::provider::{Local, Pending, Provider, Trial};
use engine::records::{self, Record};
use smol_str::SmolStr;
use store::{BatchId, Commit, CommitOutcome, Page, RunId, Store};

use crate::address::group_of;
use crate::compare;
use crate::provider::{Endpoint, done, id_in, sent};
use crate::send::RequestError;

/// A provider that puts nothing, in front of an endpoint. Its store is thrown away with it.
#[derive(Clone)]
pub struct Prediction(Arc<Inner>);

struct Inner {
    endpoint: Arc<Endpoint>,
    /// Holds what is there, as far as it was read.
    store: Arc<dyn Store>,
    /// Knows what was changed, and makes up what a new resource would show.
    local: Arc<Local>,
    /// The states of what was put, by id in lower case; none for what was deleted.
    states: Mutex<BTreeMap<String, Option<Value>>>,
    /// The ids of what was not there before, in lower case.
    new: Mutex<BTreeSet<String>>,
}

impl Prediction {
    /// A prediction on an endpoint, with a store that is thrown away with it.
    pub fn new(endpoint: Arc<Endpoint>, store: Arc<dyn Store>) -> Prediction {
        let local = Local::new(Arc::clone(&store), endpoint.key.clone());
        let local = local.with_types(Arc::clone(&endpoint.types)).on_trial();
        let (states, new) = (Mutex::default(), Mutex::default());
        Prediction(Arc::new(Inner { endpoint, store, local: Arc::new(local), states, new }))
    }

    /// Reads which resources the group of a scope has, so that the prediction can tell which of them it leaves alone.
    pub async fn list(&self, scope: &Scope) -> Result<(), Failure> {
        let Scope::ResourceGroup { .. } = scope else { return Ok(()) };
        let (inner, group) = (&*self.0, scope.id());
        let listed = inner.endpoint.list_resources(&format!("{group}/providers/")).await;
        for item in listed.map_err(|error| inner.endpoint.to_failure(error, &group))? {
            if let Some(id) = id_in(&item) {
                inner.remember(id, &item)?;
            }
        }
        Ok(())
    }
}

impl Inner {
    fn state(&self, id: &str) -> Option<Option<Value>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner).get(&id.caseless()).cloned()
    }

    fn set(&self, id: &str, state: Option<Value>) {
        self.states.lock().unwrap_or_else(PoisonError::into_inner).insert(id.caseless(), state);
    }

    /// Whether a resource, or one that it is inside of, would be new.
    fn is_new(&self, id: &str) -> bool {
        let (new, id) = (self.new.lock().unwrap_or_else(PoisonError::into_inner), id.caseless());
        let mut ends = id.match_indices('/').map(|(at, _)| at).chain([id.len()]);
        ends.any(|end| new.contains(id.get(..end).unwrap_or_default()))
    }

    /// What the engine compares, in a store that ends with the trial. What the endpoint has is not ours to refuse.
    fn record(&self, state: &Value) -> Result<ResourceRecord, Failure> {
        ResourceRecord::new(&self.endpoint.key, &OpenTerms::admit(Boundary::ProviderAnswer, state.clone()))
    }

    /// Keeps what is there, for the engine to compare with.
    fn remember(&self, id: &str, live: &Value) -> Result<(), Failure> {
        let broken = |error: &dyn std::fmt::Display| Failure::new("InternalServerError", error.to_string());
        let record = self.record(live)?;
        let mut writes = Vec::new();
        let put = Record::PutResource { id: id.to_owned(), record };
        records::encode(&put, &self.endpoint.key, &mut writes).map_err(|error| broken(&error))?;
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| broken(&error))?;
        let run = RunId(u128::from_be_bytes(bytes));
        let commit = Commit { id: BatchId { run, number: 0 }, fence: None, conditions: Vec::new(), writes };
        match self.store.commit(&[commit]).pop() {
            Some(CommitOutcome::Committed) => Ok(()),
            other => Err(broken(&format!("what is there was not kept: {other:?}"))),
        }
    }

    /// Refuses what would go into a group that is not there.
    async fn check_group(&self, id: &str) -> Result<(), RequestError> {
        let Some(group) = group_of(id).filter(|group| group.len() < id.len()) else { return Ok(()) };
        if self.state(group).flatten().is_some() {
            return Ok(());
        }
        match Scope::parse(group) {
            Some(scope) => Ok(self.endpoint.check_group(&scope).await?),
            None => Ok(()),
        }
    }

    async fn get(&self, id: &str, api_version: &str) -> Result<ProviderReply, RequestError> {
        match self.state(id) {
            Some(Some(state)) => return Ok(done(state)),
            Some(None) => return Ok(ProviderReply::Missing),
            None => {}
        }
        // What comes with a resource that is not there yet is not there yet either.
        if self.is_new(id) {
            return Ok(Provider::get(&*self.local, id, api_version).await);
        }
        Ok(Provider::get(&*self.endpoint, id, api_version).await)
    }

    async fn put(&self, put: &PutRequest) -> Result<ProviderReply, RequestError> {
        let live = match self.state(&put.id) {
            Some(state) => state,
            None if self.is_new(&put.id) => None,
            None => {
                let live = self.endpoint.fetch_resource(&put.id, &put.api_version).await?;
                match &live {
                    Some(live) => self.remember(&put.id, live)?,
                    None => self.check_group(&put.id).await?,
                }
                live
            }
        };
        let body = sent(&self.endpoint.types.writable(&put.kind, &put.api_version, put.body.get()));
        let state = match live {
            None if put.wanted.patch => {
                let message = format!("the resource `{}` was not found, and a PATCH makes none", put.id);
                return Err(Failure::new("ResourceNotFound", message).target(put.id.as_str()).into());
            }
            None => {
                self.new.lock().unwrap_or_else(PoisonError::into_inner).insert(put.id.caseless());
                let (state, _) = self.local.put_state(put)?;
                let named = named(put, &sent(put.body.get()));
                self.local.note(&put.id, Some(self.record(&named)?));
                state
            }
            Some(live) => {
                let change = compare::change(&live, &body);
                if change.before.has_secret() {
                    self.remember(&put.id, &change.before)?;
                }
                self.local.note(&put.id, Some(self.record(&change.after)?));
                // Whoever reads it sees the secrets that were put, too.
                live.merged_with(&body)
            }
        };
        self.set(&put.id, Some(state.clone()));
        Ok(done(state))
    }

    /// What is inside a resource goes with it.
    fn delete(&self, id: &str) -> ProviderReply {
        let inside = match self.store.resources(&format!("{id}/"), Page::ALL) {
            Ok(inside) => inside,
            Err(error) => {
                return ProviderReply::Failed(Failure::new("InternalServerError", error.to_string()));
            }
        };
        for id in inside.iter().map(|resource| resource.id.as_str()).chain([id]) {
            self.local.note(id, None);
            self.set(id, None);
        }
        done(Value::Null)
    }

    async fn action(&self, act: &Act) -> Result<ProviderReply, RequestError> {
        let Act { id, action, .. } = act;
        if self.is_new(id) {
            return Ok(self.local.action(act).await);
        }
        // The others may do something.
        if !action.caseless().starts_with("list") && !action.eq_ignore_ascii_case("getSecret") {
            let message =
                format!("`{action}` of `{id}` is not called for a prediction: it may change something");
            return Err(Failure::new("NotPredicted", message).target(id.as_str()).into());
        }
        self.endpoint.act(act).await
    }
}

/// What would be there of a new resource: what is put, and what it is called.
fn named(put: &PutRequest, body: &Value) -> Value {
    let mut members = ObjectBuilder::default();
    let name = put.id.rsplit('/').next().unwrap_or_default();
    members.set("id".into(), Value::Text(put.id.clone()));
    members.set("name".into(), Value::text(name));
    members.set("type".into(), Value::Text(put.kind.clone()));
    members.set("apiVersion".into(), Value::Text(put.api_version.clone()));
    for (name, member) in body.as_object().into_iter().flatten() {
        members.set(name.clone(), member.clone());
    }
    members.finish()
}

impl Provider for Prediction {
    fn get<'a>(&'a self, id: &'a str, api_version: &'a str) -> Pending<'a> {
        self.0.endpoint.pending(id, self.0.get(id, api_version))
    }

    fn put<'a>(&'a self, put: &'a PutRequest) -> Pending<'a> {
        self.0.endpoint.pending(&put.id, self.0.put(put))
    }

    fn delete<'a>(&'a self, id: &'a str) -> Pending<'a> {
        Box::pin(async move { self.0.delete(id) })
    }

    fn list<'a>(&'a self, below: &'a str) -> Pending<'a> {
        // What would be new is named by the template, and stays.
        Provider::list(&*self.0.endpoint, below)
    }

    fn action<'a>(&'a self, act: &'a Act) -> Pending<'a> {
        self.0.endpoint.pending(&act.id, self.0.action(act))
    }

    fn seen(&self, id: &str, kind: &str, api_version: &str, state: &Value) -> Value {
        match self.0.is_new(id) {
            true => self.0.local.seen(id, kind, api_version, state),
            false => state.clone(),
        }
    }

    fn marked(&self, kind: &str, api_version: &str, body: &Value) -> Value {
        self.0.endpoint.marked(kind, api_version, body)
    }

    fn group(&self, id: &str) -> Result<Option<Value>, Failure> {
        match self.0.state(id).flatten() {
            Some(known) => Ok(Some(known)),
            None => self.0.endpoint.group(id),
        }
    }

    fn endpoint(&self) -> Option<SmolStr> {
        self.0.endpoint.endpoint()
    }

    fn trial(&self) -> Option<Trial> {
        Some(Trial { provider: Arc::new(self.clone()), changes: Arc::clone(&self.0.local) })
    }
}
