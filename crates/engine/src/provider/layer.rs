//! Providers that stand in front of another one and change some of its calls: what a layer does not say is forwarded here, and only here.

use std::sync::Arc;

use arm::Value;
use arm::deployment::{Deployment, ReadMember};
use arm::evaluate::Scope;
use machine::Failure;
use machine::core::{Act, ProviderCall, PutRequest};
use machine::records::Record;
use smol_str::SmolStr;

use super::{Pending, Provider, Trial};

/// A provider in front of another one. What it does not define goes through to the one below.
#[expect(missing_docs, reason = "the others are methods of `Provider`, which documents them")]
pub trait Layer: Send + Sync {
    /// The provider behind this one.
    fn inner(&self) -> &dyn Provider;

    /// The same layer in front of another provider, for a trial; the other one itself if a trial does not need the layer.
    fn rebase_on(&self, below: Arc<dyn Provider>) -> Arc<dyn Provider>;

    fn get<'a>(&'a self, id: &'a str, api_version: &'a str) -> Pending<'a> {
        self.inner().get(id, api_version)
    }

    fn put<'a>(&'a self, put: &'a PutRequest) -> Pending<'a> {
        self.inner().put(put)
    }

    fn delete<'a>(&'a self, id: &'a str) -> Pending<'a> {
        self.inner().delete(id)
    }

    fn list<'a>(&'a self, below: &'a str) -> Pending<'a> {
        self.inner().list(below)
    }

    fn action<'a>(&'a self, act: &'a Act) -> Pending<'a> {
        self.inner().action(act)
    }

    fn seen(&self, id: &str, kind: &str, api_version: &str, state: &Value) -> Value {
        self.inner().seen(id, kind, api_version, state)
    }

    fn presumed(&self, id: &str, state: &Value, read: &[ReadMember]) -> Value {
        self.inner().presumed(id, state, read)
    }

    fn marked(&self, kind: &str, api_version: &str, body: &Value) -> Value {
        self.inner().marked(kind, api_version, body)
    }

    fn group(&self, id: &str) -> Result<Option<Value>, Failure> {
        self.inner().group(id)
    }

    fn issued(&self, call: &ProviderCall, now: i64) {
        self.inner().issued(call, now);
    }

    fn latency(&self, call: &ProviderCall) -> u64 {
        self.inner().latency(call)
    }

    fn register_symbol(&self, symbol: &str, id: &str, deployment: &str) {
        self.inner().register_symbol(symbol, id, deployment);
    }

    fn symbol(&self, id: &str) -> Option<SmolStr> {
        self.inner().symbol(id)
    }

    fn settled(&self, records: &[Record]) {
        self.inner().settled(records);
    }

    fn identify(&self, extension: &str, kind: &str, name: &str, scope: &Scope) -> Option<SmolStr> {
        self.inner().identify(extension, kind, name, scope)
    }

    fn preflight(&self, deployment: &Arc<Deployment>) -> Vec<Failure> {
        self.inner().preflight(deployment)
    }

    fn endpoint(&self) -> Option<SmolStr> {
        self.inner().endpoint()
    }
}

impl<L: Layer> Provider for L {
    fn get<'a>(&'a self, id: &'a str, api_version: &'a str) -> Pending<'a> {
        Layer::get(self, id, api_version)
    }

    fn put<'a>(&'a self, put: &'a PutRequest) -> Pending<'a> {
        Layer::put(self, put)
    }

    fn delete<'a>(&'a self, id: &'a str) -> Pending<'a> {
        Layer::delete(self, id)
    }

    fn list<'a>(&'a self, below: &'a str) -> Pending<'a> {
        Layer::list(self, below)
    }

    fn action<'a>(&'a self, act: &'a Act) -> Pending<'a> {
        Layer::action(self, act)
    }

    fn seen(&self, id: &str, kind: &str, api_version: &str, state: &Value) -> Value {
        Layer::seen(self, id, kind, api_version, state)
    }

    fn presumed(&self, id: &str, state: &Value, read: &[ReadMember]) -> Value {
        Layer::presumed(self, id, state, read)
    }

    fn marked(&self, kind: &str, api_version: &str, body: &Value) -> Value {
        Layer::marked(self, kind, api_version, body)
    }

    fn group(&self, id: &str) -> Result<Option<Value>, Failure> {
        Layer::group(self, id)
    }

    fn issued(&self, call: &ProviderCall, now: i64) {
        Layer::issued(self, call, now);
    }

    fn latency(&self, call: &ProviderCall) -> u64 {
        Layer::latency(self, call)
    }

    fn register_symbol(&self, symbol: &str, id: &str, deployment: &str) {
        Layer::register_symbol(self, symbol, id, deployment);
    }

    fn symbol(&self, id: &str) -> Option<SmolStr> {
        Layer::symbol(self, id)
    }

    fn settled(&self, records: &[Record]) {
        Layer::settled(self, records);
    }

    fn identify(&self, extension: &str, kind: &str, name: &str, scope: &Scope) -> Option<SmolStr> {
        Layer::identify(self, extension, kind, name, scope)
    }

    fn preflight(&self, deployment: &Arc<Deployment>) -> Vec<Failure> {
        Layer::preflight(self, deployment)
    }

    fn endpoint(&self) -> Option<SmolStr> {
        Layer::endpoint(self)
    }

    fn trial(&self) -> Option<Trial> {
        let Trial { provider, changes } = self.inner().trial()?;
        Some(Trial { provider: self.rebase_on(provider), changes })
    }
}
