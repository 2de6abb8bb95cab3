//! A provider that serves one deployment only where whoever asked for it may read and write.

use std::sync::Arc;

use arm::deployment::ScopeReach;
use machine::Failure;
use machine::core::{Act, ProviderReply, PutRequest};

use super::{Layer, Pending, Provider};

/// A provider within a reach.
pub(crate) struct Within {
    below: Arc<dyn Provider>,
    reach: ScopeReach,
}

impl Within {
    /// The provider for a deployment; the provider itself if its reach is everything.
    pub(crate) fn around(below: Arc<dyn Provider>, reach: &ScopeReach) -> Arc<dyn Provider> {
        if *reach == ScopeReach::everything() {
            return below;
        }
        Arc::new(Within { below, reach: reach.clone() })
    }
}

impl Layer for Within {
    fn inner(&self) -> &dyn Provider {
        &*self.below
    }

    fn rebase_on(&self, below: Arc<dyn Provider>) -> Arc<dyn Provider> {
        Within::around(below, &self.reach)
    }

    fn get<'a>(&'a self, id: &'a str, api_version: &'a str) -> Pending<'a> {
        if !self.reach.can_read(id) {
            return refuse(id, "read");
        }
        self.below.get(id, api_version)
    }

    fn put<'a>(&'a self, put: &'a PutRequest) -> Pending<'a> {
        if !self.reach.can_write(&put.id) {
            return refuse(&put.id, "write");
        }
        self.below.put(put)
    }

    fn delete<'a>(&'a self, id: &'a str) -> Pending<'a> {
        if !self.reach.can_delete(id) {
            return refuse(id, "delete");
        }
        self.below.delete(id)
    }

    fn list<'a>(&'a self, below: &'a str) -> Pending<'a> {
        if !self.reach.can_read(below) {
            return refuse(below, "list");
        }
        self.below.list(below)
    }

    fn action<'a>(&'a self, act: &'a Act) -> Pending<'a> {
        // What actions give are keys, mostly.
        if !self.reach.can_call(&act.id, &act.action) {
            return refuse(&act.id, &act.action);
        }
        self.below.action(act)
    }
}

fn refuse<'a>(id: &str, what: &str) -> Pending<'a> {
    let failure = unauthorized(id, what);
    Box::pin(async { ProviderReply::Failed(failure) })
}

/// Why something outside the reach is not done.
pub(crate) fn unauthorized(id: &str, what: &str) -> Failure {
    let message = format!(
        "The client that deploys does not have authorization to perform the action '{what}' over '{id}'."
    );
    Failure::new("AuthorizationFailed", message).target(id)
}
