//! What all handlers share.

use std::sync::Arc;

use ::radius::registry::Registry;
use engine::Host;
use engine::provider::Types;
use store::Store;

use crate::arm::Results;
use crate::identity::Guard;

/// The engine, the registry, and what the server knows of itself.
pub struct App {
    /// Runs deployments.
    pub host: Arc<Host>,
    /// Has the resource types of Radius.
    pub registry: Arc<Registry>,
    /// Resource types, for those who ask what there is.
    pub types: Arc<Types>,
    /// What takes longer than its request.
    pub(crate) results: Results,
    /// Decides who may do what.
    pub(crate) guard: Guard,
}

impl App {
    /// The server in front of an engine and a registry, in local mode.
    pub fn new(host: Arc<Host>, registry: Arc<Registry>) -> App {
        let types = Arc::new(Types::none());
        App { host, registry, types, results: Results::default(), guard: Guard::local() }
    }

    /// The same, with resource types to tell of.
    #[must_use]
    pub fn with_types(self, types: Arc<Types>) -> App {
        App { types, ..self }
    }

    /// The same with another guard.
    #[must_use]
    pub fn guarded(self, guard: Guard) -> App {
        App { guard, ..self }
    }

    /// Where everything is kept.
    pub(crate) fn store(&self) -> &dyn Store {
        &*self.host.engine().store
    }
}
