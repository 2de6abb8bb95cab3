//! `tendon what-if`: what a deployment would change.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use arm::Caseless as _;
use arm::deployment::{Deployment, Unresolved};
use diagnostics::printable;
use diagnostics::terminal::Style;
use engine::{ChangeKind, Failure, PlanDraft, PredictedChange, WhatIf};
use graph::GraphNode;

use super::deploy::{ModeOption, add_failure, not_run};
use super::graph::Format;
use crate::common::{Common, Form};
use crate::deploy::{
    ContextKind, FileOptions, Label, Loader, LoaderOptions, PredictionStyle, Reporter, ResourceNames,
    SourceOrigins, TargetArguments, TargetPurpose, TargetSetup, html_report, html_report::DeploymentReport,
    locate_failure, plan_files, prediction_summary, prediction_text, resource_names, write_plan,
};
use crate::exit::{CommandError, Exit};
use crate::local_state::TypeOptions;
use crate::output::Streams;
use crate::output_file::OutputFile;
use crate::remote::TargetError;
use crate::report::value_text;

/// Predict what a deployment would change
///
/// The deployment is run on a copy of the state that is thrown away, so that the prediction is what `deploy` does. Secrets are compared
/// without being shown. With `--endpoint`, the copy is made of what is there, and what the service adds to resources by itself is not a change.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A Bicep file, Bicep parameters or a template; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Exit with 4 if there are changes
    #[arg(long)]
    exit_code: bool,

    /// Draw the deployment to a file, with what is created, changed, kept and deleted; its extension says the form, as with `tendon graph`
    #[arg(long, value_name = "FILE.svg")]
    graph: Option<PathBuf>,

    /// Write the plan to a file, for `tendon deploy --plan FILE`; secrets in it are sealed with the key of the state
    #[arg(long, value_name = "FILE", conflicts_with = "graph")]
    out: Option<PathBuf>,

    /// Write a report to a file: what is created, changed, kept and deleted in a picture of the deployment, and errors with their lines
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,

    /// Keep resources of the group that are not in the template, or delete them
    #[arg(long, value_enum, value_name = "MODE", default_value_t)]
    mode: ModeOption,

    /// Do it again whenever a file that was read has changed, until it is interrupted
    #[arg(long)]
    pub(crate) watch: bool,

    #[command(flatten)]
    target: TargetArguments,
    #[command(flatten)]
    options: FileOptions,
    #[command(flatten)]
    types: TypeOptions,

    /// Who tells the changes; none if it is told as this command does.
    #[arg(skip)]
    teller: Option<ChangeFormatter>,
}

/// Makes a text of changes.
pub(crate) type ChangeFormatter = fn(&[PredictedChange], colour: bool) -> String;

impl Arguments {
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// The same in the place of the public command.
    pub(crate) fn in_public(self, teller: ChangeFormatter) -> Arguments {
        let options = self.options.with_public_arguments();
        Arguments { options, teller: Some(teller), ..self }
    }
}

const EXAMPLES: &str = "\
Examples:
  tendon what-if main.bicep --param name=shop
  tendon what-if main.bicepparam --exit-code -o json
  tendon what-if main.bicepparam --out shop.plan
  tendon what-if main.bicepparam --mode complete --graph changes.svg
  tendon what-if main.bicepparam --report changes.html
  tendon what-if main.bicep --server https://127.0.0.1:8443
  tendon what-if main.bicep --endpoint https://management.azure.com \\
    --scope /subscriptions/ID/resourceGroups/shop
  tendon what-if azuredeploy.json --parameters azuredeploy.parameters.json \\
    --scope /subscriptions/ID/resourceGroups/shop";

/// Predicts the deployment of the file.
pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    arguments.target.note_earlier(Some(&arguments.file), common, streams)?;
    let files = [arguments.file.as_path()];
    let own = arguments.options.in_project(Some(&arguments.file))?;
    let options = LoaderOptions {
        // In a picture, resources have the names that the program calls them by.
        symbolic: arguments.graph.is_some() || arguments.report.is_some(),
        ..own.loader_options(&files)
    };
    let loader = Loader::new(options, common, streams)?;
    let setup = TargetSetup {
        file: Some(&arguments.file),
        loader: &loader,
        compile: &arguments.options.compile,
        types: arguments.types,
        purpose: TargetPurpose::Prediction,
    };
    let target = match arguments.target.open(setup) {
        Ok(target) => target,
        Err(refused) => return not_run(refused, common, streams),
    };
    let around = ContextKind::At(&*target, arguments.options.unresolved(Unresolved::Error));
    let mut reporter = Reporter::new(common, loader.compiler()).keeping(arguments.report.is_some());
    let loaded = loader.deployment(&arguments.file, around, &mut reporter, streams);
    let title = crate::input::display_name(arguments.file.as_os_str());
    let told = DeploymentReport { title, findings: reporter.take_kept(), ..DeploymentReport::default() };
    let (deployment, sources) = match (loaded, &arguments.report) {
        (Err(CommandError::Reported), Some(path)) => {
            html_report::write(path, told)?;
            return Err(CommandError::Reported);
        }
        (loaded, _) => loaded?,
    };
    let draft = arguments.out.as_ref().map(|_| PlanDraft::new(&deployment, arguments.mode.into()));
    let locate = |failure: &mut Failure| locate_failure(failure, &deployment, &sources, loader.compiler());
    let predicted = match target.predict(&deployment, arguments.mode.into()) {
        Ok(mut predicted) => {
            predicted.failure.as_mut().map(locate);
            predicted
        }
        Err(TargetError::Failure(mut failure)) => {
            locate(&mut failure);
            return not_run(TargetError::Failure(failure), common, streams);
        }
        Err(refused) => return not_run(refused, common, streams),
    };
    draw(&predicted, &deployment, &SourceOrigins::new(&sources, loader.compiler()), arguments)?;
    if let Some(path) = &arguments.report {
        let told = DeploymentReport {
            sources: Some(&sources),
            compiler: loader.compiler(),
            deployment: Some(&deployment),
            failure: predicted.failure.as_ref(),
            changes: &predicted.changes,
            verdict: predicted.failure.is_none().then(|| prediction_summary(&predicted.changes)),
            ..told
        };
        html_report::write(path, told)?;
    }
    let names = || resource_names(&deployment, &sources, loader.compiler());
    let exit = print_prediction(&predicted, &names, arguments, common, streams)?;
    let (Some(out), Some(draft), None) = (&arguments.out, draft, &predicted.failure) else { return Ok(exit) };
    let files = plan_files(&arguments.file, &own.deployment);
    match write_plan(out, &files, &loader, &*target, draft, &predicted) {
        Ok(()) if common.quiet || common.form() == Form::Json => {}
        Ok(()) => {
            let note = format!("wrote the plan `{0}`: `tendon deploy --plan {0}` does it", out.display());
            streams.print_error(&format!("{}\n", printable(&note)))?;
        }
        Err(refused) => return not_run(refused, common, streams),
    }
    Ok(exit)
}

/// Draws what was predicted, if that is wanted.
fn draw(
    predicted: &WhatIf,
    deployment: &Deployment,
    origins: &SourceOrigins<'_>,
    arguments: &Arguments,
) -> Result<(), CommandError> {
    let Some(path) = &arguments.graph else { return Ok(()) };
    let failed = |why: String| CommandError::Environment(format!("there is no picture: {why}"));
    let title = crate::input::display_name(arguments.file.as_os_str());
    let (mut graph, _) = graph::of(&title, deployment, origins).map_err(|errors| {
        failed(errors.iter().map(|error| error.message.fragment()).collect::<Vec<_>>().join("; "))
    })?;
    graph.mark(&html_report::marks_of(&predicted.changes));
    let known: BTreeSet<String> =
        graph.nodes().iter().flat_map(|node| &node.ids).map(|id| id.caseless()).collect();
    let gone = predicted.changes.iter().filter(|change| change.kind == ChangeKind::Delete);
    let gone = gone.filter(|change| !known.contains(&change.id.caseless())).map(deleted);
    graph.add(gone).map_err(|error| failed(error.to_string()))?;
    let text = Format::of(path).text(&graph).map_err(|error| failed(error.to_string()))?;
    OutputFile::at(path)
        .write(text.as_bytes())
        .map_err(|error| CommandError::writing(&format!("`{}`", path.display()), &error))
}

/// A resource that the template does not name and that goes.
fn deleted(change: &PredictedChange) -> GraphNode {
    let label = Label::of(&change.id, None, true);
    let mut node = GraphNode::resource(label.name, label.kind);
    node.ids.push(change.id.clone());
    node.marks.insert(html_report::mark_of(change.kind), 1);
    node
}

/// Tells what was predicted.
fn print_prediction(
    predicted: &WhatIf,
    names: &dyn Fn() -> ResourceNames,
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    if common.form() == Form::Json {
        if let Some(failure) = &predicted.failure {
            add_failure(failure, streams)?;
        }
        streams.print_result(&value_text(&predicted.to_value()))?;
    } else {
        for diagnostic in &predicted.diagnostics {
            streams.print_error(&format!("{}\n", printable(&diagnostic.to_string())))?;
        }
        let colour = streams.out_style == Style::Colour;
        let text = match arguments.teller {
            Some(teller) => teller(&predicted.changes, colour),
            None => {
                let failed = predicted.failure.is_some();
                let style = PredictionStyle { verbose: common.verbose, colour, failed };
                prediction_text(&predicted.changes, &names(), style)
            }
        };
        streams.print(&text)?;
        if let Some(failure) = &predicted.failure {
            not_run(TargetError::Failure(failure.clone()), common, streams)?;
        }
    }
    Ok(match (&predicted.failure, arguments.exit_code && predicted.has_changes()) {
        (Some(_), _) => Exit::Input,
        (None, true) => Exit::Changes,
        (None, false) => Exit::Fine,
    })
}
