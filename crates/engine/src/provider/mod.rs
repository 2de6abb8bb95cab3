//! Who has the resources: one trait, and the providers that come with the engine.

mod added_properties;
mod change_counter;
mod generated_properties;
mod layer;
mod listed_values;
mod local;
mod members;
mod named;
mod placeholder;
mod quota;
mod read_members;
mod restricted;
mod script;
mod scripted;
mod unconditional;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use arm::Value;
use arm::deployment::{Deployment, ReadMember};
use arm::evaluate::Scope;
use machine::Failure;
use machine::core::{Act, ProviderCall, ProviderReply, PutRequest};
use machine::records::Record;
use smol_str::SmolStr;

pub use change_counter::Tally;
pub use generated_properties::LazyTypes;
pub use layer::Layer;
pub use local::Local;
pub use named::{NamingProvider, SymbolicNames};
pub use placeholder::is_placeholder;
pub use quota::{QuotaLimits, Quotas};
pub(crate) use restricted::{Within, unauthorized};
pub(crate) use script::SCRIPTS;
pub use scripted::{Script, ScriptedProvider};
pub(crate) use unconditional::Unconditional;

/// What the ids of resources of extensions begin with.
pub(crate) const EXTENSION: &str = "extension/";

/// The code of a failure that says nothing of the resource: the state could not be read. A deployment asks again, for a while.
pub const UNAVAILABLE: &str = "StateUnavailable";

/// An answer that may take its time.
pub type Pending<'a> = Pin<Box<dyn Future<Output = ProviderReply> + Send + 'a>>;

/// Something that has resources. Every call may be made again: none of them does more the second time.
pub trait Provider: Send + Sync {
    /// The state of a resource.
    fn get<'a>(&'a self, id: &'a str, api_version: &'a str) -> Pending<'a>;

    /// Puts a resource, or changes a part of one if that is wanted.
    fn put<'a>(&'a self, put: &'a PutRequest) -> Pending<'a>;

    /// Deletes a resource; one that is not there is no error.
    fn delete<'a>(&'a self, id: &'a str) -> Pending<'a>;

    /// The ids of the resources whose id begins with another one.
    fn list<'a>(&'a self, below: &'a str) -> Pending<'a>;

    /// Calls an action of a resource, such as `listKeys`.
    fn action<'a>(&'a self, act: &'a Act) -> Pending<'a>;

    /// What expressions see of a resource that was put: the answer to the put, with what a GET shows beyond it.
    ///
    /// It is asked for when somebody reads the resource, and is the same each time.
    fn seen(&self, _id: &str, _kind: &str, _api_version: &str, state: &Value) -> Value {
        state.clone()
    }

    /// The state of a resource with the members that a template reads of it, if it is only taken to be there: nobody knows what it has.
    fn presumed(&self, _id: &str, state: &Value, _read: &[ReadMember]) -> Value {
        state.clone()
    }

    /// The body of a resource that somebody sends as it is, with its secrets marked.
    fn marked(&self, _kind: &str, _api_version: &str, body: &Value) -> Value {
        body.clone()
    }

    /// What is known of a resource group; nothing if it was not put.
    fn group(&self, _id: &str) -> Result<Option<Value>, Failure> {
        Ok(None)
    }

    /// Hears that a call is wanted, at a time in milliseconds of whichever clock there is. It is made once its latency is over.
    fn issued(&self, _call: &ProviderCall, _now: i64) {}

    /// How long a call takes before it is made, in milliseconds of whichever clock there is.
    fn latency(&self, _call: &ProviderCall) -> u64 {
        0
    }

    /// Tells what the template of a deployment, whose id comes last, calls a resource.
    fn register_symbol(&self, _symbol: &str, _id: &str, _deployment: &str) {}

    /// The name that the program has for a resource whose template has no symbolic name for it; `None` if that is not known.
    fn symbol(&self, _id: &str) -> Option<SmolStr> {
        None
    }

    /// Hears that records were written, or never will be: what a provider remembers of them it can read again.
    fn settled(&self, _records: &[Record]) {}

    /// The id of a resource that has none in its template, by its extension, its type and its name; nothing if the engine may choose one.
    fn identify(&self, _extension: &str, _kind: &str, _name: &str, _scope: &Scope) -> Option<SmolStr> {
        None
    }

    /// What is known beforehand to fail in a deployment, which is then not begun.
    fn preflight(&self, _deployment: &Arc<Deployment>) -> Vec<Failure> {
        Vec::new()
    }

    /// The endpoint that has the resources, as its deployments name it; none if the state has them.
    fn endpoint(&self) -> Option<SmolStr> {
        None
    }

    /// The same provider for a trial, of which nothing is kept; none if it cannot be tried.
    fn trial(&self) -> Option<Trial> {
        None
    }
}

/// A provider that can be tried without consequences.
pub struct Trial {
    /// The provider to run the trial with.
    pub provider: Arc<dyn Provider>,
    /// Who knows what was changed.
    pub changes: Arc<Local>,
}

/// Makes a call of the machine.
pub fn call<'a>(provider: &'a dyn Provider, call: &'a ProviderCall) -> Pending<'a> {
    match call {
        ProviderCall::Get { id, api_version } => provider.get(id, api_version),
        ProviderCall::Put(put) => provider.put(put),
        ProviderCall::Delete { id } => provider.delete(id),
        ProviderCall::List { below } => provider.list(below),
        ProviderCall::Action(act) => provider.action(act),
    }
}
