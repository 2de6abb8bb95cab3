//! `tendon validate`: whether a deployment would be accepted.

use std::path::PathBuf;
use std::sync::Arc;

use arm::Value;
use arm::deployment::{Deployment, DeploymentMode, Plan, Snapshot, Unresolved, snapshot};
use arm::template::TemplateError;

use super::deploy::not_run;
use crate::common::{Common, Form};
use crate::deploy::html_report::{self, DeploymentReport};
use crate::deploy::{
    ContextKind, FileOptions, Loader, Reporter, TargetArguments, TargetPurpose, TargetSetup,
};
use crate::exit::{CommandError, Exit};
use crate::input;
use crate::local_state::TypeOptions;
use crate::output::Streams;
use crate::remote::TargetError;
use crate::report::value_text;

/// Check whether a deployment would be accepted
///
/// The parameters are bound and checked against their types, the resources are expanded and ordered, and everything that can
/// be known before a deployment runs is evaluated, through all modules. All errors are reported at once. With `--endpoint`, `--server` or
/// `--state`, resources that the template only reads are looked up there, and the deployment is run on a copy, so that nothing is written.
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
    target: TargetArguments,
    #[command(flatten)]
    options: FileOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon validate main.bicep --param name=shop
  tendon validate main.bicepparam --limits azure
  tendon validate main.bicepparam --report validation.html
  tendon validate main.bicepparam -- --stage prod
  tendon validate main.bicep --server https://127.0.0.1:8443
  tendon validate main.bicep --endpoint https://management.azure.com \\
    --scope /subscriptions/ID/resourceGroups/shop
  tendon validate azuredeploy.json --parameters azuredeploy.parameters.json -o json";

pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let files = [arguments.file.as_path()];
    let options = arguments.options.in_project(Some(&arguments.file))?;
    let loader = Loader::new(options.loader_options(&files), common, streams)?;
    let setup = TargetSetup {
        file: Some(&arguments.file),
        loader: &loader,
        compile: &arguments.options.compile,
        types: TypeOptions::default(),
        purpose: TargetPurpose::Prediction,
    };
    let target = match arguments.target.open_if_meant(setup) {
        Ok(target) => target,
        Err(refused) => return not_run(refused, common, streams),
    };
    let unresolved = arguments.options.unresolved(Unresolved::Keep);
    let mut loaded = loader.load(
        &arguments.file,
        match &target {
            Some(target) => ContextKind::At(&**target, unresolved),
            None => ContextKind::Local(unresolved),
        },
    );
    let mut reporter = Reporter::new(common, loader.compiler()).keeping(arguments.report.is_some());
    reporter.findings(streams, loaded.take_compiled())?;
    reporter.warn(streams, &loaded.remarks)?;
    loader.warn_of_unused_mocks(&loaded.sources, &reporter, streams)?;
    let deployment = loaded.result.as_ref().ok().cloned();
    let result = loaded.result.and_then(|deployment| Ok(validate(deployment, unresolved)?));
    let result = match result {
        Ok(result) => Ok(result),
        Err(refused) => Err(reporter.refuse(streams, &mut loaded.sources, refused)?),
    };
    // What is there may refuse what is right by itself.
    let refused = match (&result, &target) {
        (Ok((plan, _)), Some(target)) => match target.predict(plan.deployment(), DeploymentMode::default()) {
            Ok(would) => would.failure,
            Err(TargetError::Failure(failure)) => Some(failure),
            // Whether it is valid nobody knows then.
            Err(TargetError::Unreachable(failure)) => return Err(failure),
        },
        (Ok(_) | Err(_), _) => None,
    };
    if let Some(path) = &arguments.report {
        let is_valid = result.is_ok() && refused.is_none();
        let told = DeploymentReport {
            title: input::display_name(arguments.file.as_os_str()),
            sources: Some(&loaded.sources),
            compiler: loader.compiler(),
            deployment: deployment.as_deref(),
            findings: reporter.take_kept(),
            failure: refused.as_ref(),
            verdict: Some(if is_valid { "valid" } else { "not valid" }.to_owned()),
            ..DeploymentReport::default()
        };
        html_report::write(path, told)?;
    }
    let (plan, predicted) = match result {
        Ok(result) => result,
        Err(exit) => return Ok(exit),
    };
    if let Some(refused) = refused {
        return not_run(TargetError::Failure(refused), common, streams);
    }
    if common.form() == Form::Json {
        streams.print_result(&value_text(&engine::validated(&plan, &predicted)))?;
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
