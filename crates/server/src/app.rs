//! What all handlers share.

use std::sync::{Arc, OnceLock};

use ::radius::registry::Registry;
use engine::Host;
use engine::provider::{LazyTypes, Quotas};
use logging::Log;
use store::Store;

use crate::admission::AdmissionControl;
use crate::answer_room::AnswerRoom;
use crate::async_results::Results;
use crate::compiler::Compile;
use crate::history::History;
use crate::identity::Guard;
use crate::limits::Limits;
use crate::live_runs::LiveRuns;
use crate::page_resources::PageResources;
use crate::readiness::Readiness;
use crate::route_doc::RouteDoc;
use crate::store_meter::StoreTimes;
use crate::watch::{Audit, Telemetry, Traces};
use crate::work_slots::WorkSlots;

/// The engine, the registry, and what the server knows of itself.
pub struct App {
    /// Begins, runs and cancels deployments.
    pub host: Arc<Host>,
    /// Has the resource types of Radius.
    pub registry: Arc<Registry>,
    /// Resource types, for those who ask what there is.
    pub types: Arc<LazyTypes>,
    /// The requests that are answered, in the order in which they are tried.
    pub(crate) requests: Arc<[RouteDoc]>,
    /// Their description as OpenAPI, once somebody asked.
    pub(crate) openapi: OnceLock<String>,
    /// What takes longer than its request.
    pub(crate) results: Results,
    /// Decides who may do what.
    pub(crate) guard: Guard,
    /// What a client may ask at most.
    pub(crate) limits: Limits,
    /// How many deployments are remembered.
    pub(crate) history: History,
    /// What may be under way at the same time.
    pub(crate) room: Arc<AdmissionControl>,
    /// What is seen of all this.
    pub(crate) watch: Telemetry,
    /// Deployments that run in this process, as those see them who follow one.
    pub(crate) runs: Arc<LiveRuns>,
    pub(crate) pages: PageResources,
    /// Compiles Bicep, if somebody has a compiler.
    pub(crate) compile: Option<Arc<Compile>>,
    /// What predictions and deployments that begin evaluate at the same time.
    pub(crate) predictions: Arc<WorkSlots>,
    pub(crate) starts: Arc<WorkSlots>,
    /// What reads many records at the same time: lists and pages.
    pub(crate) lists: Arc<WorkSlots>,
    /// The memory of answers on their way.
    pub(crate) answers: Arc<AnswerRoom>,
    /// How long the state takes to answer.
    pub(crate) store_times: Arc<StoreTimes>,
    /// Whether the state takes writes.
    pub(crate) readiness: Readiness,
    /// How much a resource group may have; none if it may have everything.
    pub(crate) quotas: Option<Arc<Quotas>>,
}

impl App {
    /// The server that answers these requests, in local mode.
    pub(crate) fn answering(requests: Vec<RouteDoc>, host: Arc<Host>, registry: Arc<Registry>) -> App {
        // Whoever deploys something that takes long must not keep others waiting.
        engine::take_turns();
        let types = Arc::new(LazyTypes::none());
        let (guard, limits) = (Guard::local(), Limits::default());
        let (room, watch) = (AdmissionControl::new(&limits), Telemetry::new(&limits, &requests));
        let (results, history) = (Results::default(), History::default());
        let runs = Arc::new(LiveRuns::default());
        let watching = Arc::clone(&runs);
        host.watch(Box::new(move |accepted| watching.watcher(accepted)));
        App {
            host,
            registry,
            types,
            requests: requests.into(),
            openapi: OnceLock::new(),
            results,
            guard,
            limits,
            history,
            room,
            watch,
            runs,
            pages: PageResources::default(),
            compile: None,
            predictions: WorkSlots::new(limits.evaluations),
            starts: WorkSlots::new(limits.evaluations),
            lists: WorkSlots::of_readers(limits.evaluations),
            answers: AnswerRoom::new(limits.answers),
            store_times: Arc::default(),
            readiness: Readiness::default(),
            quotas: None,
        }
    }

    /// The same that remembers only so many deployments in each scope.
    #[must_use]
    pub fn remembering(self, deployments: usize) -> App {
        App { history: History::new(deployments), ..self }
    }

    /// The same that remembers deployments that have ended for no longer than so.
    #[must_use]
    pub fn forgetting(self, age: std::time::Duration) -> App {
        App { history: self.history.no_older_than(age), ..self }
    }

    /// The same, with resource types to tell of.
    #[must_use]
    pub fn with_types(self, types: Arc<LazyTypes>) -> App {
        App { types, ..self }
    }

    /// The same on a store that is measured.
    #[must_use]
    pub fn measured(self, store_times: Arc<StoreTimes>) -> App {
        App { store_times, ..self }
    }

    /// The same with a compiler for the Bicep that people paste.
    #[must_use]
    pub fn compiling(self, compile: Arc<Compile>) -> App {
        App { compile: Some(compile), ..self }
    }

    /// The same that keeps to quotas, as the provider of its engine has to do, too.
    #[must_use]
    pub fn within(self, quotas: Arc<Quotas>) -> App {
        App { quotas: Some(quotas), ..self }
    }

    /// The same with another guard.
    #[must_use]
    pub fn guarded(self, guard: Guard) -> App {
        App { guard, ..self }
    }

    /// The same with other limits; before [`App::audited`] and [`App::traced`].
    #[must_use]
    pub fn limited(self, limits: Limits) -> App {
        let watch = Telemetry::new(&limits, &self.requests);
        App {
            room: AdmissionControl::new(&limits),
            predictions: WorkSlots::new(limits.evaluations),
            starts: WorkSlots::new(limits.evaluations),
            lists: WorkSlots::of_readers(limits.evaluations),
            answers: AnswerRoom::new(limits.answers),
            watch,
            limits,
            ..self
        }
    }

    /// The same with an audit log.
    #[must_use]
    pub fn audited(mut self, audit: Audit) -> App {
        self.watch.audit = Some(audit);
        self
    }

    /// The same with the log that its events go to, so that lines that are lost are counted.
    #[must_use]
    pub fn logged(mut self, log: Log) -> App {
        self.watch.log = log;
        self
    }

    /// The same with traces.
    #[must_use]
    pub fn traced(mut self, traces: Traces) -> App {
        self.runs.trace(traces.clone());
        self.watch.traces = Some(traces);
        self
    }

    /// Where everything is kept.
    pub(crate) fn store(&self) -> &dyn Store {
        &*self.host.engine().store
    }
}
