//! `bicep snapshot`: what a deployment would make is kept beside its parameters file, or compared with what was kept.

use std::path::{Path, PathBuf};

use arm::Value;
use arm::deployment::{PartialContext, snapshot};
use clap::ValueEnum;
use diagnostics::printable;
use document::{Document, FileId, ReadLimits};

use super::{changes, diff_text};
use crate::common::Common;
use crate::compile::{self, CompileOptions, check_name};
use crate::deploy::{ContextKind, DeploymentOptions, Loader, LoaderOptions, Reporter};
use crate::exit::{CommandError, Exit};
use crate::files;
use crate::output::Streams;
use crate::output_file::OutputFile;

/// Write what a deployment would make, or compare it with what was written
///
/// The result is in NAME.snapshot.json, beside the parameters file. Only what is given is known of the target; what is not known stays an expression.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The parameters file
    #[arg(value_name = "FILE.bicepparam")]
    file: PathBuf,

    /// Write the file (overwrite), or say what differs from it (validate)
    #[arg(long, value_enum, value_name = "MODE", ignore_case = true, default_value_t)]
    mode: DropInSnapshotMode,

    /// The id of the tenant
    #[arg(long, value_name = "ID")]
    tenant_id: Option<String>,

    /// The id of the subscription
    #[arg(long, value_name = "ID")]
    subscription_id: Option<String>,

    /// The name of the management group
    #[arg(long, value_name = "NAME")]
    management_group_id: Option<String>,

    /// The location of the deployment, or of its resource group
    #[arg(long, value_name = "LOCATION")]
    location: Option<String>,

    /// The name of the resource group
    #[arg(long, value_name = "NAME")]
    resource_group: Option<String>,

    /// The name of the deployment
    #[arg(long, value_name = "NAME")]
    deployment_name: Option<String>,

    #[command(flatten)]
    compile: CompileOptions,
}

/// What becomes of the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum DropInSnapshotMode {
    // Written beside the file.
    #[default]
    Overwrite,
    // Compared with what is beside the file.
    Validate,
}

const EXAMPLES: &str = "\
Examples:
  bicep snapshot main.bicepparam
  bicep snapshot main.bicepparam --subscription-id ID --resource-group shop --location westeurope
  bicep snapshot main.bicepparam --mode validate --subscription-id ID --resource-group shop";

/// Predicts the deployment of a file.
pub(super) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let file = arguments.file.as_path();
    check_name(file, compile::SourceFilter::Parameters)?;
    let options = DeploymentOptions::default();
    let files = [file];
    let setup = LoaderOptions::new(&options, &arguments.compile, &files);
    let loader = Loader::new(setup, common, streams)?.knowing(arguments.known());
    let mut reporter = Reporter::new(common, loader.compiler());
    let (deployment, mut sources) =
        loader.deployment(file, ContextKind::Predicted, &mut reporter, streams)?;
    let predicted = match snapshot(deployment) {
        Ok(predicted) => predicted,
        Err(errors) => return Err(reporter.stop(streams, &mut sources, errors.into())),
    };
    if !predicted.diagnostics.is_empty() {
        let lines = predicted.diagnostics.iter().map(|it| format!("  {}\n", printable(&it.to_string())));
        let lines: String = lines.collect();
        streams.print_error(&format!("Warning: not everything could be predicted:\n{lines}"))?;
    }
    // The original ends the file without a line break.
    let text = arm::template_text::indented(predicted.to_json().view());
    let kept = file.with_extension("snapshot.json");
    let shown = printable(&kept.to_string_lossy()).into_owned();
    match arguments.mode {
        DropInSnapshotMode::Overwrite => {
            OutputFile::at(&kept)
                .write(text.as_bytes())
                .map_err(|error| CommandError::writing(&format!("`{shown}`"), &error))?;
            Ok(Exit::Fine)
        }
        DropInSnapshotMode::Validate => validate(&kept, &shown, text, streams),
    }
}

impl Arguments {
    fn known(&self) -> PartialContext {
        let text = |option: &Option<String>| option.as_deref().map(Into::into);
        PartialContext {
            tenant: text(&self.tenant_id),
            management_group: text(&self.management_group_id),
            subscription: text(&self.subscription_id),
            resource_group: text(&self.resource_group),
            deployment: text(&self.deployment_name),
            location: text(&self.location),
        }
    }
}

/// Says how the resources differ from those that were kept; outputs are not compared, as with the original.
fn validate(kept: &Path, shown: &str, text: String, streams: &mut Streams) -> Result<Exit, CommandError> {
    let bytes = files::read(kept).map_err(|unread| CommandError::unread(&format!("`{shown}`"), &unread))?;
    let before = resources(bytes).map_err(|why| CommandError::Environment(format!("`{shown}` {why}")))?;
    // What is compared is what would be written.
    let after =
        resources(text.into_bytes()).map_err(|why| CommandError::Environment(format!("the result {why}")))?;
    let items = |value: &Value| value.as_array().map(<[Value]>::to_vec).unwrap_or_default();
    let (before, after) = (items(&before), items(&after));
    let changes = changes::between(&before, &after);
    if changes.is_empty() {
        return Ok(Exit::Fine);
    }
    streams.print_error(&format!("Warning: the resources differ from those in `{shown}`:\n"))?;
    // The original writes colours also into files and pipes; the variable is for those who cannot use them.
    let colourful = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    streams.print(&diff_text::text(&changes, colourful))?;
    Ok(Exit::Input)
}

/// The resources of a snapshot; if there are none to read, why.
fn resources(text: Vec<u8>) -> Result<Value, String> {
    let document = Document::from_json(text, FileId::NONE, &ReadLimits::DEFAULT)
        .map_err(|error| format!("is not JSON: {error}"))?;
    let snapshot = Value::from_view(document.root()).map_err(|error| format!("cannot be read: {error}"))?;
    let resources = snapshot.as_object().and_then(|snapshot| snapshot.get("predictedResources"));
    match resources {
        Some(resources) if resources.as_array().is_some() => Ok(resources.clone()),
        _ => Err("is not a snapshot: it has no array `predictedResources`".to_owned()),
    }
}
