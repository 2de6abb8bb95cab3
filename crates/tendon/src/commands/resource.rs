//! `tendon resource`: resources of registered types.

use std::ffi::OsString;

use contract::findings::LocatedViolation;
use contract::{Constant, Violation};
use diagnostics::{Diagnostic, SourceMap, Span, printable};
use document::Document;
use document::findings::without_words;
use radius::registry::{PutResource, Registry, RegistryError, StoredResource};
use radius::{DUPLICATE_MEMBER, Purpose};

use super::resource_type::registry::{self, BackendError, failure, table};
use crate::common::{Common, Form};
use crate::exit::{CommandError, Exit};
use crate::input::{self, Format, Unread};
use crate::output::Streams;
use crate::remote::BackendOptions;
use crate::report;

/// Create, show, list and delete resources of registered types
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Create(CreateArguments),
    Show(NameArguments),
    List(ListArguments),
    Delete(DeleteArguments),
}

/// Create or replace a resource after checking it against its type
#[derive(Debug, clap::Args)]
#[command(after_help = CREATE_EXAMPLES)]
pub(crate) struct CreateArguments {
    /// The type, as `Namespace/type`
    #[arg(value_name = "TYPE")]
    type_name: String,
    /// The name of the resource
    #[arg(value_name = "NAME")]
    name: String,
    /// The resource, in JSON or YAML: an object with `properties`; `-` is standard input
    #[arg(short = 'f', long = "from-file", value_name = "FILE")]
    file: OsString,
    /// The version of the type [default: its default or only version]
    #[arg(long, value_name = "VERSION")]
    api_version: Option<String>,
    #[command(flatten)]
    place: ResourceScopeOptions,
}

const CREATE_EXAMPLES: &str = "\
Examples:
  tendon resource create MyCompany.Resources/postgresDatabases db -f db.json
  tendon resource create MyCompany.Resources/postgresDatabases db -f db.yaml \\
    --api-version 2025-01-01
  tendon resource create MyCompany.Resources/postgresDatabases db -f db.json -g shop \\
    --state ./state";

/// Where a resource is.
#[derive(Debug, clap::Args)]
struct ResourceScopeOptions {
    /// The resource group
    #[arg(short, long, value_name = "GROUP", default_value = "default")]
    group: String,
    #[command(flatten)]
    place: BackendOptions,
}

/// Show a resource; secrets are not shown
#[derive(Debug, clap::Args)]
#[command(after_help = SHOW_EXAMPLES)]
pub(crate) struct NameArguments {
    /// The type, as `Namespace/type`
    #[arg(value_name = "TYPE")]
    type_name: String,
    /// The name of the resource
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    place: ResourceScopeOptions,
}

const SHOW_EXAMPLES: &str = "\
Examples:
  tendon resource show MyCompany.Resources/postgresDatabases db
  tendon resource show MyCompany.Resources/postgresDatabases db -o json
  tendon resource show MyCompany.Resources/postgresDatabases db -g shop --state ./state";

/// List resources
#[derive(Debug, clap::Args)]
#[command(after_help = LIST_EXAMPLES)]
pub(crate) struct ListArguments {
    /// Only those of a type, as `Namespace/type`
    #[arg(value_name = "TYPE")]
    type_name: Option<String>,
    /// Only those of a resource group
    #[arg(short, long, value_name = "GROUP")]
    group: Option<String>,
    #[command(flatten)]
    place: BackendOptions,
}

const LIST_EXAMPLES: &str = "\
Examples:
  tendon resource list
  tendon resource list MyCompany.Resources/postgresDatabases -g shop
  tendon resource list -o json --state ./state";

/// Delete a resource
#[derive(Debug, clap::Args)]
#[command(after_help = DELETE_EXAMPLES)]
pub(crate) struct DeleteArguments {
    #[command(flatten)]
    named: NameArguments,
}

const DELETE_EXAMPLES: &str = "\
Examples:
  tendon resource delete MyCompany.Resources/postgresDatabases db
  tendon resource delete MyCompany.Resources/postgresDatabases db -g shop
  tendon resource delete MyCompany.Resources/postgresDatabases db --state ./state";

pub(crate) fn run(command: &Command, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
    match command {
        Command::Create(arguments) => create(arguments, common, streams),
        Command::Show(arguments) => show(arguments, common, streams),
        Command::List(arguments) => list(arguments, common, streams),
        Command::Delete(arguments) => delete(&arguments.named, common, streams),
    }
}

fn create(arguments: &CreateArguments, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
    let mut sources = SourceMap::new();
    let file = input::next_id(&sources);
    let limits = radius::LIMITS;
    let input = match input::read(&arguments.file, &limits) {
        Ok(input) => input,
        Err(Unread::Failed(failure)) => return Err(failure),
        Err(Unread::TooLarge(finding)) => {
            sources.add(input::display_name(&arguments.file), "");
            sources.withhold(file);
            report::print_findings(common, streams, &sources, &[finding.at(Span::empty(file, 0))])?;
            return Ok(Exit::Input);
        }
    };
    let documents = input.documents(Format::of_name(&arguments.file), file, &limits, None);
    let registry = registry::open(&arguments.place.place)?;
    let (put, document) = match &documents {
        Err(finding) => {
            sources.add(input.name.clone(), input.into_text());
            // Any part of what cannot be read may be a secret.
            sources.withhold(file);
            let finding = without_words((**finding).clone());
            report::print_findings(common, streams, &sources, &[finding])?;
            return Ok(Exit::Input);
        }
        Ok(documents) => match documents.as_slice() {
            [document] => {
                let put = PutResource {
                    group: &arguments.place.group,
                    type_name: &arguments.type_name,
                    name: &arguments.name,
                    api_version: arguments.api_version.as_deref(),
                    body: document.root(),
                };
                (registry.put(put), document)
            }
            _ => {
                return streams.reject("a resource is one document, and the file has several");
            }
        },
    };
    match put {
        Ok(resource) if common.form() == Form::Json => {
            print_all(&[resource], true, streams)?;
            Ok(Exit::Fine)
        }
        Ok(resource) => {
            if !common.quiet {
                let what = if resource.is_new { "created" } else { "updated" };
                let name = format!("{}/{}", resource.text(&["type"]), resource.text(&["name"]));
                streams.print(&format!("{} {what}\n", printable(&name)))?;
            }
            Ok(Exit::Fine)
        }
        Err(BackendError::Registry(RegistryError::Resource(violations))) => {
            let secrets = secrets(registry.registry(), arguments, document, &violations);
            sources.add(input.name.clone(), input.into_text());
            match secrets {
                Some(secrets) => sources.hide(secrets),
                None => sources.withhold(file),
            }
            let found = violations.into_iter().map(|mut violation| {
                // Rules are those of the registry; only what is there twice is in the file twice.
                let written = violation.written.take();
                let first = written.filter(|_| violation.code == DUPLICATE_MEMBER && !violation.is_masked());
                let found = LocatedViolation::new(0, document.root(), violation).diagnostic(&sources, false);
                match first {
                    Some(first) => found.label(first, "first written here"),
                    None => found,
                }
            });
            let found: Vec<Diagnostic> = found.collect();
            report::print_findings(common, streams, &sources, &found)?;
            Ok(Exit::Input)
        }
        Err(error) => failure(error, streams),
    }
}

/// What must not be shown of a resource that was refused; nothing if that cannot be said.
fn secrets(
    registry: &Registry,
    arguments: &CreateArguments,
    document: &Document,
    violations: &[Violation],
) -> Option<Vec<Span>> {
    let said = document.root().member("apiVersion").and_then(|said| said.as_str());
    let version = arguments.api_version.as_deref().or(said);
    let kind = registry.kind(&arguments.type_name, version).ok()?;
    kind.schema.contract(Purpose::Request)?;
    let mut secrets = kind.schema.secrets(document.root());
    // Of two spellings of a name either may be that of a secret.
    for twice in violations.iter().filter(|violation| violation.code == DUPLICATE_MEMBER) {
        let pointer = twice.path.pointer();
        let (around, _) = pointer.rsplit_once('/')?;
        let members = document.root().pointer(around)?.members();
        let places = [twice.place, twice.written];
        secrets.extend(
            members.filter(|(key, _)| places.contains(&Some(key.place()))).map(|(_, value)| value.place()),
        );
    }
    Some(secrets)
}

/// Resources as JSON: one of them, or a list.
fn print_all(resources: &[StoredResource], one: bool, streams: &mut Streams) -> Result<(), CommandError> {
    let bodies: Vec<Constant> = resources.iter().map(|it| it.body.clone()).collect();
    let text = match (one, bodies.as_slice()) {
        (true, [body]) => body.to_string(),
        _ => Constant::List(bodies).to_string(),
    };
    let value =
        engine::records::parse(&text).map_err(|error| CommandError::Environment(error.to_string()))?;
    streams.print_result(&report::value_text(&value))
}

fn print_table(resources: &[StoredResource], streams: &mut Streams) -> Result<(), CommandError> {
    let mut rows = vec![["RESOURCE", "TYPE", "GROUP", "STATE"].map(str::to_owned).to_vec()];
    for it in resources {
        let group = it.id.split('/').skip_while(|part| !part.eq_ignore_ascii_case("resourceGroups")).nth(1);
        let state = it.text(&["properties", arm::PROVISIONING_STATE]);
        let cells = [it.text(&["name"]), it.text(&["type"]), group.unwrap_or_default(), state];
        rows.push(cells.iter().map(|cell| printable(cell).to_string()).collect());
    }
    streams.print(&table(&rows))
}

fn show(arguments: &NameArguments, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
    let registry = registry::open(&arguments.place.place)?;
    let found = registry.resource(&arguments.place.group, &arguments.type_name, &arguments.name);
    match found {
        Ok(Some(resource)) => {
            match common.form() {
                Form::Json => print_all(&[resource], true, streams)?,
                Form::Text | Form::Findings(_) => print_table(&[resource], streams)?,
            }
            Ok(Exit::Fine)
        }
        Ok(None) => streams.reject(&format!("`{}/{}` was not found", arguments.type_name, arguments.name)),
        Err(error) => failure(error, streams),
    }
}

fn list(arguments: &ListArguments, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
    arguments.place.note_earlier(common, streams)?;
    let registry = registry::open(&arguments.place)?;
    if let Some(name) = &arguments.type_name
        && let Err(error) = registry.known(name)
    {
        return failure(error, streams);
    }
    match registry.resources(arguments.type_name.as_deref(), arguments.group.as_deref()) {
        Ok(resources) => {
            match common.form() {
                Form::Json => print_all(&resources, false, streams)?,
                Form::Text | Form::Findings(_) => print_table(&resources, streams)?,
            }
            let damaged = resources.iter().filter(|it| it.is_damaged).map(|it| it.id.as_str());
            registry::all_readable(damaged)
        }
        Err(error) => failure(error, streams),
    }
}

fn delete(arguments: &NameArguments, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
    let registry = registry::open(&arguments.place.place)?;
    match registry.delete(&arguments.place.group, &arguments.type_name, &arguments.name) {
        Ok(deleted) => {
            if !common.quiet {
                let what = if deleted { "deleted" } else { "not found" };
                let name = format!("{}/{}", arguments.type_name, arguments.name);
                streams.print(&format!("{} {what}\n", printable(&name)))?;
            }
            Ok(Exit::Fine)
        }
        Err(error) => failure(error, streams),
    }
}
