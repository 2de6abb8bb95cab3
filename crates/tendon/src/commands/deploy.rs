//! `tendon deploy`: run a deployment on the local engine.

use std::collections::BTreeMap;
use std::future::{Future as _, poll_fn};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use arm::Value;
use arm::deployment::{Deployment, Diagnostic, Mode, Unresolved};
use bicep::Compiler;
use clap::ValueEnum;
use diagnostics::bound::{self, Allowance};
use diagnostics::printable;
use diagnostics::terminal::Style;
use endpoint::Endpoint;
use engine::core::{End, Settings};
use engine::provider::{Provider, Tally};
use engine::{
    Accepted, ChangeKind, Clock, Ended, Engine, Failure as EngineFailure, Refused as NotRun, add_new,
};
use pages::Finding;
use server::{Ran, Recorder};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::cli::{Common, Form};
use crate::cloud::{EndpointOptions, NotThere};
use crate::deploy::html::{self, Told};
use crate::deploy::{Both, Counts, FileOptions, Loader, Reporter, Sources, Steps, Surroundings, TypeOptions};
use crate::exit::{Exit, Failure};
use crate::input;
use crate::output::Streams;
use crate::remote::{Place, Refused, Remote, Timeline};
use crate::report::value_text;
use crate::runtime;

/// Deploy to the local engine, or to an ARM endpoint
///
/// The file is compiled, its parameters are bound and checked, and its resources are put in order and deployed to a state on
/// this machine. Nothing goes to a cloud, unless `--endpoint` names one: then its resources go there, and the state keeps the record. A step is durable before it is shown; `--resume` resumes what a killed process left.
/// Ctrl-C cancels: running steps end, and no new ones start. A second Ctrl-C stops at once.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A Bicep file, Bicep parameters or a template; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "resume")]
    file: Option<PathBuf>,

    /// Resume the deployments that were interrupted, or the one that `--name` says
    #[arg(long, conflicts_with_all = ["file", "arguments"])]
    resume: bool,

    /// What happens to resources of the group that are not in the template
    #[arg(long, value_enum, value_name = "MODE", default_value_t)]
    mode: ModeOption,

    /// How many resources are deployed at the same time
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..))]
    parallel: u16,

    /// Whether waiting takes real time [default: `virtual` if the mocks have `provider`, else `real`]
    #[arg(long, value_enum, value_name = "WHICH")]
    clock: Option<ClockOption>,

    /// Write a report to a file when it has ended: time line, graph, outputs and errors; secrets are not in it
    #[arg(long, value_name = "FILE.html", conflicts_with = "resume")]
    report: Option<PathBuf>,

    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    endpoint: EndpointOptions,
    #[command(flatten)]
    options: FileOptions,
    #[command(flatten)]
    types: TypeOptions,

    /// Who tells how it ended; none if it is told as this command does.
    #[arg(skip)]
    teller: Option<Teller>,
}

/// How a deployment ended, for those who tell it in their own way.
pub(crate) struct Outcome<'o> {
    /// Its own steps, without what is inside modules.
    pub(crate) steps: &'o [Ran],
    /// What went wrong.
    pub(crate) failure: Option<&'o EngineFailure>,
    /// Its record, if it was run.
    pub(crate) record: Option<&'o Value>,
}

/// Makes a text of how a deployment ended.
pub(crate) type Teller = fn(&Outcome<'_>, colour: bool) -> String;

impl Arguments {
    /// The file, if one is named.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Whether it goes to the state on this machine.
    pub(crate) fn is_local(&self) -> Result<bool, Failure> {
        Ok(!self.endpoint.is_meant(Some(&self.place))? && self.place.server()?.is_none())
    }

    /// The same in the place of the public command.
    pub(crate) fn in_public(self, teller: Teller) -> Arguments {
        let options = self.options.with_public_arguments();
        Arguments { options, teller: Some(teller), ..self }
    }
}

/// What happens to resources that are not in the template.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ModeOption {
    // They stay.
    #[default]
    Incremental,
    // They are deleted.
    Complete,
}

impl From<ModeOption> for Mode {
    fn from(option: ModeOption) -> Mode {
        match option {
            ModeOption::Incremental => Mode::Incremental,
            ModeOption::Complete => Mode::Complete,
        }
    }
}

/// Which time passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ClockOption {
    // That of the machine.
    Real,
    // None: waits end at once.
    Virtual,
}

const EXAMPLES: &str = "\
Examples:
  tendon deploy main.bicep --param name=shop
  tendon deploy main.bicepparam --scope /subscriptions/ID/resourceGroups/shop -o json
  tendon deploy main.bicepparam -- --stage prod
  tendon deploy main.bicepparam --report deployment.html
  tendon deploy main.bicep --server https://127.0.0.1:8443
  tendon deploy main.bicep --endpoint https://management.azure.com \\
    --scope /subscriptions/ID/resourceGroups/shop
  tendon deploy --resume";

/// Deploys the file, or resumes what was interrupted.
pub(crate) fn run(arguments: &Arguments, common: &Common, streams: &mut Streams) -> Result<Exit, Failure> {
    let settings = Settings { parallel: arguments.parallel.into() };
    let files = arguments.file.iter().map(PathBuf::as_path);
    let loader = arguments.options.loader(files, common, streams)?;
    if arguments.endpoint.is_meant(Some(&arguments.place))? {
        return on_endpoint(arguments, loader, settings, common, streams);
    }
    let remote = arguments.place.server()?;
    let Some(file) = &arguments.file else {
        if remote.is_some() {
            let message = "a server resumes interrupted deployments by itself; leave out `--resume`";
            return Err(Failure::Usage(message.to_owned()));
        }
        // A script is not kept with a deployment: how far it had come is not known.
        let script = loader.script();
        let (clock, types) =
            (clock_of(arguments, script.is_some()), arguments.options.compile.engine_types(None));
        let engine = arguments.place.state.engine(settings, clock, types, script, &arguments.types)?;
        return resume(&engine, None, arguments, common, streams);
    };
    let mut report = Wanted::new(arguments, file);
    let (deployment, sources) = report.load(&loader, arguments, common, streams)?;
    let mut run = || {
        if let Some(remote) = &remote {
            return on_server(remote, &deployment, arguments.mode.into(), &mut report, common, streams);
        }
        let types = arguments.options.compile.engine_types(loader.compiler());
        let script = loader.script();
        let clock = clock_of(arguments, script.is_some());
        let engine = arguments.place.state.engine(settings, clock, types, script, &arguments.types)?;
        match engine.accept(Arc::clone(&deployment), arguments.mode.into()) {
            Ok(accepted) => {
                print_diagnostics(&accepted, common, streams)?;
                finish(&engine, accepted, None, &mut report, common, streams)
            }
            Err(refused) => report.refused(refused, common, streams),
        }
    };
    let exit = run();
    report.write(&deployment, &sources, loader.compiler())?;
    exit
}

/// A report that may be wanted, and what it is to say.
struct Wanted<'w> {
    path: Option<&'w Path>,
    file: &'w Path,
    findings: Vec<Finding>,
    recorder: Option<Recorder>,
    failure: Option<EngineFailure>,
    record: Option<Value>,
    teller: Option<Teller>,
    /// What a server did.
    elsewhere: Vec<Ran>,
    /// When it did it.
    timeline: Option<Timeline>,
}

impl<'w> Wanted<'w> {
    fn new(arguments: &'w Arguments, file: &'w Path) -> Wanted<'w> {
        Wanted { path: arguments.report.as_deref(), file, teller: arguments.teller, ..Wanted::nothing() }
    }

    /// Nobody wants one.
    fn nothing() -> Wanted<'static> {
        Wanted {
            path: None,
            file: Path::new(""),
            findings: Vec::new(),
            recorder: None,
            failure: None,
            record: None,
            teller: None,
            elsewhere: Vec::new(),
            timeline: None,
        }
    }

    /// Loads the deployment; if that fails, the report says why.
    fn load(
        &mut self,
        loader: &Loader<'_>,
        arguments: &Arguments,
        common: &Common,
        streams: &mut Streams,
    ) -> Result<(Arc<Deployment>, Sources), Failure> {
        let unresolved = arguments.options.unresolved(Unresolved::Error);
        let mut reporter = Reporter::new(common, loader.compiler()).keeping(self.path.is_some());
        let around = Surroundings::Local(unresolved);
        let loaded = loader.deployment(self.file, around, &mut reporter, streams);
        self.findings = reporter.take_kept();
        if let (Err(Failure::Reported), Some(path)) = (&loaded, self.path) {
            let findings = std::mem::take(&mut self.findings);
            html::write(path, Told { title: self.title(), findings, ..Told::default() })?;
        }
        loaded
    }

    fn title(&self) -> String {
        input::display_name(self.file.as_os_str())
    }

    /// Notes why a deployment was not run, and says it.
    fn refused(&mut self, refused: NotRun, common: &Common, streams: &mut Streams) -> Result<Exit, Failure> {
        if let NotRun::Failure(failure) = &refused {
            self.failure = Some(failure.clone());
            if self.tell(streams)? {
                return Ok(Exit::Input);
            }
        }
        not_run(refused, common, streams)
    }

    /// Tells how it ended, if somebody else does that.
    fn tell(&self, streams: &mut Streams) -> Result<bool, Failure> {
        let Some(teller) = self.teller else { return Ok(false) };
        let ran = self.recorder.as_ref().map(Recorder::outermost);
        let steps = ran.as_deref().unwrap_or(&self.elsewhere);
        let outcome = Outcome { steps, failure: self.failure.as_ref(), record: self.record.as_ref() };
        streams.print(&teller(&outcome, streams.out_style == Style::Colour))?;
        Ok(true)
    }

    /// Notes how a deployment ended.
    fn ended(&mut self, ended: &Ended) {
        self.record = Some(ended.record.clone());
        if let End::Failed(failure) = &ended.end {
            self.failure = Some(failure.clone());
        }
    }

    /// Writes the report, if one is wanted.
    fn write(
        self,
        deployment: &Deployment,
        sources: &Sources,
        compiler: Option<&Compiler>,
    ) -> Result<(), Failure> {
        let Some(path) = self.path else { return Ok(()) };
        let told = Told {
            title: self.title(),
            sources: Some(sources),
            compiler,
            deployment: Some(deployment),
            failure: self.failure.as_ref(),
            recorder: self.recorder.as_ref(),
            timeline: self.timeline.as_ref(),
            record: self.record.as_ref(),
            findings: self.findings,
            verdict: None,
        };
        html::write(path, told)
    }
}

/// Prints the diagnostics of a deployment that is about to run.
fn print_diagnostics(accepted: &Accepted, common: &Common, streams: &mut Streams) -> Result<(), Failure> {
    if common.form() == Form::Text {
        for diagnostic in accepted.program.plan().diagnostics() {
            streams.print_error(&format!("{}\n", printable(&diagnostic.to_string())))?;
        }
    }
    Ok(())
}

/// Deploys to an endpoint, or resumes what was interrupted there. The state keeps the records.
fn on_endpoint(
    arguments: &Arguments,
    loader: Loader<'_>,
    settings: Settings,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, Failure> {
    if arguments.clock == Some(ClockOption::Virtual) || loader.script().is_some() {
        let message = "an endpoint takes its own time and speaks for itself; leave out `--clock virtual` and mocks with `provider`";
        return Err(Failure::Usage(message.to_owned()));
    }
    let (store, key) = arguments.place.state.open_with_key()?;
    let types = arguments.options.compile.engine_types(loader.compiler());
    let scope = loader.scope().cloned();
    let needs_scope = arguments.file.is_some();
    let cloud = arguments.endpoint.connect(
        &arguments.place.state,
        types,
        Arc::clone(&store),
        key.clone(),
        scope.as_ref(),
        needs_scope,
    );
    let mut report = match &arguments.file {
        Some(file) => Wanted::new(arguments, file),
        None => Wanted::nothing(),
    };
    let cloud = match cloud {
        Ok(cloud) => cloud,
        Err(NotThere::Failure(failure)) => return report.refused(NotRun::Failure(failure), common, streams),
        Err(NotThere::Unreachable(failure)) => return Err(failure),
    };
    let provider: Arc<dyn Provider> = Arc::<Endpoint>::clone(&cloud.endpoint);
    let engine = Engine { store, key, provider, settings, clock: Clock::Real };
    if arguments.file.is_none() {
        return resume(&engine, Some(&cloud.endpoint), arguments, common, streams);
    }
    let loader = loader.at(Some(&cloud));
    let (deployment, sources) = report.load(&loader, arguments, common, streams)?;
    let exit = match engine.accept(Arc::clone(&deployment), arguments.mode.into()) {
        Ok(accepted) => {
            print_diagnostics(&accepted, common, streams)?;
            finish(&engine, accepted, Some(&cloud.endpoint), &mut report, common, streams)
        }
        Err(refused) => report.refused(refused, common, streams),
    };
    report.write(&deployment, &sources, loader.compiler())?;
    exit
}

/// Deploys to a server. For people it is asked beforehand what would change, so that they are told what did.
fn on_server(
    remote: &Remote,
    deployment: &Arc<Deployment>,
    mode: Mode,
    report: &mut Wanted<'_>,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, Failure> {
    let is_told = common.form() == Form::Text && !common.quiet;
    let mut refused = |refused, streams: &mut Streams| match refused {
        Refused::Failure(failure) => report.refused(NotRun::Failure(failure), common, streams),
        Refused::Unreachable(failure) => Err(failure),
    };
    if let Err(failure) = remote.make_group(deployment) {
        return refused(failure, streams);
    }
    let predicted = if is_told {
        match remote.what_if(deployment, mode) {
            Ok(predicted) => Some(predicted),
            Err(failure) => return refused(failure, streams),
        }
    } else {
        None
    };
    let done = match remote.deploy(deployment, mode) {
        Ok(done) => done,
        Err(failure) => return refused(failure, streams),
    };
    let mut did =
        Did { steps: Counts::default(), changes: BTreeMap::new(), updated: 0, diagnostics: Vec::new() };
    if let Some(predicted) = predicted {
        for diagnostic in &predicted.diagnostics {
            streams.print_error(&format!("{}\n", printable(&diagnostic.to_string())))?;
        }
        (did.steps.failed, did.steps.not_started) = done.undone(deployment);
        did.steps.there = predicted.changes.iter().filter(|change| change.left_alone).count();
        did.changes = done.changes(&predicted);
        did.diagnostics = predicted.diagnostics;
    }
    report.ended(&done.ended);
    report.elsewhere = done.ran();
    report.timeline = Some(done.timeline);
    if report.tell(streams)? {
        return Ok(exit_of(&done.ended));
    }
    tell(&done.ended, &did, common, streams)
}

/// The clock that was asked for; a script is not waited for unless somebody wants to.
fn clock_of(arguments: &Arguments, scripted: bool) -> Clock {
    match arguments.clock {
        Some(ClockOption::Virtual) => Clock::Virtual,
        Some(ClockOption::Real) => Clock::Real,
        None if scripted => Clock::Virtual,
        None => Clock::Real,
    }
}

/// Resumes what was interrupted.
fn resume(
    engine: &Engine,
    endpoint: Option<&Endpoint>,
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, Failure> {
    let links = arguments.options.deployment.roots()?.links(None);
    let abandoned = match engine.cut_off(arguments.options.deployment.name.as_deref()) {
        Ok(abandoned) => abandoned,
        Err(refused) => return not_run(refused, common, streams),
    };
    if abandoned.is_empty() && common.form() == Form::Text && !common.quiet {
        streams.print("nothing was interrupted\n")?;
    }
    let mut exit = Exit::Fine;
    for run in abandoned {
        let ended = match engine.resume(run, &links) {
            Ok(accepted) => finish(engine, accepted, endpoint, &mut Wanted::nothing(), common, streams)?,
            Err(refused) => not_run(refused, common, streams)?,
        };
        exit = exit.max(ended);
    }
    Ok(exit)
}

/// Runs a deployment and says how it ended.
fn finish(
    engine: &Engine,
    accepted: Accepted,
    endpoint: Option<&Endpoint>,
    report: &mut Wanted<'_>,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, Failure> {
    let mut diagnostics = accepted.program.plan().diagnostics().to_vec();
    let mut steps = Steps::new(&accepted, streams, common);
    let is_recorded = report.path.is_some() || report.teller.is_some();
    let mut recorder = is_recorded.then(|| Recorder::new(&accepted));
    let tally = Arc::new(Tally::new(Arc::clone(&engine.provider), Arc::clone(&engine.store)));
    let counted = Engine {
        store: Arc::clone(&engine.store),
        key: engine.key.clone(),
        provider: Arc::<Tally>::clone(&tally),
        settings: engine.settings,
        clock: engine.clock,
    };
    // Who reads the record, or nothing, does not pay for counting.
    let is_told = common.form() == Form::Text && !common.quiet;
    let engine = if is_told && endpoint.is_none() { &counted } else { engine };
    let runtime = runtime::start()?;
    let (cancel, canceled) = unbounded_channel();
    let ended = runtime.block_on(async {
        let mut both = Both { first: &mut steps, second: recorder.as_mut() };
        let mut run = pin!(engine.run(accepted, canceled, &mut both));
        let mut stop = pin!(stopped(cancel, endpoint));
        let stopped = || Err(NotRun::State("stopped".to_owned()));
        poll_fn(|context| match run.as_mut().poll(context) {
            Poll::Ready(ended) => Poll::Ready(ended),
            Poll::Pending => stop.as_mut().poll(context).map(|()| stopped()),
        })
        .await
    });
    report.recorder = recorder;
    let counts = steps.finish();
    let inside = steps.diagnostics();
    if common.form() == Form::Text {
        for diagnostic in inside.iter().filter(|diagnostic| !diagnostics.contains(diagnostic)) {
            streams.print_error(&format!("{}\n", printable(&diagnostic.to_string())))?;
        }
    }
    add_new(&mut diagnostics, &inside);
    let mut did = Did { steps: counts, changes: tally.counts(), updated: 0, diagnostics };
    if let Some(endpoint) = endpoint {
        let counts = endpoint.counts();
        did.changes =
            BTreeMap::from([(ChangeKind::Create, counts.created), (ChangeKind::Delete, counts.deleted)]);
        did.updated = counts.updated;
        for (method, id) in endpoint.under_way() {
            streams.aside(&format!(
                "{}\n",
                printable(&format!("goes on at {}: {method} {id}", endpoint.origin()))
            ));
        }
    }
    match ended {
        Ok(ended) => {
            report.ended(&ended);
            if report.tell(streams)? {
                return Ok(exit_of(&ended));
            }
            tell(&ended, &did, common, streams)
        }
        // What was confirmed is there, and the deployment is as a killed process leaves it.
        Err(NotRun::State(message)) => Err(Failure::Environment(format!(
            "{message}; the deployment is interrupted, and `tendon deploy --resume` resumes it"
        ))),
        Err(refused @ NotRun::Failure(_)) => report.refused(refused, common, streams),
    }
}

/// Cancels at the first Ctrl-C, and ends at the second.
async fn stopped(cancel: UnboundedSender<()>, endpoint: Option<&Endpoint>) {
    let signal = || async {
        if tokio::signal::ctrl_c().await.is_err() {
            // Nobody can press it.
            std::future::pending::<()>().await;
        }
    };
    signal().await;
    let _ = cancel.send(());
    if let Some(endpoint) = endpoint {
        endpoint.cancel();
    }
    signal().await;
}

/// What a deployment did.
struct Did {
    steps: Counts,
    changes: BTreeMap<ChangeKind, usize>,
    /// How many resources of an endpoint were put that were there; it does not say whether they changed.
    updated: usize,
    /// What there was to say of it beforehand.
    diagnostics: Vec<Diagnostic>,
}

impl Did {
    /// What it did, in words.
    fn words(&self) -> String {
        let count = |kind: ChangeKind| self.changes.get(&kind).copied().unwrap_or(0);
        let parts = [
            (count(ChangeKind::Create), "created"),
            (count(ChangeKind::Modify), "changed"),
            (self.updated, "updated"),
            (count(ChangeKind::NoChange) + self.steps.there, "unchanged"),
            (count(ChangeKind::Delete), "deleted"),
            (self.steps.failed, "failed"),
            (self.steps.not_started, "not started"),
        ];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        if parts.is_empty() { "no resources".to_owned() } else { parts.join(", ") }
    }
}

/// The record of a deployment with what there was to say of it beforehand.
fn with_diagnostics(record: &Value, diagnostics: &[Diagnostic]) -> Value {
    if diagnostics.is_empty() {
        return record.clone();
    }
    let members = |value: &Value| -> Vec<_> {
        let members = value.as_object().into_iter().flatten();
        members.map(|(name, value)| (name.clone(), value.clone())).collect()
    };
    let whole = members(record).into_iter().map(|(name, value)| {
        if name != "properties" {
            return (name, value);
        }
        let mut properties = members(&value);
        properties.push((
            "diagnostics".into(),
            Value::array(diagnostics.iter().map(Diagnostic::to_value).collect()),
        ));
        (name, Value::object(properties))
    });
    Value::object(whole)
}

fn exit_of(ended: &Ended) -> Exit {
    if matches!(ended.end, End::Succeeded(_)) { Exit::Fine } else { Exit::Input }
}

fn tell(ended: &Ended, did: &Did, common: &Common, streams: &mut Streams) -> Result<Exit, Failure> {
    let exit = exit_of(ended);
    if common.form() == Form::Json {
        streams.print(&value_text(&with_diagnostics(&ended.record, &did.diagnostics)))?;
        return Ok(exit);
    }
    match &ended.end {
        End::Succeeded(_) => {
            if !common.quiet {
                streams.print(&summary(&ended.record, did, "succeeded"))?;
            }
        }
        End::Failed(failure) => {
            explain(failure, 0, &mut Allowance::default(), streams);
            if !common.quiet {
                streams.print(&summary(&ended.record, did, "failed"))?;
            }
        }
        End::Canceled => streams.print(&summary(&ended.record, did, "was canceled"))?,
        End::Lost => streams.complain("another process took the deployment over"),
    }
    Ok(exit)
}

/// The end of a deployment for people: what there is now, and its outputs.
fn summary(record: &Value, did: &Did, how: &str) -> String {
    let member = |value: &Value, name: &str| value.as_object().and_then(|object| object.get(name)).cloned();
    let text =
        |value: Option<Value>| value.and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default();
    let properties = member(record, "properties").unwrap_or(Value::Null);
    let duration = text(member(&properties, "duration"));
    let mut said = format!(
        "deployment {} {how} in {}: {}\n",
        printable(&text(member(record, "name"))),
        shown_duration(&duration),
        did.words()
    );
    let outputs = member(&properties, "outputs").unwrap_or(Value::Null);
    for (name, output) in outputs.as_object().into_iter().flatten() {
        let value = member(output, "value").map_or_else(|| "<secret>".to_owned(), |value| value.to_json());
        said.push_str(&format!("  {} = {}\n", printable(name), printable(&value)));
    }
    said
}

/// `PT1M2.500S` as people say it.
fn shown_duration(duration: &str) -> String {
    duration.trim_start_matches("PT").to_lowercase()
}

/// Prints an error and those behind it; deployments do not nest deep.
fn explain(failure: &EngineFailure, depth: usize, allowance: &mut Allowance, streams: &Streams) {
    let target = failure.target.as_deref().map(bound::name);
    let target = target.map_or_else(String::new, |target| format!(" ({target})"));
    let said = bound::message(&failure.message);
    let message = format!("{}{}: {said}{target}", "  ".repeat(depth), failure.code);
    if !allowance.take(message.len()) {
        return;
    }
    if depth == 0 {
        streams.complain(&message);
    } else {
        streams.aside(&format!("{}\n", printable(&message)));
    }
    for detail in &failure.details {
        explain(detail, depth + 1, allowance, streams);
    }
}

/// Says why a deployment was not run.
pub(super) fn not_run(refused: NotRun, common: &Common, streams: &mut Streams) -> Result<Exit, Failure> {
    match refused {
        NotRun::State(message) => Err(Failure::Environment(message)),
        NotRun::Failure(failure) => {
            if common.form() == Form::Json {
                streams.print(&value_text(&Value::object([("error", failure.to_value())])))?;
            } else {
                explain(&failure, 0, &mut Allowance::default(), streams);
            }
            Ok(Exit::Input)
        }
    }
}
