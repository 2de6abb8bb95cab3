//! `tendon resource-type validate`: what is wrong with manifests, before anything is called.

use diagnostics::{Diagnostic, Severity, SourceMap, Summary};
use radius::{Manifest, ResourceType, RuleStage};
use serde::Serialize;

use crate::common::{Common, Form};
use crate::exit::{CommandError, Exit};
use crate::manifests::{ManifestOptions, Manifests};
use crate::output::Streams;
use crate::report;

/// Check manifests of resource types
///
/// Prints all diagnostics in the order of the text, each with its line and JSON pointer. Nothing is sent or stored.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Only this type; the whole manifest is still checked
    #[arg(value_name = "TYPE")]
    resource_type: Option<String>,

    #[command(flatten)]
    manifests: ManifestOptions,

    /// Also report hints: missing descriptions, formats that are not checked
    #[arg(long)]
    hints: bool,
}

const EXAMPLES: &str = "\
Examples:
  tendon resource-type validate -f types.yaml
  tendon resource-type validate -f types.yaml postgresDatabases -o json
  tendon resource-type validate -f data.yaml -f compute.yaml --dialect radius
  tendon resource-type validate -f types.yaml --diagnostics-format sarif > findings.sarif";

pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let mut sources = SourceMap::new();
    let Manifests { manifests, mut findings, .. } =
        arguments.manifests.read(RuleStage::Author, &mut sources)?;
    if !arguments.hints {
        findings.retain(|finding| finding.severity != Severity::Info);
    }
    let failed = findings.iter().any(Diagnostic::is_error);
    let only = arguments.resource_type.as_deref();
    let types = manifests.iter().flat_map(|manifest| manifest.named(only).map(move |it| (manifest, it)));
    let types: Vec<(&Manifest, &ResourceType)> = types.collect();
    if let (Some(wanted), false, true) = (only, failed, types.is_empty()) {
        findings.push(unknown(wanted, &manifests));
    }
    let failed = failed || findings.iter().any(Diagnostic::is_error);
    match common.form() {
        Form::Json => {
            streams.add_findings(&sources, &findings)?;
            streams.print_result(&report::json_text(&ValidationOutput {
                valid: !failed,
                types: types.iter().flat_map(|(manifest, it)| versions(manifest, it)).collect(),
            })?)?;
        }
        Form::Text | Form::Findings(_) => {
            report::print_findings(common, streams, &sources, &findings)?;
        }
    }
    if common.form() == Form::Text && !common.quiet {
        if !findings.is_empty() {
            streams.print(&format!("{}\n", Summary::of(&findings)))?;
        }
        if !failed {
            for (manifest, it) in types {
                for name in versions(manifest, it) {
                    streams.print(&format!("{name} valid\n"))?;
                }
            }
        }
    }
    Ok(if failed { Exit::Input } else { Exit::Fine })
}

/// The result as one JSON value.
#[derive(Serialize)]
struct ValidationOutput {
    valid: bool,
    types: Vec<String>,
}

/// The full names of the versions of a type.
fn versions(manifest: &Manifest, resource_type: &ResourceType) -> Vec<String> {
    let name = manifest.full_name(resource_type);
    resource_type.versions.iter().map(|version| format!("{name}@{}", version.name)).collect()
}

fn unknown(wanted: &str, manifests: &[Manifest]) -> Diagnostic {
    let names = manifests.iter().flat_map(|manifest| manifest.types.iter().map(|it| &*it.name));
    let near = diagnostics::suggest(wanted, names).map(|near| format!("did you mean `{near}`?"));
    Diagnostic::error("radius/unknown-type", format!("there is no type `{wanted}` in the manifest"))
        .maybe_help(near)
}
