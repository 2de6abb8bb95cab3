//! What all handlers share.

use std::sync::Arc;

use ::radius::registry::Registry;
use engine::Host;
use engine::provider::Types;
use store::Store;

use crate::arm::Results;

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
}

impl App {
    /// The server in front of an engine and a registry.
    pub fn new(host: Arc<Host>, registry: Arc<Registry>) -> App {
        App { host, registry, types: Arc::new(Types::none()), results: Results::default() }
    }

    /// The same, with resource types to tell of.
    #[must_use]
    pub fn with_types(self, types: Arc<Types>) -> App {
        App { types, ..self }
    }

    /// Where everything is kept.
    pub(crate) fn store(&self) -> &dyn Store {
        &*self.host.engine().store
    }
}
