//! Runs one case: its parameters are bound, its program is deployed to a store of its own, and what happened is written down.

use std::collections::BTreeSet;
use std::sync::Arc;

use arm::Value;
use arm::binding::Inputs;
use arm::budget::BudgetSource;
use arm::deployment::{Deployment, DeploymentMode, Plan};
use arm::template::{Template, TemplateError};
use engine::core::{MachineSettings, RunEnd};
use engine::provider::{Local, Provider, Script, ScriptedProvider};
use engine::{Clock, Engine, Failure, StartError, together};
use store::{MemoryStore, Store};
use tokio::sync::mpsc::unbounded_channel;

use crate::body::{BodyError, TestMode, later};
use crate::calls::{CallRecorder, Recorded};
use crate::evaluation::seed_of;
use crate::given::{self, LeftState};
use crate::made_up::MadeUp;
use crate::probes;
use crate::reached;
use crate::result::{self, RunFacts};
use crate::setup::{CaseSetup, CaseStatus};
use crate::units::Units;

/// A case that ran.
pub(crate) struct CaseRun {
    pub(crate) status: CaseStatus,
    /// Whether values of parameters broke their types or were refused by validators.
    pub(crate) refused_values: bool,
    /// Why it failed, with the places of causes.
    pub(crate) failure: Option<Failure>,
    pub(crate) value: Value,
    pub(crate) left: LeftState,
    /// What is declared by ids, in folded form.
    pub(crate) names: Vec<(String, String)>,
    /// The ids that more than one resource of the program was put under.
    pub(crate) twice: Vec<String>,
    /// The outputs that are not secure and hold something secret.
    pub(crate) secret_outputs: Vec<String>,
    /// The answers of mocks that were given.
    pub(crate) mocks_given: BTreeSet<String>,
    /// The rows of the script that nothing came to; none if they do not count.
    pub(crate) unused_rows: Option<Vec<usize>>,
    /// What the same inputs would change an hour later: the resource and the properties.
    pub(crate) not_idempotent: Vec<(String, Vec<String>)>,
}

impl CaseSetup<'_> {
    pub(crate) fn run(&self) -> Result<CaseRun, BodyError> {
        let ran = self.run_once();
        if self.session.is_covering() {
            self.session.add_hits();
        }
        ran
    }

    fn run_once(&self) -> Result<CaseRun, BodyError> {
        let Some(template) = &self.program.template else {
            let why = self.program.unreadable.clone().unwrap_or_default();
            return Err(BodyError::new("", why));
        };
        let inputs = self.inputs(&self.program.inputs)?;
        let deployment = self.deployment(template, &inputs, self.body.time, seed_of(self.id));
        let deployment = match deployment {
            Ok(deployment) => deployment,
            Err(errors) => {
                let is_rule = |error: &TemplateError| {
                    error.rule.is_some() || error.details.iter().any(|it| it.rule.is_some())
                };
                if self.session.is_covering() {
                    reached::note_refusals(self.session, &self.program.main, &errors);
                }
                let refused_values = !errors.is_empty() && errors.iter().all(is_rule);
                let mut failure = together(errors);
                name_parameters(&mut failure);
                let run = self.refused(template, None, failure);
                return Ok(CaseRun { refused_values, ..run });
            }
        };
        if self.body.mode == TestMode::Snapshot {
            return Ok(self.predicted(template, &deployment));
        }
        let script = self.mocks.get("provider").map(Script::read).transpose();
        let script = script.map_err(|why| BodyError::new("mocks", why))?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let runtime = runtime.map_err(|error| BodyError::new("", format!("cannot start: {error}")))?;
        runtime.block_on(self.deploy(template, &inputs, &deployment, script))
    }

    /// A case that was not begun.
    fn refused(
        &self,
        template: &Template,
        deployment: Option<&Arc<Deployment>>,
        mut failure: Failure,
    ) -> CaseRun {
        self.locate(&mut failure, deployment);
        let status = CaseStatus::Refused;
        let facts = RunFacts { setup: self, template, deployment, status, failure: Some(&failure) };
        let value = result::of_refused(&facts);
        let left = self.before.cloned().unwrap_or_default();
        CaseRun { value, left, ..CaseRun::new(status, Some(failure), self.mocks.given()) }
    }

    /// Notes in an error where its cause is written.
    fn locate(&self, failure: &mut Failure, deployment: Option<&Arc<Deployment>>) {
        let session = self.session;
        probes::aside(|| session.host.locate(session.compiler, failure, deployment, &self.program.main));
    }

    async fn deploy(
        &self,
        template: &Arc<Template>,
        inputs: &Inputs,
        deployment: &Arc<Deployment>,
        script: Option<Script>,
    ) -> Result<CaseRun, BodyError> {
        let session = self.session;
        let store = Arc::new(MemoryStore::new());
        let shared: Arc<dyn Store> = Arc::<MemoryStore>::clone(&store);
        let failed = |why: String| BodyError::new("given", why);
        if let Some(before) = self.before {
            before.restore(&store).map_err(failed)?;
        }
        let local = || {
            let local = Local::new(Arc::clone(&shared), session.key.clone());
            Arc::new(local.with_types(Arc::clone(&session.types)))
        };
        let engine = |provider: Arc<dyn Provider>| {
            let (store, key) = (Arc::clone(&shared), session.key.clone());
            Engine {
                store,
                key,
                provider,
                settings: MachineSettings::default(),
                clock: Clock::Virtual,
                budgets: BudgetSource::default(),
            }
        };
        match self.body.given.as_ref().map(Value::plain) {
            Some(Value::Text(path)) => {
                let rows = self.text(path).and_then(|text| session.host.state(&text)).map_err(failed)?;
                LeftState::admitted(rows).restore(&store).map_err(failed)?;
            }
            Some(Value::Array(resources)) => {
                let engine = Arc::new(engine(session.host.provider(local(), &shared, &session.key)));
                for resource in resources.items() {
                    given::put(&engine, &self.scope(template), resource).await.map_err(failed)?;
                }
            }
            _ => {}
        }
        let before = LeftState::of(&*store).map_err(failed)?;
        let scripted = script.map(|script| Arc::new(ScriptedProvider::new(local(), Arc::new(script))));
        let below: Arc<dyn Provider> = match &scripted {
            Some(scripted) => Arc::<ScriptedProvider>::clone(scripted),
            None => local(),
        };
        let below: Arc<dyn Provider> = match session.options.made_up {
            true => Arc::new(MadeUp::new(below)),
            false => below,
        };
        let below = session.host.provider(below, &shared, &session.key);
        let recorder = Arc::new(CallRecorder::new(Arc::clone(&below)));
        let engine = engine(Arc::<CallRecorder>::clone(&recorder));
        let mode = match self.body.complete {
            true => DeploymentMode::Complete,
            false => DeploymentMode::Incremental,
        };
        // It looks ahead into modules; what runs is evaluated again.
        let accepted = probes::aside(|| engine.accept(Arc::clone(deployment), mode));
        if session.is_covering() {
            drop(Plan::new(Arc::clone(deployment)));
        }
        let accepted = match accepted {
            Ok(accepted) => accepted,
            Err(StartError::Failure(failure)) => {
                if session.is_covering() {
                    reached::note_refusals_of_modules(session, &self.program.main, deployment);
                }
                let mut run = self.refused(template, Some(deployment), failure);
                run.left = before;
                return Ok(run);
            }
            Err(StartError::State(why) | StartError::Unavailable(why)) => {
                return Err(BodyError::new("", why));
            }
        };
        let mut units = Units::new(&accepted);
        let (_open, cancel) = unbounded_channel();
        let ended = match engine.run(accepted, cancel, &mut units).await {
            Ok(ended) => ended.end,
            Err(StartError::Failure(failure)) => RunEnd::Failed(failure),
            Err(StartError::State(why) | StartError::Unavailable(why)) => {
                return Err(BodyError::new("", why));
            }
        };
        let mocks_given = self.mocks.given();
        let Recorded { calls, states } = recorder.recorded();
        let (outputs, mut failure) = match ended {
            RunEnd::Succeeded(outputs) => (outputs, None),
            RunEnd::Failed(failure) => (Value::Null, Some(failure)),
            RunEnd::Canceled | RunEnd::Lost => {
                (Value::Null, Some(Failure::new("Canceled", "it was cancelled")))
            }
        };
        let status = if failure.is_none() { CaseStatus::Succeeded } else { CaseStatus::Failed };
        if let Some(failure) = &mut failure {
            self.locate(failure, Some(deployment));
        }
        if session.is_covering() {
            reached::note_units(session, &self.program.main, &units);
        }
        let facts = RunFacts {
            setup: self,
            template,
            deployment: Some(deployment),
            status,
            failure: failure.as_ref(),
        };
        let after = LeftState::of(&*store).map_err(failed)?;
        let ran = result::Ran {
            units: &units,
            calls: &calls,
            states: &states,
            outputs: &outputs,
            provider: &*below,
            store: &*store,
            before: &before,
            after: &after,
        };
        let value = result::of_run(&facts, &ran).await;
        let mut run = CaseRun { value, ..CaseRun::new(status, failure, mocks_given) };
        run.names = result::symbols_of(&units);
        run.twice = result::put_twice(&units);
        run.secret_outputs = result::secret_outputs(template, &outputs);
        run.unused_rows = scripted.map(|scripted| scripted.unused_rows());
        if status == CaseStatus::Succeeded && self.body.checks.idempotent && session.options.checks {
            // What is evaluated once more is no more reached than before.
            let hits = probes::take();
            run.not_idempotent = self.again(&engine, template, inputs, mode).await;
            probes::restore(hits);
        }
        run.left = after;
        Ok(run)
    }

    /// What the same inputs would change an hour later.
    async fn again(
        &self,
        engine: &Engine,
        template: &Arc<Template>,
        inputs: &Inputs,
        mode: DeploymentMode,
    ) -> Vec<(String, Vec<String>)> {
        let (later, seed) = (later(self.body.time, 3_600_000), seed_of(&format!("{} again", self.id)));
        let predicted = match self.deployment(template, inputs, later, seed) {
            Ok(deployment) => engine.what_if(deployment, mode).await,
            Err(errors) => Err(StartError::Failure(together(errors))),
        };
        match predicted {
            Ok(predicted) => {
                let changed = predicted.changes.iter().filter(|change| {
                    !matches!(change.kind, engine::ChangeKind::NoChange | engine::ChangeKind::Ignore)
                });
                let mut all: Vec<(String, Vec<String>)> = changed
                    .map(|change| {
                        let paths = change.delta.iter().map(|delta| delta.path.clone()).collect();
                        (change.id.clone(), paths)
                    })
                    .collect();
                if let Some(failure) = predicted.failure {
                    all.push((String::new(), vec![failure.message]));
                }
                all
            }
            Err(StartError::Failure(failure)) => vec![(String::new(), vec![failure.message])],
            Err(StartError::State(why) | StartError::Unavailable(why)) => vec![(String::new(), vec![why])],
        }
    }

    /// A case that is evaluated alone.
    fn predicted(&self, template: &Template, deployment: &Arc<Deployment>) -> CaseRun {
        let snapshot = match arm::deployment::snapshot(Arc::clone(deployment)) {
            Ok(snapshot) => snapshot,
            Err(errors) => return self.refused(template, Some(deployment), together(errors)),
        };
        let mut failure = probes::aside(|| result::broken_asserts(deployment));
        if let Some(failure) = &mut failure {
            self.locate(failure, Some(deployment));
        }
        let status = if failure.is_none() { CaseStatus::Succeeded } else { CaseStatus::Failed };
        let facts = RunFacts {
            setup: self,
            template,
            deployment: Some(deployment),
            status,
            failure: failure.as_ref(),
        };
        if self.session.is_covering() {
            reached::note_predicted(self.session, &self.program.main, deployment);
        }
        let value = probes::aside(|| result::of_snapshot(&facts, deployment, &snapshot));
        let left = self.before.cloned().unwrap_or_default();
        let outputs = Value::object(
            snapshot
                .output_trees
                .iter()
                .map(|(name, value)| (name.clone(), Value::object([("value", value.clone())]))),
        );
        CaseRun {
            value,
            left,
            twice: result::predicted_twice(&snapshot),
            secret_outputs: result::secret_outputs(template, &outputs),
            ..CaseRun::new(status, failure, self.mocks.given())
        }
    }
}

/// Names the parameter that an error is about, if it says only where it is in the template: one that has no value. Errors do not nest deep.
fn name_parameters(failure: &mut Failure) {
    let member = |value: &Value, name: &str| value.as_object().and_then(|it| it.get(name)).cloned();
    if failure.target.is_none() && failure.details.is_empty() {
        let path = failure.additional_info.iter().find_map(|info| member(&member(info, "info")?, "path"));
        let parameter =
            path.as_ref().and_then(Value::as_str).and_then(|path| path.strip_prefix("parameters."));
        failure.target = parameter.map(str::to_owned);
    }
    failure.details.iter_mut().for_each(name_parameters);
}

impl CaseRun {
    fn new(status: CaseStatus, failure: Option<Failure>, mocks_given: BTreeSet<String>) -> CaseRun {
        CaseRun {
            status,
            refused_values: false,
            failure,
            value: Value::Null,
            left: LeftState::default(),
            names: Vec::new(),
            twice: Vec::new(),
            secret_outputs: Vec::new(),
            mocks_given,
            unused_rows: None,
            not_idempotent: Vec::new(),
        }
    }
}
