//! `tendon resource-type create` and `update`: types into the registry.

use diagnostics::{Diagnostic, FileId, Severity, SourceMap};
use document::Document;
use radius::RuleStage;
use radius::registry::RegistryError;

use super::registry::{self, BackendError, failure};
use crate::common::{Common, Form};
use crate::exit::{CommandError, Exit};
use crate::manifests::{ManifestOptions, Manifests, findings};
use crate::output::Streams;
use crate::remote::BackendOptions;
use crate::report;

/// Register resource types from manifests
///
/// Checks the manifests first; the registry checks them again before it stores anything. An existing type gets the new versions. A changed
/// version is refused if resources of its type would break it.
#[derive(Debug, clap::Args)]
#[command(after_help = CREATE_EXAMPLES)]
pub(crate) struct Arguments {
    /// The type to register [default: all types of the manifests]
    #[arg(value_name = "TYPE")]
    resource_type: Option<String>,

    #[command(flatten)]
    manifests: ManifestOptions,

    /// Change versions even if resources of their types would break them
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    place: BackendOptions,
}

const CREATE_EXAMPLES: &str = "\
Examples:
  tendon resource-type create -f types.yaml
  tendon resource-type create postgresDatabases -f types.yaml --state ./state
  tendon resource-type update -f types.yaml --force
  tendon resource-type create -f types.yaml --server https://127.0.0.1:8443
  tendon resource-type create -f data.yaml -f compute.yaml -o json";

/// Registers, or changes what is registered.
pub(crate) fn run(
    arguments: &Arguments,
    update: bool,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let mut sources = SourceMap::new();
    let Manifests { documents, manifests, findings: mut found } =
        arguments.manifests.read(RuleStage::Registry, &mut sources)?;
    found.retain(|finding| finding.severity != Severity::Info);
    report_unless_json(common, streams, &sources, &found)?;
    if found.iter().any(Diagnostic::is_error) {
        return Ok(Exit::Input);
    }
    let only = arguments.resource_type.as_deref();
    let registry = registry::open(&arguments.place)?;
    // A type that is named is in one of the files.
    let chosen: Vec<_> = documents
        .iter()
        .zip(&manifests)
        .filter(|(_, manifest)| only.is_none() || manifest.named(only).next().is_some())
        .collect();
    if let (Some(only), true) = (only, chosen.is_empty()) {
        return streams.reject(&format!("there is no type `{only}` in the manifest"));
    }
    if update {
        for (_, manifest) in &chosen {
            for name in manifest.named(only).map(|it| manifest.full_name(it)) {
                if let Err(error) = registry.known(&name) {
                    return failure(error, streams);
                }
            }
        }
    }
    let chosen: Vec<&Document> = chosen.into_iter().map(|(document, _)| document).collect();
    let done = match registry.register(&chosen, only, arguments.manifests.dialect(), arguments.force) {
        Ok(registered) => registered,
        // What the registry reads it has been given, so that its places are those of the sources.
        Err(BackendError::Registry(RegistryError::Manifest(read))) => {
            let file = chosen.first().map_or(FileId::FIRST, |document| document.file());
            report::print_findings(common, streams, &sources, &findings(&read, file))?;
            return Ok(Exit::Input);
        }
        Err(error) => return failure(error, streams),
    };
    for it in done.iter().filter(|it| !it.broken.is_empty()) {
        let (name, count) = (&it.name, it.broken.len());
        streams.print_error(&format!(
            "warning: the change of `{name}` leaves {count} of its resources broken\n"
        ))?;
        registry::print_broken(&it.broken, streams)?;
    }
    let names: Vec<&str> = done.iter().map(|it| it.name.as_str()).collect();
    match common.form() {
        Form::Json => streams.print_result(&report::json_text(&names)?)?,
        Form::Text | Form::Findings(_) if common.quiet => {}
        Form::Text | Form::Findings(_) => {
            let verb = if update { "updated" } else { "created" };
            names.iter().try_for_each(|name| streams.print(&format!("{name} {verb}\n")))?;
        }
    }
    Ok(Exit::Fine)
}

/// Findings in their form; where the result is JSON, only errors take its place.
fn report_unless_json(
    common: &Common,
    streams: &mut Streams,
    sources: &SourceMap,
    found: &[Diagnostic],
) -> Result<(), CommandError> {
    let failed = found.iter().any(Diagnostic::is_error);
    if found.is_empty() || (common.form() == Form::Json && !failed) {
        return Ok(());
    }
    report::print_findings(common, streams, sources, found)
}
