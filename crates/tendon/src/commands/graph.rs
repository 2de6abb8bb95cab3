//! `tendon graph`: a picture of what a deployment has, and of what depends on what.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arm::binding::StoredParameter;
use arm::budget::BudgetLimits;
use arm::deployment::{Deployment, DeploymentContext, Unresolved};
use arm::evaluate::Scope;
use arm::template::{Template, TemplateError, TemplateLimits};
use arm::{Caseless as _, ProvisioningState, Value};
use clap::ValueEnum;
use diagnostics::printable;
use engine::state::{self, EVERYTHING};
use engine::{DeploymentRecord, OperationRecord, StartError};
use graph::{Graph, GraphNodeKind, LayoutError, NoOrigins, ResourceOutcome, dot, json, mermaid, svg};
use store::{Status, Store};

use crate::common::{Common, Form};
use crate::compile::CompileOptions;
use crate::deploy::{ContextKind, DeploymentOptions, Loader, LoaderOptions, Reporter, SourceOrigins};
use crate::exit::{CommandError, Exit};
use crate::external_inputs::InputOptions;
use crate::input;
use crate::output::Streams;
use crate::output_file::OutputFile;
use crate::process_memory;
use crate::remote::{BackendOptions, Remote, TargetError};
use crate::report::value_text;

/// Draw the resources and modules of a deployment with their dependencies
///
/// Nothing is deployed and no parameter has to be given: what is made from parameters without a value is shown as an expression. Arrows
/// lead from what is deployed first to what depends on it, and say why: the property or output that is read, `id`, `parent`, or `dependsOn`. A
/// loop is one box with the number of its iterations, a module is a box around its resources.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A Bicep file, Bicep parameters or a template; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "kept")]
    file: Option<PathBuf>,

    /// Draw a deployment of the state, or of a server, instead of a file, with how its resources ended; `--scope` says which one, if several have the name
    #[arg(long = "deployment", id = "kept", value_name = "NAME", conflicts_with = "file")]
    kept: Option<String>,

    /// The format to write [default: that of the extension of `--outfile`, else `svg`]
    #[arg(long = "output-format", alias = "format", value_enum, value_name = "FORMAT")]
    format: Option<Format>,

    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    outfile: Option<PathBuf>,

    #[command(flatten)]
    place: BackendOptions,
    #[command(flatten)]
    deployment: DeploymentOptions,
    #[command(flatten)]
    compile: CompileOptions,
    #[command(flatten)]
    inputs: InputOptions,
}

/// The forms of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    // A picture for browsers and editors.
    Svg,
    // A flowchart for Markdown.
    Mermaid,
    // A graph for Graphviz.
    Dot,
    // Nodes and edges for other programs.
    Json,
}

const EXAMPLES: &str = "\
Examples:
  tendon graph main.bicep --outfile main.svg
  tendon graph prod.bicepparam --output-format mermaid
  tendon graph azuredeploy.json --parameters azuredeploy.parameters.json --outfile plan.svg
  tendon graph main.bicep --output-format dot | dot -Tpng > main.png
  tendon graph main.bicep --output-format json | jq '.edges[].reasons'
  tendon graph --deployment main --state ./state --outfile main.svg
  tendon graph --deployment main --server https://127.0.0.1:8443 --outfile main.svg";

/// Draws the file, or a deployment of the state.
pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let Some(file) = &arguments.file else {
        let (graph, errors) = stored_graph(arguments)?;
        return write_output(&graph, &errors, arguments, common, streams);
    };
    let files = [file.as_path()];
    let options = arguments.deployment.in_project(Some(file))?;
    let setup = LoaderOptions {
        // Resources have the names that the program calls them by.
        symbolic: true,
        inputs: arguments.inputs.given(),
        ..LoaderOptions::new(&options, &arguments.compile, &files)
    };
    let loader = Loader::new(setup, common, streams)?.leaving_open();
    let mut loaded = loader.load(file, ContextKind::Local(Unresolved::Keep));
    let mut reporter = Reporter::new(common, loader.compiler());
    reporter.findings(streams, loaded.take_compiled())?;
    loader.warn_of_unused_mocks(&loaded.sources, &reporter, streams)?;
    let name = input::display_name(file.as_os_str());
    let made = loaded.result.and_then(|deployment| {
        let origins = SourceOrigins::new(&loaded.sources, loader.compiler());
        Ok(graph::of(&name, &deployment, &origins)?)
    });
    match made {
        Ok((graph, errors)) => write_output(&graph, &errors, arguments, common, streams),
        Err(refused) => reporter.refuse(streams, &mut loaded.sources, refused),
    }
}

/// The graph of a deployment of the state, with how everything ended.
fn stored_graph(arguments: &Arguments) -> Result<(Graph, Vec<TemplateError>), CommandError> {
    let name = arguments.kept.as_deref().unwrap_or_default();
    let id = match arguments.deployment.scope()? {
        Some(scope) => format!("{}/providers/Microsoft.Resources/deployments/{name}", scope.id()),
        None => name.to_owned(),
    };
    if let Some(remote) = arguments.place.server()? {
        return kept_there(&remote, &id, name);
    }
    let store: Arc<dyn Store> = arguments.place.state.open()?;
    let refused = |refused: StartError| match refused {
        StartError::State(message) | StartError::Unavailable(message) => CommandError::Environment(message),
        StartError::Failure(failure) if failure.code == "AmbiguousName" => CommandError::Usage(format!(
            "several deployments are named `{name}`; say which one with `--scope`"
        )),
        StartError::Failure(failure) if failure.code == "NotFound" => CommandError::Input(failure.message),
        StartError::Failure(failure) => CommandError::Environment(failure.message),
    };
    let state::StateItem::Deployment(found) = state::find(&*store, &id, EVERYTHING).map_err(refused)? else {
        return Err(CommandError::Usage(format!("`{name}` is a resource, and no deployment")));
    };
    let Some(deployment) = state::deployed(&store, &found).map_err(refused)? else {
        let message =
            format!("`{name}` is a deployment inside another one; draw that one, which shows it as well");
        return Err(CommandError::Usage(message));
    };
    let (graph, errors) =
        graph::of(name, &deployment, &NoOrigins).map_err(|errors| not_drawn(name, errors))?;
    let ends = state::ends(&*store, &found).map_err(refused)?;
    Ok((marked(graph, ends, found.status == Status::Ended), errors))
}

fn not_drawn(name: &str, errors: Vec<TemplateError>) -> CommandError {
    let all = errors.iter().map(|error| error.message.fragment()).collect::<Vec<_>>();
    CommandError::Environment(format!("`{name}` cannot be drawn: {}", all.join("; ")))
}

/// The graph with how the resources ended, by id; in a deployment that has ended, the others were not started.
fn marked(mut graph: Graph, ends: Vec<(String, bool)>, has_ended: bool) -> Graph {
    let mut marks: BTreeMap<String, ResourceOutcome> = BTreeMap::new();
    if has_ended {
        let all = graph
            .nodes()
            .iter()
            .filter(|node| node.kind != GraphNodeKind::Existing)
            .flat_map(|node| &node.ids);
        marks.extend(all.map(|id| (id.caseless(), ResourceOutcome::NotStarted)));
    }
    for (id, succeeded) in ends {
        marks.insert(
            id.caseless(),
            if succeeded { ResourceOutcome::Succeeded } else { ResourceOutcome::Failed },
        );
    }
    graph.mark(&marks);
    graph
}

/// What the ids of deployments have before their names.
const DEPLOYMENTS: &str = "/providers/Microsoft.Resources/deployments/";

/// How many deployments inside of one are asked for.
const MOST_INSIDE: usize = 1_000;

/// The graph of a deployment that a server keeps. Parameters whose values it does not show are not known.
fn kept_there(remote: &Remote, id: &str, name: &str) -> Result<(Graph, Vec<TemplateError>), CommandError> {
    let refused = |refused: TargetError| match refused {
        TargetError::Unreachable(failure) => failure,
        TargetError::Failure(failure) if failure.code == "AmbiguousName" => CommandError::Usage(format!(
            "several deployments are named `{name}`; say which one with `--scope`"
        )),
        TargetError::Failure(failure) if failure.code.ends_with("NotFound") => {
            CommandError::Input(failure.message)
        }
        TargetError::Failure(failure) => CommandError::Environment(failure.message),
    };
    let found = remote.kept_item(id).map_err(refused)?;
    let scope = found.id.rsplit_once(DEPLOYMENTS).and_then(|(scope, _)| Scope::parse(scope));
    let Some(scope) = scope.filter(|_| found.is_deployment) else {
        return Err(CommandError::Usage(format!("`{name}` is a resource, and no deployment")));
    };
    let text = remote.template(&found.id).map_err(refused)?;
    let template = Template::read(text.as_str(), &TemplateLimits::default())
        .map_err(|errors| not_drawn(name, errors))?;
    let record = DeploymentRecord::from_rest(&found.body);
    let shown = record.parameters.as_ref();
    let kept = template.parameters.iter().map(|parameter| {
        let value = shown.and_then(|shown| member(shown, &[&parameter.name, "value"]));
        value.map_or(StoredParameter::Unknown, |value| StoredParameter::Value(value.clone()))
    });
    let kept = kept.collect();
    let location = record.location;
    let budget = process_memory::budgets(BudgetLimits::DEFAULT).account();
    let context = DeploymentContext {
        unresolved: Unresolved::Keep,
        location,
        budget,
        ..DeploymentContext::local(scope, name)
    };
    let deployment =
        Deployment::again(Arc::new(template), kept, context).map_err(|errors| not_drawn(name, errors))?;
    let (graph, errors) =
        graph::of(name, &deployment, &NoOrigins).map_err(|errors| not_drawn(name, errors))?;
    let has_ended = !found.is_active;
    let mut ends = Vec::new();
    let mut inside = vec![found];
    let mut asked = 0;
    while let Some(item) = inside.pop() {
        let operations = member(&item.body, &["operations"]).and_then(Value::as_array).unwrap_or_default();
        for operation in operations {
            let Some(operation) = member(operation, &["properties"]).map(OperationRecord::from_rest) else {
                continue;
            };
            let Some(target) = operation.target.as_ref().map(|target| target.id.as_str()) else { continue };
            ends.push((target.to_owned(), operation.state == ProvisioningState::Succeeded));
            if target.contains(DEPLOYMENTS) && asked < MOST_INSIDE {
                asked += 1;
                inside.extend(remote.kept_item(target).ok());
            }
        }
    }
    Ok((marked(graph, ends, has_ended), errors))
}

/// What is at the end of a way through a value.
fn member<'v>(value: &'v Value, way: &[&str]) -> Option<&'v Value> {
    way.iter().try_fold(value, |value, name| value.as_object()?.get(name))
}

/// Writes a picture to where it was asked for.
fn write_output(
    graph: &Graph,
    errors: &[TemplateError],
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    for error in errors {
        let message = format!("warning: a module is shown without its resources: {}", error.message);
        streams.aside(&format!("{}\n", printable(&message)));
    }
    let format = arguments.format.unwrap_or_else(|| match (common.form(), &arguments.outfile) {
        (Form::Json, None) => Format::Json,
        (_, outfile) => outfile.as_deref().map_or(Format::Svg, Format::of),
    });
    match (format.text(graph), &arguments.outfile) {
        (Ok(text), Some(path)) => {
            let shown = format!("`{}`", printable(&path.to_string_lossy()));
            OutputFile::at(path)
                .write(text.as_bytes())
                .map_err(|error| CommandError::writing(&shown, &error))?;
            if common.form() == Form::Json {
                let file = Value::text(path.to_string_lossy());
                streams.print_result(&value_text(&Value::object([("file", file)])))?;
            } else if !common.quiet {
                streams.print_error(&format!("wrote {shown}\n"))?;
            }
        }
        (Ok(text), None) if common.form() == Form::Json => match format {
            Format::Json => streams.print_result(&text)?,
            Format::Svg | Format::Mermaid | Format::Dot => {
                streams.print_result(&value_text(&Value::text(text)))?;
            }
        },
        (Ok(text), None) => streams.print(&text)?,
        (Err(error), _) => {
            return streams.reject(&format!(
                "{error}; `--output-format json` and `--output-format dot` have no such limit"
            ));
        }
    }
    Ok(Exit::Fine)
}

impl Format {
    /// What the name of a file says.
    pub(super) fn of(path: &Path) -> Format {
        match input::extension(path.as_os_str()).as_deref() {
            Some("mmd" | "mermaid") => Format::Mermaid,
            Some("dot" | "gv") => Format::Dot,
            Some("json") => Format::Json,
            Some(_) | None => Format::Svg,
        }
    }

    /// The text of a graph.
    pub(super) fn text(self, graph: &Graph) -> Result<String, LayoutError> {
        Ok(match self {
            Format::Svg => svg::svg(graph, &svg::SvgOptions::default())?,
            Format::Mermaid => mermaid::mermaid(graph),
            Format::Dot => dot::dot(graph),
            Format::Json => format!("{:#}\n", json::json(graph)),
        })
    }
}
