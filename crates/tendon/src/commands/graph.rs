//! `tendon graph`: a picture of what a deployment has, and of what depends on what.

use std::path::{Path, PathBuf};

use arm::deployment::Unresolved;
use arm::template::TemplateError;
use clap::ValueEnum;
use diagnostics::printable;
use graph::{Graph, LayoutError, dot, json, mermaid, svg};

use crate::cli::{Common, Form};
use crate::compile::CompileOptions;
use crate::deploy::{DeploymentOptions, Loader, Refused, Reporter, SourceOrigins, Surroundings};
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
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// What to write [default: what the name of `--outfile` says, else `svg`]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,

    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    outfile: Option<PathBuf>,

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
  tendon graph main.bicep --format json | jq '.edges[].reasons'";

/// Draws the file.
pub(crate) fn run(arguments: &Arguments, common: &Common, streams: &mut Streams) -> Result<Exit, Failure> {
    let files = [arguments.file.as_path()];
    // Resources have the names that the program calls them by.
    let compile = arguments.compile.clone().with_symbolic_names();
    let loader = Loader::new(&arguments.deployment, &compile, files, common, streams)?.leaving_open();
    let mut loaded = loader.load(&arguments.file, Surroundings::Local(Unresolved::Keep));
    let mut reporter = Reporter::new(common, loader.compiler());
    reporter.findings(streams, std::mem::take(&mut loaded.compiled))?;
    let name = input::display_name(arguments.file.as_os_str());
    let made = loaded.result.and_then(|deployment| {
        let origins = SourceOrigins::new(&loaded.sources, loader.compiler());
        Ok(graph::of(&name, &deployment, &origins)?)
    });
    let (graph, errors) = match made {
        Ok(made) => made,
        Err(refused) => return reporter.refuse(streams, &mut loaded.sources, refused),
    };
    for error in &errors {
        let message = format!("warning: a module is shown without its resources: {}", error.message);
        streams.aside(&format!("{}\n", printable(&message)));
    }
    let format = arguments.format.unwrap_or_else(|| match (common.form(), &arguments.outfile) {
        (Form::Json, None) => Format::Json,
        (_, outfile) => outfile.as_deref().map_or(Format::Svg, Format::of),
    });
    let text = match format.text(&graph) {
        Ok(text) => text,
        Err(error) => return reporter.refuse(streams, &mut loaded.sources, not_drawn(error)),
    };
    write(&text, arguments.outfile.as_deref(), streams)?;
    Ok(Exit::Fine)
}

/// Why there is no picture.
pub(super) fn not_drawn(error: LayoutError) -> Refused {
    let error = TemplateError::invalid_template(error.to_string());
    vec![error.hint("`--format json` and `--format dot` have no such limit")].into()
}

/// Writes a text to a file, or to standard output.
pub(super) fn write(text: &str, outfile: Option<&Path>, streams: &mut Streams) -> Result<(), Failure> {
    match outfile {
        Some(path) => std::fs::write(path, text)
            .map_err(|error| Failure::writing(&format!("`{}`", path.display()), &error)),
        None => streams.print(text),
    }
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
