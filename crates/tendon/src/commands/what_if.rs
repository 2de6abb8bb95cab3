//! `tendon what-if`: what a deployment would change.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use arm::Caseless as _;
use arm::Value;
use arm::deployment::{Deployment, Unresolved};
use diagnostics::printable;
use diagnostics::terminal::Style;
use engine::{ChangeKind, Delta, PredictedChange, WhatIf};
use graph::GraphNode;

use super::deploy::{ModeOption, not_run};
use super::graph::Format;
use crate::common::{Common, Form};
use crate::deploy::{
    ContextKind, FileOptions, Label, Loader, LoaderOptions, Reporter, SourceOrigins, TargetArguments,
    TargetPurpose, TargetSetup, html_report,
};
use crate::exit::{CommandError, Exit};
use crate::local_state::TypeOptions;
use crate::output::Streams;
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

    /// What happens to resources of the group that are not in the template
    #[arg(long, value_enum, value_name = "MODE", default_value_t)]
    mode: ModeOption,

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
    /// The file.
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
  tendon what-if main.bicepparam --mode complete --graph changes.svg
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
    let files = [arguments.file.as_path()];
    let options = LoaderOptions {
        // In a picture, resources have the names that the program calls them by.
        symbolic: arguments.graph.is_some(),
        ..arguments.options.loader_options(&files)
    };
    let loader = Loader::new(options, common, streams)?;
    let setup = TargetSetup {
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
    let mut reporter = Reporter::new(common, loader.compiler());
    let (deployment, sources) = loader.deployment(&arguments.file, around, &mut reporter, streams)?;
    let predicted = match target.predict(&deployment, arguments.mode.into()) {
        Ok(predicted) => predicted,
        Err(refused) => return not_run(refused, common, streams),
    };
    draw(&predicted, &deployment, &SourceOrigins::new(&sources, loader.compiler()), arguments)?;
    print_prediction(&predicted, arguments, common, streams)
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
        failed(errors.into_iter().map(|error| error.message).collect::<Vec<_>>().join("; "))
    })?;
    graph.mark(&html_report::marks_of(&predicted.changes));
    let known: BTreeSet<String> =
        graph.nodes().iter().flat_map(|node| &node.ids).map(|id| id.caseless()).collect();
    let gone = predicted.changes.iter().filter(|change| change.kind == ChangeKind::Delete);
    let gone = gone.filter(|change| !known.contains(&change.id.caseless())).map(deleted);
    graph.add(gone).map_err(|error| failed(error.to_string()))?;
    let text = Format::of(path).text(&graph).map_err(|error| failed(error.to_string()))?;
    std::fs::write(path, text)
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
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    if common.form() == Form::Json {
        streams.print(&value_text(&predicted.to_value()))?;
    } else {
        for diagnostic in &predicted.diagnostics {
            streams.print_error(&format!("{}\n", printable(&diagnostic.to_string())))?;
        }
        let colour = streams.out_style == Style::Colour;
        let text = match arguments.teller {
            Some(teller) => teller(&predicted.changes, colour),
            None => shown(predicted, common, colour),
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

/// The changes for people: what stays as it is takes one line at the end, unless all is wanted.
fn shown(predicted: &WhatIf, common: &Common, colour: bool) -> String {
    let mut text = String::new();
    let mut quiet = [0usize; 2];
    for change in &predicted.changes {
        match change.kind {
            // That nothing is done is worth a line where the template says so.
            ChangeKind::NoChange if !common.verbose && !change.left_alone => quiet[0] += 1,
            ChangeKind::Ignore if !common.verbose => quiet[1] += 1,
            _ => resource(change, colour, &mut text),
        }
    }
    let count = |kind: ChangeKind| predicted.changes.iter().filter(|change| change.kind == kind).count();
    let parts: Vec<String> = [
        (count(ChangeKind::Create), "to create"),
        (count(ChangeKind::Modify), "to change"),
        (count(ChangeKind::Delete), "to delete"),
        (quiet[0], "unchanged"),
        (quiet[1], "not in the template"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| format!("{count} {what}"))
    .collect();
    text.push_str(&if parts.is_empty() {
        "nothing to do\n".to_owned()
    } else {
        format!("{}\n", parts.join(", "))
    });
    text
}

fn painted(kind: ChangeKind, line: &str, colour: bool) -> String {
    let code = match kind {
        ChangeKind::Create => "32",
        ChangeKind::Delete => "31",
        ChangeKind::Modify => "33",
        ChangeKind::NoChange | ChangeKind::Ignore => "2",
    };
    if colour { format!("\u{1b}[{code}m{line}\u{1b}[0m\n") } else { format!("{line}\n") }
}

fn resource(change: &PredictedChange, colour: bool, text: &mut String) {
    let options = change.options.join(", ");
    let options = if options.is_empty() { options } else { format!(" ({})", printable(&options)) };
    let line = format!("{} {}{options}", change.kind.sign(), printable(&change.id));
    text.push_str(&painted(change.kind, &line, colour));
    for delta in &change.delta {
        text.push_str(&property(delta, colour));
    }
}

fn property(delta: &Delta, colour: bool) -> String {
    let value = |value: &Value| printable(&value.to_json()).into_owned();
    let path = printable(&delta.path);
    let (kind, line) = match (&delta.before, &delta.after) {
        (None, Some(after)) => (ChangeKind::Create, format!("    + {path}: {}", value(after))),
        (Some(before), None) => (ChangeKind::Delete, format!("    - {path}: {}", value(before))),
        (Some(_), Some(_)) if delta.secret => (ChangeKind::Modify, format!("    ~ {path}: another secret")),
        (Some(before), Some(after)) => {
            (ChangeKind::Modify, format!("    ~ {path}: {} => {}", value(before), value(after)))
        }
        (None, None) => return String::new(),
    };
    painted(kind, &line, colour)
}
