//! `tendon state`: what the engine keeps.

use std::path::PathBuf;

use arm::Value;
use diagnostics::printable;
use engine::records::parse;
use store::{BatchId, Commit, DeploymentKey, Outcome, Page, ResourceId, RunId, Status, Store, Write};

use crate::cli::{Common, Form};
use crate::deploy::StateOptions;
use crate::exit::{Exit, Failure};
use crate::output::Streams;
use crate::report::value_text;

/// Look at what the engine keeps, and take things out of it
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    #[command(after_help = LIST_EXAMPLES)]
    List(ListArguments),
    /// Show a deployment or a resource
    #[command(after_help = SHOW_EXAMPLES)]
    Show(NameArguments),
    /// Delete a deployment or a resource
    #[command(after_help = DELETE_EXAMPLES)]
    Delete(NameArguments),
    #[command(after_help = EXPORT_EXAMPLES)]
    Export(ExportArguments),
}

const LIST_EXAMPLES: &str = "\
Examples:
  tendon state list
  tendon state list --scope /subscriptions/ID/resourceGroups/shop
  tendon state list --state ./state -o json";

const SHOW_EXAMPLES: &str = "\
Examples:
  tendon state show main
  tendon state show /subscriptions/ID/resourceGroups/shop/providers/Microsoft.Storage/storageAccounts/a
  tendon state show main --state ./state";

const DELETE_EXAMPLES: &str = "\
Examples:
  tendon state delete main
  tendon state delete /subscriptions/ID/resourceGroups/shop/providers/Microsoft.Storage/storageAccounts/a
  tendon state delete main --state ./state";

const EXPORT_EXAMPLES: &str = "\
Examples:
  tendon state export
  tendon state export --outfile state.json
  tendon state export --state ./state | jq .resources";

/// List the deployments and resources
#[derive(Debug, clap::Args)]
pub(crate) struct ListArguments {
    /// Only what is below this id
    #[arg(long, value_name = "ID", default_value = "")]
    scope: String,
    #[command(flatten)]
    state: StateOptions,
}

/// Show or delete a deployment or a resource
#[derive(Debug, clap::Args)]
pub(crate) struct NameArguments {
    /// The id of a resource or deployment, or the name of a deployment
    #[arg(value_name = "ID")]
    id: String,
    #[command(flatten)]
    state: StateOptions,
}

/// Write everything as one JSON object
#[derive(Debug, clap::Args)]
pub(crate) struct ExportArguments {
    /// The file to write; standard output if it is left out
    #[arg(long, short = 'f', value_name = "FILE")]
    outfile: Option<PathBuf>,
    #[command(flatten)]
    state: StateOptions,
}

/// Runs a command.
pub(crate) fn run(command: &Command, common: &Common, streams: &mut Streams) -> Result<Exit, Failure> {
    match command {
        Command::List(arguments) => list(arguments, common, streams),
        Command::Show(arguments) => show(arguments, streams),
        Command::Delete(arguments) => delete(arguments, common, streams),
        Command::Export(arguments) => export(arguments, streams),
    }
}

fn broken(error: impl std::fmt::Display) -> Failure {
    Failure::Environment(error.to_string())
}

/// The body of a kept resource, as its provider shows it.
fn body_of(text: &str) -> Result<Value, Failure> {
    let kept = parse(text).map_err(broken)?;
    Ok(kept.as_object().and_then(|kept| kept.get("body")).cloned().unwrap_or(Value::Null))
}

fn text<'v>(value: &'v Value, path: &[&str]) -> &'v str {
    let found = path.iter().try_fold(value, |value, name| value.as_object()?.get(name));
    found.and_then(Value::as_str).unwrap_or_default()
}

/// Everything that is kept below an id.
fn everything(store: &dyn Store, below: &str) -> Result<(Vec<Value>, Vec<Value>), Failure> {
    let below_key = below.to_lowercase();
    let deployments = store.deployments(None, Page::ALL).map_err(broken)?;
    let deployments = deployments.into_iter().filter(|it| it.key.scope().starts_with(&below_key));
    let deployments = deployments.map(|it| parse(&it.body).map_err(broken)).collect::<Result<_, _>>()?;
    let resources = store.resources(below, Page::ALL).map_err(broken)?;
    // Ids begin with a slash; what else is kept is the server's.
    let resources = resources
        .iter()
        .filter(|resource| resource.id.starts_with('/'))
        .map(|resource| body_of(&resource.body))
        .collect::<Result<_, _>>()?;
    Ok((deployments, resources))
}

fn list(arguments: &ListArguments, common: &Common, streams: &mut Streams) -> Result<Exit, Failure> {
    let store = arguments.state.open()?;
    let (deployments, resources) = everything(&*store, &arguments.scope)?;
    if common.form() == Form::Json {
        let all = Value::object([
            ("deployments", Value::array(deployments)),
            ("resources", Value::array(resources)),
        ]);
        streams.print(&value_text(&all))?;
        return Ok(Exit::Fine);
    }
    for deployment in &deployments {
        let state = text(deployment, &["properties", "provisioningState"]);
        let line = format!("deployment  {state:<10}  {}", text(deployment, &["id"]));
        streams.print(&format!("{}\n", printable(&line)))?;
    }
    for resource in &resources {
        streams.print(&format!("resource    {}\n", printable(text(resource, &["id"]))))?;
    }
    if deployments.is_empty() && resources.is_empty() && !common.quiet {
        streams.print("nothing is kept here\n")?;
    }
    Ok(Exit::Fine)
}

/// What an argument names.
enum Named {
    Deployment(Box<store::Deployment>),
    Resource(store::Resource),
}

const DEPLOYMENTS: &str = "/providers/microsoft.resources/deployments/";

fn find(store: &dyn Store, id: &str) -> Result<Named, Failure> {
    let resource = store.resource(&ResourceId::new(id)).map_err(broken)?;
    if let Some(resource) = resource.filter(|resource| resource.id.starts_with('/')) {
        return Ok(Named::Resource(resource));
    }
    let lower = id.to_lowercase();
    if let Some((scope, name)) = lower.rsplit_once(DEPLOYMENTS)
        && let Some(found) = store.deployment(&DeploymentKey::new(scope, name)).map_err(broken)?
    {
        return Ok(Named::Deployment(Box::new(found)));
    }
    let all = store.deployments(None, Page::ALL).map_err(broken)?;
    let mut named: Vec<_> = all.into_iter().filter(|it| it.key.name() == lower).collect();
    match (named.pop(), named.len()) {
        (Some(found), 0) => Ok(Named::Deployment(Box::new(found))),
        (Some(_), _) => {
            Err(Failure::Usage(format!("several deployments are named `{id}`; give the whole id of one")))
        }
        (None, _) => Err(Failure::Environment(format!(
            "nothing of the name or id `{id}` is kept; `tendon state list` says what is"
        ))),
    }
}

/// A deployment with what was done for it.
fn with_operations(store: &dyn Store, deployment: &store::Deployment) -> Result<Value, Failure> {
    let record = parse(&deployment.body).map_err(broken)?;
    let operations = store.operations(deployment.run, Page::ALL).map_err(broken)?;
    let operation = |operation: &store::Operation| {
        let number = format!("{:08X}", operation.number);
        Ok(Value::object([
            ("operationId", Value::text(number)),
            ("properties", parse(&operation.body).map_err(broken)?),
        ]))
    };
    let operations = operations.iter().map(operation).collect::<Result<Vec<_>, Failure>>()?;
    let members = record.as_object().into_iter().flatten().cloned();
    Ok(Value::object(members.chain([("operations".into(), Value::array(operations))])))
}

fn show(arguments: &NameArguments, streams: &mut Streams) -> Result<Exit, Failure> {
    let store = arguments.state.open()?;
    let shown = match find(&*store, &arguments.id)? {
        Named::Resource(resource) => body_of(&resource.body)?,
        Named::Deployment(deployment) => with_operations(&*store, &deployment)?,
    };
    streams.print(&value_text(&shown))?;
    Ok(Exit::Fine)
}

fn delete(arguments: &NameArguments, common: &Common, streams: &mut Streams) -> Result<Exit, Failure> {
    let store = arguments.state.open()?;
    let (write, what) = match find(&*store, &arguments.id)? {
        Named::Resource(resource) => {
            (Write::DeleteResource(ResourceId::new(&resource.id)), format!("resource {}", resource.id))
        }
        Named::Deployment(deployment) if deployment.status == Status::Active => {
            let name = deployment.key.name();
            let message = format!(
                "the deployment `{name}` is under way; wait for it, or take it up with `tendon deploy --resume`"
            );
            return Err(Failure::Environment(message));
        }
        Named::Deployment(deployment) => {
            let what = format!("deployment {}", deployment.key.name());
            (Write::DeleteDeployment(deployment.key), what)
        }
    };
    let id = BatchId { run: fresh_run()?, number: 0 };
    let commit = Commit { id, fence: None, conditions: Vec::new(), writes: vec![write] };
    match store.commit(&[commit]).pop() {
        Some(Outcome::Committed) => {}
        other => return Err(Failure::Environment(format!("the state was not written: {other:?}"))),
    }
    if !common.quiet {
        streams.print(&format!("deleted {}\n", printable(&what)))?;
    }
    Ok(Exit::Fine)
}

/// The name of a batch that no deployment has.
fn fresh_run() -> Result<RunId, Failure> {
    let key = store::Key::random().map_err(broken)?;
    let bytes = key.derive("batch", b"").map_err(broken)?;
    Ok(RunId(u128::from_be_bytes(bytes.first_chunk().copied().unwrap_or_default())))
}

fn export(arguments: &ExportArguments, streams: &mut Streams) -> Result<Exit, Failure> {
    let store = arguments.state.open()?;
    let (_, resources) = everything(&*store, "")?;
    let deployments = store.deployments(None, Page::ALL).map_err(broken)?;
    let deployments = deployments.iter().map(|it| with_operations(&*store, it)).collect::<Result<_, _>>()?;
    let all =
        Value::object([("deployments", Value::array(deployments)), ("resources", Value::array(resources))]);
    let text = value_text(&all);
    match &arguments.outfile {
        None => streams.print(&text)?,
        Some(file) => std::fs::write(file, text)
            .map_err(|error| Failure::writing(&format!("`{}`", file.display()), &error))?,
    }
    Ok(Exit::Fine)
}
