//! `tendon graph`: a picture of what a deployment has, and of what depends on what.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arm::deployment::Unresolved;
use arm::template::TemplateError;
use clap::ValueEnum;
use diagnostics::printable;
use engine::Refused as NotRun;
use engine::state::{self, EVERYTHING};
use graph::{Graph, Kind, LayoutError, Mark, NoOrigins, dot, json, mermaid, svg};
use store::{Status, Store};

use crate::cli::{Common, Form};
use crate::compile::CompileOptions;
use crate::deploy::{DeploymentOptions, Loader, Reporter, SourceOrigins, StateOptions, Surroundings};
use crate::exit::{Exit, Failure};
use crate::input;
use crate::output::Streams;

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

    /// Draw a deployment of the state instead of a file, with how its resources ended; `--scope` says which one, if several have the name
    #[arg(long = "deployment", id = "kept", value_name = "NAME", conflicts_with = "file")]
    kept: Option<String>,

    /// What to write [default: what the name of `--outfile` says, else `svg`]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,

    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    outfile: Option<PathBuf>,

    #[command(flatten)]
    state: StateOptions,
    #[command(flatten)]
    deployment: DeploymentOptions,
    #[command(flatten)]
    compile: CompileOptions,
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
  tendon graph prod.bicepparam --format mermaid
  tendon graph azuredeploy.json --parameters azuredeploy.parameters.json --outfile plan.svg
  tendon graph main.bicep --format dot | dot -Tpng > main.png
  tendon graph main.bicep --format json | jq '.edges[].reasons'
  tendon graph --deployment main --state ./state --outfile main.svg";

/// Draws the file, or a deployment of the state.
pub(crate) fn run(arguments: &Arguments, common: &Common, streams: &mut Streams) -> Result<Exit, Failure> {
    let Some(file) = &arguments.file else {
        let (graph, errors) = kept(arguments)?;
        return show(&graph, &errors, arguments, common, streams);
    };
    // Resources have the names that the program calls them by.
    let compile = arguments.compile.clone().with_symbolic_names();
    let files = [file.as_path()];
    let loader = Loader::new(&arguments.deployment, &compile, files, common, streams)?.leaving_open();
    let mut loaded = loader.load(file, Surroundings::Local(Unresolved::Keep));
    let mut reporter = Reporter::new(common, loader.compiler());
    reporter.findings(streams, std::mem::take(&mut loaded.compiled))?;
    let name = input::display_name(file.as_os_str());
    let made = loaded.result.and_then(|deployment| {
        let origins = SourceOrigins::new(&loaded.sources, loader.compiler());
        Ok(graph::of(&name, &deployment, &origins)?)
    });
    match made {
        Ok((graph, errors)) => show(&graph, &errors, arguments, common, streams),
        Err(refused) => reporter.refuse(streams, &mut loaded.sources, refused),
    }
}

/// The graph of a deployment of the state, with how everything ended.
fn kept(arguments: &Arguments) -> Result<(Graph, Vec<TemplateError>), Failure> {
    let name = arguments.kept.as_deref().unwrap_or_default();
    let id = match arguments.deployment.scope()? {
        Some(scope) => format!("{}/providers/Microsoft.Resources/deployments/{name}", scope.id()),
        None => name.to_owned(),
    };
    let store: Arc<dyn Store> = arguments.state.open()?;
    let refused = |refused: NotRun| match refused {
        NotRun::State(message) => Failure::Environment(message),
        NotRun::Failure(failure) if failure.code == "AmbiguousName" => {
            Failure::Usage(format!("several deployments are named `{name}`; say which one with `--scope`"))
        }
        NotRun::Failure(failure) => Failure::Environment(failure.message),
    };
    let state::Item::Deployment(found) = state::find(&*store, &id, EVERYTHING).map_err(refused)? else {
        return Err(Failure::Usage(format!("`{name}` is a resource, and no deployment")));
    };
    let Some(deployment) = state::deployed(&store, &found).map_err(refused)? else {
        let message =
            format!("`{name}` is a deployment inside another one; draw that one, which shows it as well");
        return Err(Failure::Usage(message));
    };
    let words = |errors: Vec<TemplateError>| {
        let all = errors.into_iter().map(|error| error.message).collect::<Vec<_>>();
        Failure::Environment(format!("`{name}` cannot be drawn: {}", all.join("; ")))
    };
    let (mut graph, errors) = graph::of(name, &deployment, &NoOrigins).map_err(words)?;
    let mut marks: BTreeMap<String, Mark> = BTreeMap::new();
    if found.status == Status::Ended {
        let all = graph.nodes().iter().filter(|node| node.kind != Kind::Existing).flat_map(|node| &node.ids);
        marks.extend(all.map(|id| (id.to_lowercase(), Mark::NotStarted)));
    }
    for (id, succeeded) in state::ends(&*store, &found).map_err(refused)? {
        marks.insert(id.to_lowercase(), if succeeded { Mark::Succeeded } else { Mark::Failed });
    }
    graph.mark(&marks);
    Ok((graph, errors))
}

/// Writes a picture to where it was asked for.
fn show(
    graph: &Graph,
    errors: &[TemplateError],
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, Failure> {
    for error in errors {
        let message = format!("warning: a module is shown without its resources: {}", error.message);
        streams.aside(&format!("{}\n", printable(&message)));
    }
    let format = arguments.format.unwrap_or_else(|| match (common.form(), &arguments.outfile) {
        (Form::Json, None) => Format::Json,
        (_, outfile) => outfile.as_deref().map_or(Format::Svg, Format::of),
    });
    match (format.text(graph), &arguments.outfile) {
        (Ok(text), Some(path)) => std::fs::write(path, text)
            .map_err(|error| Failure::writing(&format!("`{}`", path.display()), &error))?,
        (Ok(text), None) => streams.print(&text)?,
        (Err(error), _) => {
            streams.complain(&format!("{error}; `--format json` and `--format dot` have no such limit"));
            return Ok(Exit::Input);
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
            Format::Svg => svg::svg(graph, &svg::Options::default())?,
            Format::Mermaid => mermaid::mermaid(graph),
            Format::Dot => dot::dot(graph),
            Format::Json => format!("{:#}\n", json::json(graph)),
        })
    }
}
