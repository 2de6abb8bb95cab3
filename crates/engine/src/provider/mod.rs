//! Who has the resources: one trait, and the providers that come with the engine.

mod behaviour;
mod known;
mod layer;
mod local;
mod script;
mod scripted;
mod tally;
mod unconditional;
mod within;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use arm::Value;
use arm::deployment::Deployment;
use arm::evaluate::Scope;
use smol_str::SmolStr;

use crate::Failure;
use crate::core::{Act, Answer, Call, Put};
use crate::records::Record;

pub use known::Types;
pub use layer::Layer;
pub use local::Local;
pub use scripted::{Script, ScriptedProvider};
pub use tally::Tally;
pub(crate) use unconditional::Unconditional;
pub(crate) use within::{Within, unauthorized};

/// The code of a failure that says nothing of the resource: the state could not be read. A deployment asks again, for a while.
pub const UNAVAILABLE: &str = "StateUnavailable";

/// An answer that may take its time.
pub type Pending<'a> = Pin<Box<dyn Future<Output = Answer> + Send + 'a>>;

/// Something that has resources. Every call may be made again: none of them does more the second time.
pub trait Provider: Send + Sync {
    /// The state of a resource.
    fn get<'a>(&'a self, id: &'a str, api_version: &'a str) -> Pending<'a>;

    /// Puts a resource, or changes a part of one if that is wanted.
    fn put<'a>(&'a self, put: &'a Put) -> Pending<'a>;

    /// Deletes a resource.
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

    /// The body of a resource that somebody sends as it is, with its secrets marked.
    fn marked(&self, _kind: &str, _api_version: &str, body: &Value) -> Value {
        body.clone()
    }

    /// What is known of a resource group; nothing if it was not put.
    fn group(&self, _id: &str) -> Result<Option<Value>, Failure> {
        Ok(None)
    }

    /// How long a call takes before it is made, in milliseconds of whichever clock there is.
    fn latency(&self, _call: &Call) -> u64 {
        0
    }

    /// Tells what a template calls a resource.
    fn introduce(&self, _symbol: &str, _id: &str) {}

    /// Hears that records were written, or never will be: what a provider remembers of them it can read again.
    fn settled(&self, _records: &[Record]) {}

    /// The id of a resource that has none in its template, by its extension, its type and its name; nothing if the engine may choose one.
    fn identify(&self, _extension: &str, _kind: &str, _name: &str, _scope: &Scope) -> Option<SmolStr> {
        None
    }

    /// What is known beforehand to fail in a deployment, which is then not begun.
    fn foresee(&self, _deployment: &Arc<Deployment>) -> Vec<Failure> {
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
    /// Whom to ask.
    pub provider: Arc<dyn Provider>,
    /// Who knows what was changed.
    pub changes: Arc<Local>,
}

/// Makes a call of the machine.
pub fn call<'a>(provider: &'a dyn Provider, call: &'a Call) -> Pending<'a> {
    match call {
        Call::Get { id, api_version } => provider.get(id, api_version),
        Call::Put(put) => provider.put(put),
        Call::Delete { id } => provider.delete(id),
        Call::List { below } => provider.list(below),
        Call::Action(act) => provider.action(act),
    }
}
