//! A provider that serves one deployment only where whoever asked for it may read and write.

use std::sync::Arc;

use arm::deployment::Reach;

use super::{Layer, Pending, Provider};
use crate::Failure;
use crate::core::{Act, Answer, Put};

/// A provider within a reach.
pub(crate) struct Within {
    below: Arc<dyn Provider>,
    reach: Reach,
}

impl Within {
    /// The provider for a deployment; the provider itself if its reach is everything.
    pub(crate) fn around(below: Arc<dyn Provider>, reach: &Reach) -> Arc<dyn Provider> {
        if *reach == Reach::everything() {
            return below;
        }
        Arc::new(Within { below, reach: reach.clone() })
    }
}

impl Layer for Within {
    fn below(&self) -> &dyn Provider {
        &*self.below
    }

    fn over(&self, below: Arc<dyn Provider>) -> Arc<dyn Provider> {
        Within::around(below, &self.reach)
    }

    fn get<'a>(&'a self, id: &'a str, api_version: &'a str) -> Pending<'a> {
        if !self.reach.reads(id) {
            return refuse(id, "read");
        }
        self.below.get(id, api_version)
    }

    fn put<'a>(&'a self, put: &'a Put) -> Pending<'a> {
        if !self.reach.writes(&put.id) {
            return refuse(&put.id, "write");
        }
        self.below.put(put)
    }

    fn delete<'a>(&'a self, id: &'a str) -> Pending<'a> {
        if !self.reach.writes(id) {
            return refuse(id, "delete");
        }
        self.below.delete(id)
    }

    fn list<'a>(&'a self, below: &'a str) -> Pending<'a> {
        if !self.reach.reads(below) {
            return refuse(below, "list");
        }
        self.below.list(below)
    }

    fn action<'a>(&'a self, act: &'a Act) -> Pending<'a> {
        // What actions give are keys, mostly.
        if !self.reach.writes(&act.id) {
            return refuse(&act.id, &act.action);
        }
        self.below.action(act)
    }
}

fn refuse<'a>(id: &str, what: &str) -> Pending<'a> {
    let failure = unauthorized(id, what);
    Box::pin(async { Answer::Failed(failure) })
}

/// Why something outside the reach is not done.
pub(crate) fn unauthorized(id: &str, what: &str) -> Failure {
    let message = format!(
        "The client that deploys does not have authorization to perform the action '{what}' over '{id}'."
    );
    Failure::new("AuthorizationFailed", message).target(id)
}
