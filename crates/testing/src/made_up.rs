//! A provider in front of others that makes up what nobody has put: a program that is run by itself may read resources of others.

use std::sync::Arc;

use arm::Value;
use engine::core::{Act, ProviderReply, Response};
use engine::provider::{Layer, Pending, Provider};
use smol_str::SmolStr;

use crate::calls::kind_of;

/// Where resources are that nobody has put.
const LOCATION: &str = "eastus";

/// The provider that makes up resources.
pub(crate) struct MadeUp {
    below: Arc<dyn Provider>,
}

impl MadeUp {
    pub(crate) fn new(below: Arc<dyn Provider>) -> MadeUp {
        MadeUp { below }
    }

    /// A resource of which only the id is known, with what its service would add.
    fn resource(&self, id: &str, api_version: &str) -> Value {
        let kind = kind_of(id);
        let name = id.rsplit('/').next().unwrap_or_default();
        let state = Value::object([
            ("id", Value::text(id)),
            ("name", Value::text(name)),
            ("type", Value::text(kind.as_str())),
            ("apiVersion", Value::text(api_version)),
            ("location", Value::text(LOCATION)),
            ("properties", Value::object::<SmolStr>([])),
        ]);
        self.below.seen(id, &kind, api_version, &state)
    }
}

fn done(body: Value) -> ProviderReply {
    ProviderReply::Done(Response { body, writes: Vec::new() })
}

impl Layer for MadeUp {
    fn inner(&self) -> &dyn Provider {
        &*self.below
    }

    fn rebase_on(&self, below: Arc<dyn Provider>) -> Arc<dyn Provider> {
        Arc::new(MadeUp { below })
    }

    fn get<'a>(&'a self, id: &'a str, api_version: &'a str) -> Pending<'a> {
        Box::pin(async move {
            match self.below.get(id, api_version).await {
                ProviderReply::Missing => done(self.resource(id, api_version)),
                answer => answer,
            }
        })
    }

    fn action<'a>(&'a self, act: &'a Act) -> Pending<'a> {
        Box::pin(async move {
            match self.below.action(act).await {
                // What the action gives of a resource that is not there, nobody knows.
                ProviderReply::Missing => done(Value::object::<SmolStr>([])),
                answer => answer,
            }
        })
    }
}
