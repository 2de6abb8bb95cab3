//! `tendon validate`: whether a deployment would be accepted.

use std::path::PathBuf;
use std::sync::Arc;

use arm::Value;
use arm::deployment::{Deployment, Mode, Plan, Snapshot, Unresolved, snapshot};
use arm::template::TemplateError;
use engine::Refused;
use store::{Key, MemoryStore};

use super::deploy::not_run;
use crate::cli::{Common, Form};
use crate::cloud::{Cloud, EndpointOptions, NotThere};
use crate::deploy::html::{self, Told};
use crate::deploy::{FileOptions, Loader, Reporter, StateOptions, Surroundings};
use crate::exit::{Exit, Failure};
use crate::input;
use crate::output::Streams;
use crate::report::value_text;

/// Check whether a deployment would be accepted
///
/// The parameters are bound and checked against their types, the resources are expanded and ordered, and everything that can
/// be known before a deployment runs is evaluated, through all modules. All errors are reported at once. With `--endpoint`, resources
/// that the template only reads are looked up there, and the deployment is run on a copy, so that nothing is written.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A Bicep file, Bicep parameters or a template; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Write a report to a file: errors, grouped by rule, with the lines of value and rule, and the graph of the deployment
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,

    #[command(flatten)]
    endpoint: EndpointOptions,
    #[command(flatten)]
    options: FileOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon validate main.bicep --param name=shop
  tendon validate main.bicepparam --limits azure
  tendon validate main.bicepparam --report validation.html
  tendon validate main.bicepparam -- --stage prod
  tendon validate main.bicep --endpoint https://management.azure.com \\
    --scope /subscriptions/ID/resourceGroups/shop
  tendon validate azuredeploy.json --parameters azuredeploy.parameters.json -o json";

/// Validates the file.
pub(crate) fn run(arguments: &Arguments, common: &Common, streams: &mut Streams) -> Result<Exit, Failure> {
    let files = [arguments.file.as_path()];
    let loader = arguments.options.loader(files, common, streams)?;
    if !arguments.endpoint.is_meant(None)? {
        return on(None, loader, arguments, common, streams);
    }
    // Nothing of a prediction is kept, so that it needs no state.
    let (state, store) = (StateOptions::default(), Arc::new(MemoryStore::new()));
    let key = Key::random().map_err(|error| Failure::Environment(error.to_string()))?;
    let types = arguments.options.compile.engine_types(loader.compiler());
    let scope = loader.scope().cloned();
    match arguments.endpoint.connect(&state, types, store, key.clone(), scope.as_ref(), true) {
        Ok(cloud) => on(Some((&cloud, key)), loader.at(Some(&cloud)), arguments, common, streams),
        Err(NotThere::Failure(failure)) => not_run(Refused::Failure(failure), common, streams),
        Err(NotThere::Unreachable(failure)) => Err(failure),
    }
}

/// Validates the file, on what an endpoint has if one is named.
fn on(
    cloud: Option<(&Cloud, Key)>,
    loader: Loader<'_>,
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, Failure> {
    let unresolved = arguments.options.unresolved(Unresolved::Keep);
    let mut loaded = loader.load(&arguments.file, Surroundings::Local(unresolved));
    let mut reporter = Reporter::new(common, loader.compiler()).keeping(arguments.report.is_some());
    reporter.findings(streams, std::mem::take(&mut loaded.compiled))?;
    let deployment = loaded.result.as_ref().ok().cloned();
    let result = loaded.result.and_then(|deployment| Ok(validate(deployment, unresolved)?));
    let result = match result {
        Ok(result) => Ok(result),
        Err(refused) => Err(reporter.refuse(streams, &mut loaded.sources, refused)?),
    };
    // What is there may refuse what is right by itself.
    let refused = match (&result, cloud) {
        (Ok((plan, _)), Some((cloud, key))) => {
            let would = cloud.predict(key, Arc::clone(plan.deployment()), Mode::default())?;
            would.map_or_else(Some, |would| would.failure.map(Refused::Failure))
        }
        (Ok(_) | Err(_), _) => None,
    };
    if let Some(path) = &arguments.report {
        let failure = match &refused {
            Some(Refused::Failure(failure)) => Some(failure),
            // Whether it is valid nobody knows then.
            Some(Refused::State(message)) => return Err(Failure::Environment(message.clone())),
            None => None,
        };
        let is_valid = result.is_ok() && failure.is_none();
        let told = Told {
            title: input::display_name(arguments.file.as_os_str()),
            sources: Some(&loaded.sources),
            compiler: loader.compiler(),
            deployment: deployment.as_deref(),
            findings: reporter.take_kept(),
            failure,
            verdict: Some(if is_valid { "valid" } else { "not valid" }.to_owned()),
            ..Told::default()
        };
        html::write(path, told)?;
    }
    let (plan, predicted) = match result {
        Ok(result) => result,
        Err(exit) => return Ok(exit),
    };
    if let Some(refused) = refused {
        return not_run(refused, common, streams);
    }
    if common.form() == Form::Json {
        streams.print(&value_text(&engine::validated(&plan, &predicted)))?;
        return Ok(Exit::Fine);
    }
    for diagnostic in &predicted.diagnostics {
        streams.print_error(&format!("{}\n", diagnostics::printable(&diagnostic.to_string())))?;
    }
    if !common.quiet {
        let name = input::display_name(arguments.file.as_os_str());
        let count = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
        let resources = count(predicted.resources.len(), "resource");
        let outputs = count(predicted.outputs.len(), "output");
        streams.print(&format!("{} is valid: {resources}, {outputs}\n", diagnostics::printable(&name)))?;
        if let Some(later) = later(&predicted.unknown, common.verbose) {
            streams.print(&format!("{}\n", diagnostics::printable(&later)))?;
        }
    }
    if common.verbose {
        for resource in &predicted.resources {
            let id = resource.as_object().and_then(|resource| resource.get("id")).and_then(Value::as_str);
            streams.print(&format!("  {}\n", diagnostics::printable(id.unwrap_or_default())))?;
        }
    }
    Ok(Exit::Fine)
}

/// How many of the values that are checked later are named, unless all are wanted.
const NAMED: usize = 3;

/// What is said of values that only the deployment knows; nothing if there are none.
fn later(unknown: &[String], all: bool) -> Option<String> {
    let named = if all { unknown.len() } else { NAMED };
    let names = unknown.iter().take(named).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let rest = match unknown.len().saturating_sub(named) {
        0 => String::new(),
        rest => format!(" and {rest} more"),
    };
    match unknown.len() {
        0 => None,
        1 => Some(format!("{names} is checked when the deployment knows its value")),
        _ => Some(format!("{names}{rest} are checked when the deployment knows their values")),
    }
}

fn validate(
    deployment: Arc<Deployment>,
    unresolved: Unresolved,
) -> Result<(Plan, Snapshot), Vec<TemplateError>> {
    let plan = Plan::new(Arc::clone(&deployment))?;
    let predicted = snapshot(deployment)?;
    if unresolved == Unresolved::Error {
        predicted.complete()?;
    }
    Ok((plan, predicted))
}
