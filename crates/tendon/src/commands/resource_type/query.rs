//! `tendon resource-type list`, `show` and `delete`: what the registry has.

use diagnostics::printable;
use radius::registry::RegisteredType;
use radius::{Additional, Schema, SchemaType};

use super::registry::{self, failure, table};
use crate::common::{Common, Form};
use crate::exit::{CommandError, Exit};
use crate::output::Streams;
use crate::remote::BackendOptions;

/// List the registered resource types
#[derive(Debug, clap::Args)]
#[command(after_help = LIST_EXAMPLES)]
pub(crate) struct ListArguments {
    #[command(flatten)]
    place: BackendOptions,
}

const LIST_EXAMPLES: &str = "\
Examples:
  tendon resource-type list
  tendon resource-type list -o json
  tendon resource-type list --state ./state";

/// Show a resource type: its versions and their properties
#[derive(Debug, clap::Args)]
#[command(after_help = SHOW_EXAMPLES)]
pub(crate) struct ShowArguments {
    /// The type, as `Namespace/type`
    #[arg(value_name = "TYPE")]
    name: String,
    #[command(flatten)]
    place: BackendOptions,
}

const SHOW_EXAMPLES: &str = "\
Examples:
  tendon resource-type show MyCompany.Resources/postgresDatabases
  tendon resource-type show MyCompany.Resources/postgresDatabases -o json
  tendon resource-type show MyCompany.Resources/postgresDatabases --state ./state";

/// Delete a resource type
#[derive(Debug, clap::Args)]
#[command(after_help = DELETE_EXAMPLES)]
pub(crate) struct DeleteArguments {
    /// The type, as `Namespace/type`
    #[arg(value_name = "TYPE")]
    name: String,
    /// Delete it even if it has resources; they are kept
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    place: BackendOptions,
}

const DELETE_EXAMPLES: &str = "\
Examples:
  tendon resource-type delete MyCompany.Resources/postgresDatabases
  tendon resource-type delete MyCompany.Resources/postgresDatabases --force
  tendon resource-type delete MyCompany.Resources/postgresDatabases --state ./state";

/// A type as one JSON object.
fn as_json(registered: &RegisteredType) -> String {
    let quoted = |text: &str| contract::Constant::text(text).to_string();
    let Some(it) = registered.resource_type() else { return "{}".to_owned() };
    let versions = it.versions.iter();
    let versions = versions
        .map(|version| format!("{}:{{\"Schema\":{}}}", quoted(&version.name), version.schema.to_json()));
    let capabilities: Vec<String> = it.capabilities.iter().map(|name| quoted(name)).collect();
    format!(
        "{{\"Name\":{},\"Description\":{},\"ResourceProviderNamespace\":{},\"Capabilities\":[{}],\"APIVersions\":{{{}}}}}",
        quoted(&registered.full_name()),
        quoted(it.description.as_deref().unwrap_or_default()),
        quoted(&registered.manifest.namespace),
        capabilities.join(","),
        versions.collect::<Vec<_>>().join(",")
    )
}

/// JSON as people and programs read it.
fn print_json(text: &str, streams: &mut Streams) -> Result<(), CommandError> {
    let value = engine::records::parse(text).map_err(|error| CommandError::Environment(error.to_string()))?;
    streams.print_result(&crate::report::value_text(&value))
}

pub(crate) fn list(
    arguments: &ListArguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    arguments.place.note_earlier(common, streams)?;
    let types = match registry::open(&arguments.place)?.all() {
        Ok(types) => types,
        Err(error) => return failure(error, streams),
    };
    if common.form() == Form::Json {
        let all: Vec<String> = types.iter().map(as_json).collect();
        print_json(&format!("[{}]", all.join(",")), streams)?;
        return readable(&types);
    }
    let mut rows = vec![row(["TYPE", "NAMESPACE", "APIVERSION"])];
    for registered in &types {
        let Some(it) = registered.resource_type() else { continue };
        let versions: Vec<&str> = it.versions.iter().map(|version| &*version.name).collect();
        rows.push(row([&registered.full_name(), &registered.manifest.namespace, &versions.join(", ")]));
    }
    streams.print(&table(&rows))?;
    readable(&types)
}

/// Tells which of the types cannot be read.
fn readable(types: &[RegisteredType]) -> Result<Exit, CommandError> {
    let damaged = types.iter().filter(|it| it.is_damaged).map(RegisteredType::full_name);
    let damaged: Vec<String> = damaged.collect();
    registry::all_readable(damaged.iter().map(String::as_str))
}

fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.iter().map(|cell| printable(cell).to_string()).collect()
}

pub(crate) fn show(
    arguments: &ShowArguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let registered = match registry::open(&arguments.place)?.known(&arguments.name) {
        Ok(registered) => registered,
        Err(error) => return failure(error, streams),
    };
    if common.form() == Form::Json {
        print_json(&as_json(&registered), streams)?;
        return Ok(Exit::Fine);
    }
    let Some(it) = registered.resource_type() else { return Ok(Exit::Fine) };
    streams.print(&table(&[
        row(["TYPE", "NAMESPACE"]),
        row([&registered.full_name(), &registered.manifest.namespace]),
    ]))?;
    if let Some(description) = &it.description {
        streams.print(&format!("\nDESCRIPTION:\n{}\n", printable(description)))?;
    }
    for version in &it.versions {
        streams.print(&format!("\nAPI VERSION: {}\n", version.name))?;
        let mut tables = Vec::new();
        tables_of(&version.schema, String::new(), &mut tables);
        for (path, rows) in tables {
            let heading = if path.is_empty() { "TOP-LEVEL PROPERTIES".to_owned() } else { path };
            streams.print(&format!("\n{}:\n{}", printable(&heading), table(&rows)))?;
        }
    }
    Ok(Exit::Fine)
}

/// The properties of an object and of the objects in it, each with the path that leads to it.
fn tables_of(schema: &Schema, path: String, tables: &mut Vec<(String, Vec<Vec<String>>)>) {
    let at = tables.len();
    if !schema.properties().is_empty() {
        tables.push((path.clone(), Vec::new()));
    }
    let mut rows = vec![row(["NAME", "TYPE", "REQUIRED", "READ-ONLY", "DEFAULT", "ENUM", "DESCRIPTION"])];
    for property in schema.properties() {
        let inner = &property.schema;
        let default = match (&inner.default, inner.sensitive) {
            (Some(_), true) => contract::MASK.to_owned(),
            (Some(default), false) => default.to_string(),
            (None, _) => String::new(),
        };
        let values: Vec<String> = inner.values.iter().map(ToString::to_string).collect();
        rows.push(row([
            &property.name,
            inner.kind.name(),
            if schema.requires(&property.name) { "true" } else { "false" },
            if inner.read_only { "true" } else { "false" },
            &default,
            &values.join(", "),
            inner.description.as_deref().unwrap_or_default().trim(),
        ]));
        let below =
            if path.is_empty() { property.name.to_string() } else { format!("{path}.{}", property.name) };
        parts_of(inner, below, tables);
    }
    if let Some((_, place)) = tables.get_mut(at).filter(|_| !schema.properties().is_empty()) {
        *place = rows;
    }
}

fn parts_of(schema: &Schema, path: String, tables: &mut Vec<(String, Vec<Vec<String>>)>) {
    match (&schema.additional, &schema.items, schema.kind) {
        (Additional::Schema(values), _, _) => parts_of(values, format!("{path}.*"), tables),
        (_, Some(items), _) => parts_of(items, format!("{path}[]"), tables),
        (_, None, SchemaType::Object) => tables_of(schema, path, tables),
        (_, None, _) => {}
    }
}

pub(crate) fn delete(
    arguments: &DeleteArguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let deleted = match registry::open(&arguments.place)?.delete_type(&arguments.name, arguments.force) {
        Ok(deleted) => deleted,
        Err(error) => return failure(error, streams),
    };
    if !common.quiet {
        let what = if deleted { "deleted" } else { "not found" };
        streams.print(&format!("{} {what}\n", printable(&arguments.name)))?;
    }
    Ok(Exit::Fine)
}
