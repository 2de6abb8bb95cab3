//! `tendon deploy`: run a deployment.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arm::Value;
use arm::deployment::{Deployment, DeploymentMode, Unresolved, WhatIfDiagnostic};
use bicep::Compiler;
use clap::ValueEnum;
use diagnostics::terminal::Style;
use diagnostics::{duration_words, printable};
use engine::core::{MachineSettings, RunEnd};
use engine::{Clock, DeploymentRecord, DeploymentResult, Failure as EngineFailure};
use pages::DiagnosticView;
use server::{Recorder, StepSummary};

use crate::common::{Common, Form};
use crate::deploy::html_report::{self, DeploymentReport};
use crate::deploy::{
    ContextKind, DeploymentCounts, DeploymentOutcome, FileOptions, Loader, LoaderOptions, Reporter, RunView,
    Sources, Target, TargetArguments, TargetPurpose, TargetSetup, TemplateFile, failure_findings,
    locate_failure, open_plan, read_plan, resource_names,
};
use crate::exit::{CommandError, Exit};
use crate::input;
use crate::local_state::TypeOptions;
use crate::output::Streams;
use crate::output_file::OutputFile;
use crate::remote::{TargetError, Timeline};
use crate::report::{findings_text, value_text};

/// Deploy to the local engine, or to an ARM endpoint
///
/// The file is compiled, its parameters are bound and checked, and its resources are put in order and deployed to a state on
/// this machine. Nothing goes to a cloud, unless `--endpoint` names one: then its resources go there, and the state keeps the record. A step is durable before it is shown; `--resume` resumes what a killed process left.
/// Ctrl-C cancels: running steps end, and no new ones start. A second Ctrl-C stops at once.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A Bicep file, Bicep parameters or a template; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present_any = ["resume", "plan"])]
    file: Option<PathBuf>,

    /// Do what `tendon what-if --out FILE` planned, and nothing else: rejected if the files or the resources have changed since
    #[arg(long, value_name = "FILE", conflicts_with_all = ["file", "arguments", "resume", "mode", "parameters", "param", "scope", "location", "name", "mocks"])]
    plan: Option<PathBuf>,

    /// Resume the deployments that were interrupted, or the one that `--name` says
    #[arg(long, conflicts_with_all = ["file", "arguments"])]
    resume: bool,

    /// Keep resources of the group that are not in the template, or delete them
    #[arg(long, value_enum, value_name = "MODE", default_value_t)]
    mode: ModeOption,

    /// The largest number of resources that are deployed at the same time
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..))]
    parallel: u16,

    /// The clock of waits, real or virtual [default: `virtual` if the mocks have `provider`, else `real`]
    #[arg(long, value_enum, value_name = "CLOCK")]
    clock: Option<ClockOption>,

    /// Write a report to a file when it has ended: time line, graph, outputs and errors; secrets are not in it
    #[arg(long, value_name = "FILE.html", conflicts_with = "resume")]
    report: Option<PathBuf>,

    #[command(flatten)]
    target: TargetArguments,
    #[command(flatten)]
    options: FileOptions,
    #[command(flatten)]
    types: TypeOptions,

    /// Who tells how it ended; none if it is told as this command does.
    #[arg(skip)]
    teller: Option<DeploymentFormatter>,
}

/// How a deployment ended, for those who tell it in their own way.
pub(crate) struct DeploymentSummary<'o> {
    /// Its own steps, without what is inside modules.
    pub(crate) steps: &'o [StepSummary],
    pub(crate) failure: Option<&'o EngineFailure>,
    /// Its record, if it was run.
    pub(crate) record: Option<&'o DeploymentRecord>,
}

/// Makes a text of how a deployment ended.
pub(crate) type DeploymentFormatter = fn(&DeploymentSummary<'_>, colour: bool) -> String;

impl Arguments {
    /// The file, if one is named.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Whether it goes to the state on this machine.
    pub(crate) fn is_local(&self) -> Result<bool, CommandError> {
        self.target.is_local(self.file())
    }

    /// The same in the place of the public command.
    pub(crate) fn in_public(self, teller: DeploymentFormatter) -> Arguments {
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

impl From<ModeOption> for DeploymentMode {
    fn from(option: ModeOption) -> DeploymentMode {
        match option {
            ModeOption::Incremental => DeploymentMode::Incremental,
            ModeOption::Complete => DeploymentMode::Complete,
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

impl From<ClockOption> for Clock {
    fn from(option: ClockOption) -> Clock {
        match option {
            ClockOption::Real => Clock::Real,
            ClockOption::Virtual => Clock::Virtual,
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  tendon deploy main.bicep --param name=shop
  tendon deploy main.bicepparam --scope /subscriptions/ID/resourceGroups/shop -o json
  tendon deploy main.bicepparam -- --stage prod
  tendon deploy main.bicepparam --report deployment.html
  tendon deploy --plan shop.plan
  tendon deploy main.bicep --server https://127.0.0.1:8443
  tendon deploy main.bicep --endpoint https://management.azure.com \\
    --scope /subscriptions/ID/resourceGroups/shop
  tendon deploy --resume";

/// Deploys the file, or resumes what was interrupted.
pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    if let Some(plan) = &arguments.plan {
        return run_plan(plan, arguments, common, streams);
    }
    arguments.target.note_earlier(arguments.file(), common, streams)?;
    let files: Vec<&Path> = arguments.file().into_iter().collect();
    let options = arguments.options.in_project(arguments.file())?;
    let loader = Loader::new(options.loader_options(&files), common, streams)?;
    let setup = TargetSetup {
        file: arguments.file(),
        loader: &loader,
        compile: &arguments.options.compile,
        types: arguments.types,
        purpose: TargetPurpose::Deployment {
            settings: MachineSettings { parallel: arguments.parallel.into() },
            clock: arguments.clock.map(Clock::from),
            is_new: arguments.file.is_some(),
        },
    };
    let mut report = match arguments.file() {
        Some(file) => ReportBuilder::new(arguments, file),
        None => ReportBuilder::nothing(),
    };
    let target = match arguments.target.open(setup) {
        Ok(target) => target,
        Err(refused) => return report.refused(refused, common, streams),
    };
    if arguments.file.is_none() {
        return resume(&*target, arguments, common, streams);
    }
    let (deployment, sources) = report.load(&loader, &*target, arguments, common, streams)?;
    if loader.compiler().is_some() && target.is_simulated() {
        target.name_resources(&resource_names(&deployment, &sources, loader.compiler()));
    }
    report.check()?;
    let mut view = report.view(common);
    let mut outcome = target.deploy(&deployment, arguments.mode.into(), &mut view, streams);
    let locate = |failure: &mut EngineFailure| {
        locate_failure(failure, &deployment, &sources, loader.compiler());
    };
    match &mut outcome {
        Ok(DeploymentOutcome { ended, .. }) => {
            if let RunEnd::Failed(failure) = &mut ended.end {
                locate(failure);
                ended.record.error = Some(failure.clone());
            }
        }
        Err(TargetError::Failure(failure)) => locate(failure),
        Err(TargetError::Unreachable(_)) => {}
    }
    let exit = report.end(outcome, view, common, streams);
    report.write(&deployment, &sources, loader.compiler())?;
    exit
}

/// Does what was planned.
fn run_plan(
    plan: &Path,
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let (text, sources) = read_plan(plan)?;
    let paths: Vec<&Path> = sources.files.iter().map(Path::new).collect();
    let file = paths.first().copied();
    let (given, compile) = (&arguments.options.deployment, &arguments.options.compile);
    let options = LoaderOptions { symbolic: sources.symbolic, ..LoaderOptions::new(given, compile, &paths) };
    let loader = Loader::new(options, common, streams)?;
    let setup = TargetSetup {
        file,
        loader: &loader,
        compile,
        types: arguments.types,
        purpose: TargetPurpose::Deployment {
            settings: MachineSettings { parallel: arguments.parallel.into() },
            clock: arguments.clock.map(Clock::from),
            is_new: false,
        },
    };
    let mut report = ReportBuilder::new(arguments, file.unwrap_or(plan));
    let links = given.roots()?.links(file.and_then(TemplateFile::new).as_ref());
    let opened = arguments.target.open(setup).and_then(|target| {
        let plan = open_plan(&text, &links, &*target, &|path| loader.content(path))?;
        Ok((target, plan))
    });
    let (target, planned) = match opened {
        Ok(opened) => opened,
        Err(refused) => return report.refused(refused, common, streams),
    };
    report.check()?;
    let mut view = report.view(common);
    let outcome = target.deploy(&planned.deployment, planned.mode, &mut view, streams);
    let exit = report.end(outcome, view, common, streams);
    report.write(&planned.deployment, &Sources::default(), loader.compiler())?;
    exit
}

/// Resumes what was interrupted.
fn resume(
    target: &dyn Target,
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let links = arguments.options.deployment.roots()?.links(None);
    let interrupted = match target.interrupted(arguments.options.deployment.name.as_deref()) {
        Ok(interrupted) => interrupted,
        Err(refused) => return not_run(refused, common, streams),
    };
    if interrupted.is_empty() && common.form() == Form::Text && !common.quiet {
        streams.print("nothing was interrupted\n")?;
    }
    let mut exit = Exit::Fine;
    for run in interrupted {
        let mut report = ReportBuilder::nothing();
        let mut view = report.view(common);
        let outcome = target.resume(run, &links, &mut view, streams);
        exit = exit.max(report.end(outcome, view, common, streams)?);
    }
    Ok(exit)
}

/// A report that may be wanted, and what it is to say.
struct ReportBuilder<'w> {
    path: Option<&'w Path>,
    file: &'w Path,
    findings: Vec<DiagnosticView>,
    recorder: Option<Recorder>,
    failure: Option<EngineFailure>,
    record: Option<DeploymentRecord>,
    teller: Option<DeploymentFormatter>,
    /// What a server did.
    elsewhere: Vec<StepSummary>,
    /// When it did it.
    timeline: Option<Timeline>,
}

impl<'w> ReportBuilder<'w> {
    fn new(arguments: &'w Arguments, file: &'w Path) -> ReportBuilder<'w> {
        ReportBuilder {
            path: arguments.report.as_deref(),
            file,
            teller: arguments.teller,
            ..ReportBuilder::nothing()
        }
    }

    fn nothing() -> ReportBuilder<'static> {
        ReportBuilder {
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
        target: &dyn Target,
        arguments: &Arguments,
        common: &Common,
        streams: &mut Streams,
    ) -> Result<(Arc<Deployment>, Sources), CommandError> {
        let unresolved = arguments.options.unresolved(Unresolved::Error);
        let mut reporter = Reporter::new(common, loader.compiler()).keeping(self.path.is_some());
        let around = ContextKind::At(target, unresolved);
        let loaded = loader.deployment(self.file, around, &mut reporter, streams);
        self.findings = reporter.take_kept();
        if let (Err(CommandError::Reported), Some(path)) = (&loaded, self.path) {
            let findings = std::mem::take(&mut self.findings);
            html_report::write(
                path,
                DeploymentReport { title: self.title(), findings, ..DeploymentReport::default() },
            )?;
        }
        loaded
    }

    fn title(&self) -> String {
        input::display_name(self.file.as_os_str())
    }

    /// Notes why a deployment was not run, and says it.
    fn refused(
        &mut self,
        refused: TargetError,
        common: &Common,
        streams: &mut Streams,
    ) -> Result<Exit, CommandError> {
        if let TargetError::Failure(failure) = &refused {
            self.failure = Some(failure.clone());
            if self.print_with_formatter(streams)? {
                return Ok(Exit::Input);
            }
        }
        not_run(refused, common, streams)
    }

    /// Tells how it ended, if somebody else does that.
    fn print_with_formatter(&self, streams: &mut Streams) -> Result<bool, CommandError> {
        let Some(teller) = self.teller else { return Ok(false) };
        let ran = self.recorder.as_ref().map(Recorder::outermost);
        let steps = ran.as_deref().unwrap_or(&self.elsewhere);
        let outcome =
            DeploymentSummary { steps, failure: self.failure.as_ref(), record: self.record.as_ref() };
        streams.print(&teller(&outcome, streams.out_style == Style::Colour))?;
        Ok(true)
    }

    /// What is to be seen of the deployment while it runs.
    fn view<'v>(&self, common: &'v Common) -> RunView<'v> {
        RunView { common, is_recorded: self.path.is_some() || self.teller.is_some(), recorder: None }
    }

    /// Notes how a deployment ended, and tells it.
    fn end(
        &mut self,
        outcome: Result<DeploymentOutcome, TargetError>,
        view: RunView<'_>,
        common: &Common,
        streams: &mut Streams,
    ) -> Result<Exit, CommandError> {
        self.recorder = view.recorder;
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(refused) => return self.refused(refused, common, streams),
        };
        self.ended(&outcome.ended);
        self.elsewhere = outcome.elsewhere;
        self.timeline = outcome.timeline;
        if self.print_with_formatter(streams)? {
            return Ok(exit_of(&outcome.ended));
        }
        tell(&outcome.ended, &outcome.did, common, streams)
    }

    /// Notes how a deployment ended.
    fn ended(&mut self, ended: &DeploymentResult) {
        self.record = Some(ended.record.clone());
        if let RunEnd::Failed(failure) = &ended.end {
            self.failure = Some(failure.clone());
        }
    }

    /// Refuses a place for the report that cannot be written, before anything is deployed.
    fn check(&self) -> Result<(), CommandError> {
        let Some(path) = self.path else { return Ok(()) };
        OutputFile::at(path)
            .check()
            .map_err(|error| CommandError::writing(&format!("`{}`", path.display()), &error))
    }

    /// Writes the report, if one is wanted.
    fn write(
        self,
        deployment: &Deployment,
        sources: &Sources,
        compiler: Option<&Compiler>,
    ) -> Result<(), CommandError> {
        let Some(path) = self.path else { return Ok(()) };
        let told = DeploymentReport {
            title: self.title(),
            sources: Some(sources),
            compiler,
            deployment: Some(deployment),
            failure: self.failure.as_ref(),
            changes: &[],
            recorder: self.recorder.as_ref(),
            timeline: self.timeline.as_ref(),
            record: self.record.as_ref(),
            findings: self.findings,
            verdict: None,
        };
        html_report::write(path, told)
    }
}

/// The record of a deployment with what there was to say of it beforehand.
fn with_diagnostics(record: &Value, diagnostics: &[WhatIfDiagnostic]) -> Value {
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
            Value::array(diagnostics.iter().map(WhatIfDiagnostic::to_value).collect()),
        ));
        (name, Value::object(properties))
    });
    Value::object(whole)
}

fn exit_of(ended: &DeploymentResult) -> Exit {
    if matches!(ended.end, RunEnd::Succeeded(_)) { Exit::Fine } else { Exit::Input }
}

fn tell(
    ended: &DeploymentResult,
    did: &DeploymentCounts,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let exit = exit_of(ended);
    if common.form() == Form::Json {
        if let RunEnd::Failed(failure) = &ended.end {
            add_failure(failure, streams)?;
        }
        streams.print_result(&value_text(&with_diagnostics(&ended.record.to_rest(), &did.diagnostics)))?;
        return Ok(exit);
    }
    match &ended.end {
        RunEnd::Succeeded(_) => {
            if !common.quiet {
                streams.print(&summary(&ended.record, did, "succeeded"))?;
            }
        }
        RunEnd::Failed(failure) => {
            explain(failure, common, streams)?;
            if !common.quiet {
                streams.print(&summary(&ended.record, did, "failed"))?;
            }
        }
        RunEnd::Canceled => streams.print(&summary(&ended.record, did, "was canceled"))?,
        RunEnd::Lost => streams.report_error("another process took the deployment over"),
    }
    Ok(exit)
}

/// The end of a deployment for people: what there is now, and its outputs.
fn summary(record: &DeploymentRecord, did: &DeploymentCounts, how: &str) -> String {
    let duration = record.duration.map(duration_words).unwrap_or_default();
    let mut said = format!("deployment {} {how} in {}: {}\n", printable(&record.name), duration, did.words());
    for output in record.shown_outputs() {
        let value = output.value.map_or_else(|| "<secret>".to_owned(), Value::to_json);
        said.push_str(&format!("  {} = {}\n", printable(output.name), printable(&value)));
    }
    said
}

/// Prints an error and those behind it, each with its line, in the form for diagnostics.
pub(super) fn explain(
    failure: &EngineFailure,
    common: &Common,
    streams: &mut Streams,
) -> Result<(), CommandError> {
    let (sources, findings) = failure_findings(failure);
    let text = findings_text(common, streams.error_style, &sources, &findings)?;
    streams.print_error(&text)
}

/// Adds an error and those behind it to the findings of the JSON form.
pub(super) fn add_failure(failure: &EngineFailure, streams: &mut Streams) -> Result<(), CommandError> {
    let (sources, findings) = failure_findings(failure);
    streams.add_findings(&sources, &findings)
}

/// Says why a deployment was not run.
pub(super) fn not_run(
    refused: TargetError,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    match refused {
        TargetError::Unreachable(failure) => Err(failure),
        TargetError::Failure(failure) => {
            if common.form() == Form::Json {
                add_failure(&failure, streams)?;
                streams.print_result(&value_text(&Value::object([("error", failure.to_value())])))?;
            } else {
                explain(&failure, common, streams)?;
                // The findings are what is wrong; this is what follows from it.
                if failure.code == "InvalidTemplateDeployment" && !failure.details.is_empty() && !common.quiet
                {
                    streams.print_error(&format!("{}\n", printable(&failure.message)))?;
                }
            }
            Ok(Exit::Input)
        }
    }
}
