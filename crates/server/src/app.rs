//! What all handlers share.

use std::sync::Arc;

use ::radius::registry::Registry;
use engine::Host;
use store::Store;

/// The engine, the registry, and what the server knows of itself.
pub struct App {
    /// Runs deployments.
    pub host: Arc<Host>,
    /// Has the resource types of Radius.
    pub registry: Arc<Registry>,
}

impl App {
    /// The server in front of an engine and a registry.
    pub fn new(host: Arc<Host>, registry: Arc<Registry>) -> App {
        App { host, registry }
    }

    /// Where everything is kept.
    pub(crate) fn store(&self) -> &dyn Store {
        &*self.host.engine().store
    }
}
