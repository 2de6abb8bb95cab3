//! What all handlers share.

use std::sync::Arc;

use ::radius::registry::Registry;
use engine::Host;
use engine::provider::Types;
use store::Store;

use crate::arm::Results;
use crate::history::History;
use crate::identity::Guard;
use crate::limits::Limits;
use crate::room::Room;
use crate::ui::{Compile, Live};
use crate::watch::{Audit, Traces, Watch};

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
    /// What a client may ask at most.
    pub(crate) limits: Limits,
    /// How many deployments are remembered.
    pub(crate) history: History,
    /// What may be under way at the same time.
    pub(crate) room: Room,
    /// What is seen of all this.
    pub(crate) watch: Watch,
    /// What pages show of deployments that run.
    pub(crate) live: Arc<Live>,
    /// Compiles Bicep, if somebody has a compiler.
    pub(crate) compile: Option<Arc<Compile>>,
}

impl App {
    /// The server in front of an engine and a registry, in local mode.
    pub fn new(host: Arc<Host>, registry: Arc<Registry>) -> App {
        // Whoever deploys something that takes long must not keep others waiting.
        engine::take_turns();
        let types = Arc::new(Types::none());
        let (guard, limits) = (Guard::local(), Limits::default());
        let (room, watch) = (Room::new(&limits), Watch::new(&limits));
        let (results, history) = (Results::default(), History::default());
        let live = Arc::new(Live::default());
        let watching = Arc::clone(&live);
        host.watch(Box::new(move |accepted| watching.watcher(accepted)));
        let compile = None;
        App { host, registry, types, results, guard, limits, history, room, watch, live, compile }
    }

    /// The same that remembers only so many deployments in each scope.
    #[must_use]
    pub fn remembering(self, deployments: usize) -> App {
        App { history: History::new(deployments), ..self }
    }

    /// The same, with resource types to tell of.
    #[must_use]
    pub fn with_types(self, types: Arc<Types>) -> App {
        App { types, ..self }
    }

    /// The same with a compiler for the Bicep that people paste.
    #[must_use]
    pub fn compiling(self, compile: Arc<Compile>) -> App {
        App { compile: Some(compile), ..self }
    }

    /// The same with another guard.
    #[must_use]
    pub fn guarded(self, guard: Guard) -> App {
        App { guard, ..self }
    }

    /// The same with other limits; before [`App::audited`] and [`App::traced`].
    #[must_use]
    pub fn limited(self, limits: Limits) -> App {
        App { room: Room::new(&limits), watch: Watch::new(&limits), limits, ..self }
    }

    /// The same with an audit log.
    #[must_use]
    pub fn audited(mut self, audit: Audit) -> App {
        self.watch.audit = Some(audit);
        self
    }

    /// The same with traces.
    #[must_use]
    pub fn traced(mut self, traces: Traces) -> App {
        self.live.trace(traces.clone());
        self.watch.traces = Some(traces);
        self
    }

    /// Where everything is kept.
    pub(crate) fn store(&self) -> &dyn Store {
        &*self.host.engine().store
    }
}
