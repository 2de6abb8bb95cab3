//! Runs one case: its parameters are bound, its program is deployed to a store of its own, and what happened is written down.

use std::collections::BTreeSet;
use std::sync::Arc;

use arm::Value;
use arm::binding::{Inputs, SecretReference};
use arm::budget::{Budget, BudgetSource};
use arm::deployment::{Deployment, DeploymentContext, DeploymentMode, Mocks, Unresolved};
use arm::evaluate::{Moment, Scope};
use arm::template::{Template, TemplateError, TemplateLimits};
use bicep::FilePath;
use diagnostics::FileId;
use document::{Document, ReadLimits};
use engine::core::{MachineSettings, RunEnd};
use engine::provider::{Local, Provider, Script, ScriptedProvider};
use engine::{Clock, Engine, Failure, StartError, together};
use store::{MemoryStore, Store};
use tokio::sync::mpsc::unbounded_channel;

use crate::body::{BodyError, CaseBody, ParamsLayer, TestMode, later};
use crate::calls::{CallRecorder, Recorded};
use crate::coverage;
use crate::evaluation::{WORK, seed_of};
use crate::functions::functions;
use crate::given::{self, LeftState};
use crate::host::Session;
use crate::probes;
use crate::program::Program;
use crate::result::{self, RunFacts};
use crate::units::Units;

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CaseStatus {
    Succeeded,
    Failed,
    /// Before any call.
    Refused,
}

impl CaseStatus {
    pub(crate) fn word(self) -> &'static str {
        match self {
            CaseStatus::Succeeded => "Succeeded",
            CaseStatus::Failed => "Failed",
            CaseStatus::Refused => "Refused",
        }
    }
}

/// A case that ran.
pub(crate) struct CaseRun {
    pub(crate) status: CaseStatus,
    /// Whether values of parameters broke their types or were refused by validators.
    pub(crate) refused_values: bool,
    /// Why it failed, with the places of causes.
    pub(crate) failure: Option<Failure>,
    /// What asserts see.
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

/// What a case runs with.
pub(crate) struct CaseSetup<'c> {
    pub(crate) session: &'c Session<'c>,
    pub(crate) program: &'c Program,
    pub(crate) body: &'c CaseBody,
    /// The folder of the test file.
    pub(crate) folder: &'c FilePath,
    pub(crate) id: &'c str,
    /// What another test left.
    pub(crate) before: Option<&'c LeftState>,
    pub(crate) mocks: Arc<Mocks>,
}

/// The mocks of a case, which remember what they answer.
pub(crate) fn mocks_of(body: &CaseBody) -> Result<Arc<Mocks>, BodyError> {
    if body.mocks.is_null() {
        return Ok(Arc::default());
    }
    let mocks = Mocks::new(body.mocks.clone()).map_err(|why| BodyError::new("mocks", why))?;
    Ok(Arc::new(mocks.remembering()))
}

/// The name of a deployment whose test does not say one: that of its file.
fn deployment_name(path: &FilePath) -> String {
    let name = path.name();
    let stem = name.strip_suffix(path.extension()).unwrap_or(name);
    let stem = stem.replace(|letter: char| !letter.is_alphanumeric() && !"-._()".contains(letter), "-");
    if stem.is_empty() { "main".to_owned() } else { stem }
}

impl CaseSetup<'_> {
    /// Where the case deploys to.
    pub(crate) fn scope(&self, template: &Template) -> Scope {
        self.body.scope.clone().unwrap_or_else(|| DeploymentContext::local_scope(template.scope))
    }

    pub(crate) fn name(&self) -> String {
        self.body.name.clone().unwrap_or_else(|| deployment_name(&self.program.path))
    }

    fn context(&self, template: &Template, now: Moment, seed: u128) -> DeploymentContext {
        let mut context = DeploymentContext {
            now,
            seed,
            mocks: Arc::clone(&self.mocks),
            unresolved: match self.body.mode {
                TestMode::Deploy => Unresolved::Error,
                TestMode::Snapshot => Unresolved::Keep,
            },
            budget: Budget::of_steps(WORK),
            extra_functions: if self.session.is_covering() { functions() } else { Default::default() },
            ..DeploymentContext::local(self.scope(template), self.name())
        };
        if let Some(location) = &self.body.location {
            context.location = Some(location.into());
        }
        let tenant = self.mocks.get("tenant").and_then(Value::as_object).and_then(|it| it.get("tenantId"));
        if let Some(tenant) = tenant.and_then(Value::as_str) {
            context.tenant = Some(tenant.into());
        }
        context
    }

    /// What gives values to the parameters of a template.
    pub(crate) fn inputs(&self, of_program: &Inputs) -> Result<Inputs, BodyError> {
        let mut inputs = of_program.clone();
        for layer in &self.body.params {
            match layer {
                ParamsLayer::Values(values) => {
                    for (name, value) in values.plain().as_object().into_iter().flat_map(|it| it.iter()) {
                        inputs.set(name, value.clone());
                    }
                }
                ParamsLayer::File(path) => {
                    let given = self.file(path).map_err(|why| BodyError::new("params", why))?;
                    inputs.extend(given);
                }
            }
        }
        let answers = self.mocks.get("externalInputs").and_then(Value::as_object);
        if let Some(answers) = answers {
            for missing in inputs.all_missing_externals() {
                if let Some(value) = answers.get(&missing.input.key) {
                    self.mocks.note(|| format!("externalInputs.{}", missing.input.key));
                    inputs.supply(&missing.input, value.clone());
                }
            }
        }
        Ok(inputs)
    }

    /// A parameters file.
    fn file(&self, path: &str) -> Result<Inputs, String> {
        let target = self.folder.join(path);
        let compiler = self.session.compiler;
        let words = |errors: Vec<TemplateError>| {
            let errors: Vec<String> = errors.iter().map(|error| error.brief().into_owned()).collect();
            format!("`{path}`: {}", errors.join("; "))
        };
        if target.extension().eq_ignore_ascii_case(".bicepparam") {
            let compilation = compiler.compile(&target);
            let Some(text) = compilation.template else {
                let first = compilation.findings.iter().flat_map(|(_, found)| found.iter());
                let first = first.into_iter().find(|finding| finding.is_error());
                let why = first.map_or_else(String::new, |finding| format!(": {}", finding.sentence()));
                return Err(format!("`{path}` does not compile{why}"));
            };
            return Inputs::read(&*text, FileId::FIRST, &TemplateLimits::DEFAULT).map_err(words);
        }
        let bytes = compiler.world().read(&target);
        let bytes = bytes.map_err(|_| format!("`{path}` cannot be read"))?;
        let is_yaml = [".yaml", ".yml"].iter().any(|known| target.extension().eq_ignore_ascii_case(known));
        if is_yaml {
            let document = Document::from_yaml(bytes.to_vec(), FileId::FIRST, &ReadLimits::DEFAULT);
            let document = document.map_err(|error| format!("`{path}`: {error}"))?;
            let root = document.root().id();
            return Inputs::from_handwritten(Arc::new(document), root).map_err(words);
        }
        Inputs::read_handwritten(bytes.to_vec(), FileId::FIRST, &TemplateLimits::DEFAULT).map_err(words)
    }

    /// The deployment of the case, at a time and with new ids that are made from a seed.
    pub(crate) fn deployment(
        &self,
        template: &Arc<Template>,
        inputs: &Inputs,
        now: Moment,
        seed: u128,
    ) -> Result<Arc<Deployment>, Vec<TemplateError>> {
        let context = self.context(template, now, seed);
        self.session.host.check_scope(template, &context.scope).map_err(|error| vec![error])?;
        self.bound(template, inputs, context)
    }

    /// The deployment of the case in surroundings.
    pub(crate) fn bound(
        &self,
        template: &Arc<Template>,
        inputs: &Inputs,
        context: DeploymentContext,
    ) -> Result<Arc<Deployment>, Vec<TemplateError>> {
        let secrets = |reference: &SecretReference| {
            self.mocks.secret(&reference.vault, &reference.secret).cloned().map(Ok)
        };
        Deployment::with_inputs(Arc::clone(template), inputs, context, &secrets).map(Arc::new)
    }

    /// The text of a file beside the test file.
    fn text(&self, path: &str) -> Result<String, String> {
        let bytes = self.session.compiler.world().read(&self.folder.join(path));
        let bytes = bytes.map_err(|_| format!("`{path}` cannot be read"))?;
        String::from_utf8(bytes.to_vec()).map_err(|_| format!("`{path}` is not UTF-8"))
    }

    /// Runs the case.
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
                    coverage::note_refusals(self.session.compiler, &self.program.main, &errors);
                }
                let refused_values = !errors.is_empty() && errors.iter().all(is_rule);
                let run = self.refused(template, None, together(errors));
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
        let session = self.session;
        session.host.locate(session.compiler, &mut failure, deployment, &self.program.main);
        let status = CaseStatus::Refused;
        let facts = RunFacts { setup: self, template, deployment, status, failure: Some(&failure) };
        let value = result::of_refused(&facts);
        let left = self.before.cloned().unwrap_or_default();
        CaseRun { value, left, ..CaseRun::new(status, Some(failure), self.mocks.given()) }
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
                let state = self.text(path).and_then(|text| given::of_export(&text)).map_err(failed)?;
                state.restore(&store).map_err(failed)?;
            }
            Some(Value::Array(resources)) => {
                let engine = Arc::new(engine(local()));
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
        let below = session.host.provider(below, &shared, &session.key);
        let recorder = Arc::new(CallRecorder::new(Arc::clone(&below)));
        let engine = engine(Arc::<CallRecorder>::clone(&recorder));
        let mode = match self.body.complete {
            true => DeploymentMode::Complete,
            false => DeploymentMode::Incremental,
        };
        let accepted = match engine.accept(Arc::clone(deployment), mode) {
            Ok(accepted) => accepted,
            Err(StartError::Failure(failure)) => {
                let mut run = self.refused(template, Some(deployment), failure);
                run.left = before;
                return Ok(run);
            }
            Err(StartError::State(why)) => return Err(BodyError::new("", why)),
        };
        let mut units = Units::new(&accepted);
        let (_open, cancel) = unbounded_channel();
        let ended = match engine.run(accepted, cancel, &mut units).await {
            Ok(ended) => ended.end,
            Err(StartError::Failure(failure)) => RunEnd::Failed(failure),
            Err(StartError::State(why)) => return Err(BodyError::new("", why)),
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
            session.host.locate(session.compiler, failure, Some(deployment), &self.program.main);
        }
        if session.is_covering() {
            coverage::note_units(session.compiler, &self.program.main, &units);
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
            Err(StartError::State(why)) => vec![(String::new(), vec![why])],
        }
    }

    /// A case that is evaluated alone.
    fn predicted(&self, template: &Template, deployment: &Arc<Deployment>) -> CaseRun {
        let snapshot = match arm::deployment::snapshot(Arc::clone(deployment)) {
            Ok(snapshot) => snapshot,
            Err(errors) => return self.refused(template, Some(deployment), together(errors)),
        };
        let mut failure = result::broken_asserts(deployment);
        if let Some(failure) = &mut failure {
            let session = self.session;
            session.host.locate(session.compiler, failure, Some(deployment), &self.program.main);
        }
        let status = if failure.is_none() { CaseStatus::Succeeded } else { CaseStatus::Failed };
        let facts = RunFacts {
            setup: self,
            template,
            deployment: Some(deployment),
            status,
            failure: failure.as_ref(),
        };
        let value = result::of_snapshot(&facts, deployment, &snapshot);
        let left = self.before.cloned().unwrap_or_default();
        CaseRun { value, left, ..CaseRun::new(status, failure, self.mocks.given()) }
    }
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
