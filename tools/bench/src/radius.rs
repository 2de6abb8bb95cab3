//! Resource types of Radius: registering many, checking a resource against a wide schema beside `jsonschema`, making an extension.

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use document::{Document, FileId, ReadLimits};
use radius::registry::{PutResource, Registry};
use radius::{
    Extension, Manifest, ManifestDialect, ManifestReadOptions, Purpose, contract_of, properties_shape,
};
use serde_json::{Value, json};
use store::{Key, MemoryStore, SqliteStore, Store};

use crate::timing::{race, show};
use crate::{Result, said};

/// How many types are registered, and are in the extension.
const TYPES: usize = 1000;

/// How many properties the wide schema has.
const WIDE: usize = 200;

/// Runs all of it.
pub(crate) fn run(_: &[String]) -> Result {
    println!("\n{TYPES} types of 12 properties\n\n| what | time | for each type |\n|---|---|---|");
    let text = types();
    let start = Instant::now();
    let document = Document::from_yaml(text.as_str(), FileId::FIRST, &radius::LIMITS)
        .map_err(|error| format!("{error:?}"))?;
    let read = Manifest::read(&document, ManifestReadOptions::default());
    let manifest = read.usable().ok_or("the manifest of the benchmark has errors")?;
    line("read and check the manifest", start);
    let start = Instant::now();
    register(&document, Arc::new(MemoryStore::new()))?;
    line("register them, in memory", start);
    let folder = std::env::temp_dir().join(format!("tendon-bench-radius-{}", std::process::id()));
    let registered = on_disk(&document, &folder);
    // The folder is a temporary one: what is left of it hurts nobody.
    let _ = std::fs::remove_dir_all(&folder);
    registered?;
    let start = Instant::now();
    let extension = Extension::of(std::slice::from_ref(manifest), ManifestDialect::Tendon)?;
    line("make an extension", start);
    let start = Instant::now();
    let package = extension.package().map_err(said)?;
    line(
        &format!(
            "pack it ({} KiB of types, {} KiB packed)",
            extension.types.len() >> 10,
            package.len() >> 10
        ),
        start,
    );
    wide()
}

fn line(what: &str, start: Instant) {
    let time = start.elapsed().as_nanos() as f64;
    println!("| {what} | {} | {} |", show(time), show(time / TYPES as f64));
}

fn register(document: &Document, store: Arc<dyn Store>) -> Result<Registry> {
    let registry = Registry::new(store, Key::random().map_err(said)?);
    registry.register(document, None, ManifestDialect::Tendon, false).map_err(said)?;
    Ok(registry)
}

fn on_disk(document: &Document, folder: &Path) -> Result {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(folder).map_err(said)?);
    let start = Instant::now();
    let registry = register(document, store)?;
    line("register them, on disk", start);
    let start = Instant::now();
    let count = registry.resource_types().map_err(said)?.len();
    line(&format!("read {count} back from disk"), start);
    Ok(())
}

/// Many types, as their authors write them.
fn types() -> String {
    let mut text = String::from("namespace: MyCompany.Resources\ntypes:\n");
    for number in 0..TYPES {
        let _ = write!(
            text,
            "  widgets{number}:
    description: The widgets number {number}.
    apiVersions:
      '2025-01-01':
        schema:
          type: object
          properties:
            size: {{type: string, description: How large it is., enum: [S, M, L], default: S}}
            port: {{type: integer, description: The port., minimum: 1, maximum: 65535}}
            password: {{type: string, description: The password., minLength: 12, x-radius-sensitive: true}}
            host: {{type: string, description: Where it is., readOnly: true}}
            labels: {{type: object, description: Labels., additionalProperties: {{type: string, maxLength: 63}}}}
            zones: {{type: array, description: Zones., items: {{type: string}}, maxItems: 3, uniqueItems: true}}
            backup:
              type: object
              description: The backup.
              properties:
                days: {{type: integer, description: How long., default: 7}}
                at: {{type: string, description: When., pattern: '^[0-2][0-9]:[0-5][0-9]$'}}
          required: [port]
"
        );
    }
    text
}

/// A resource of a type with many properties.
fn wide() -> Result {
    let (schema, value) = wide_case();
    let manifest = json!({"namespace": "MyCompany.Resources", "types": {"widgets": {"apiVersions": {"2025-01-01": {"schema": schema}}}}});
    let document = parse(&manifest)?;
    let read = Manifest::read(&document, ManifestReadOptions::default());
    let manifest = read.usable().ok_or("the wide schema has errors")?;
    let (_, version) = manifest.find("widgets").map_err(said)?;
    let theirs = jsonschema::options().should_validate_formats(true).build(&closed(&schema)).map_err(said)?;
    let properties = contract::Contract::compile(
        &properties_shape(&version.schema, Purpose::Request),
        &contract::Definitions::new(),
    );
    let properties = properties.map_err(|_| "the wide schema cannot be used")?;
    let ours = parse(&value)?;
    if !theirs.is_valid(&value) || !properties.is_valid(ours.root()) {
        return Err("the value of the benchmark is not valid".to_owned());
    }
    println!(
        "\nA resource against a schema of {WIDE} properties\n\n| what | jsonschema | ours | times as fast (median, least) |\n|---|---|---|---|"
    );
    let told = |what: &str, [theirs, ours]: [crate::timing::Time; 2]| {
        let (median, least) = (theirs.median / ours.median, theirs.least / ours.least);
        println!("| {what} | {} | {} | {median:.1}, {least:.1} |", show(theirs.median), show(ours.median));
    };
    told(
        "its properties are valid",
        race(
            true,
            [
                Box::new(|| {
                    black_box(theirs.is_valid(black_box(&value)));
                }),
                Box::new(|| {
                    black_box(properties.is_valid(black_box(ours.root())));
                }),
            ],
        ),
    );
    let text = value.to_string();
    told(
        "from text to verdict",
        race(
            true,
            [
                Box::new(|| {
                    let value = serde_json::from_str::<Value>(black_box(&text));
                    black_box(value.is_ok_and(|value| theirs.is_valid(&value)));
                }),
                Box::new(|| {
                    let value =
                        Document::from_json(black_box(text.as_str()), FileId::FIRST, &ReadLimits::DEFAULT);
                    black_box(value.is_ok_and(|value| properties.is_valid(value.root())));
                }),
            ],
        ),
    );
    let body = parse(&json!({"properties": value}))?;
    let registry = register(&document, Arc::new(MemoryStore::new()))?;
    let mut put = || {
        let put = PutResource {
            group: "default",
            type_name: "MyCompany.Resources/widgets",
            name: "one",
            api_version: None,
            body: body.root(),
        };
        drop(black_box(registry.put(put)));
    };
    let [whole] = race(true, [Box::new(&mut put)]);
    let [compiled] =
        race(true, [Box::new(|| drop(black_box(contract_of(&version.schema, Purpose::Request))))]);
    println!(
        "\nPut into the registry, in memory, its type read and compiled each time: {}; compiling alone: {}",
        show(whole.median),
        show(compiled.median)
    );
    Ok(())
}

fn parse(value: &Value) -> Result<Document> {
    Document::from_json(value.to_string(), FileId::FIRST, &ReadLimits::DEFAULT)
        .map_err(|error| format!("{error:?}"))
}

/// A schema with properties of all kinds, and a value for it.
fn wide_case() -> (Value, Value) {
    let (mut properties, mut value) = (serde_json::Map::new(), serde_json::Map::new());
    for number in 0..WIDE {
        let (schema, example) = match number % 8 {
            0 => (
                json!({"type": "string", "minLength": 1, "maxLength": 40}),
                json!("some text of the usual length"),
            ),
            1 => (json!({"type": "integer", "minimum": 0, "maximum": 65535}), json!(8080)),
            2 => (json!({"type": "string", "enum": ["small", "medium", "large"]}), json!("large")),
            3 => (json!({"type": "boolean"}), json!(true)),
            4 => (
                json!({"type": "string", "pattern": "^[a-z][a-z0-9-]{1,61}[a-z0-9]$"}),
                json!("storage-account-01"),
            ),
            5 => (
                json!({"type": "array", "items": {"type": "string"}, "maxItems": 10}),
                json!(["east", "west", "north"]),
            ),
            6 => (
                json!({"type": "object", "properties": {"days": {"type": "integer"}, "at": {"type": "string"}}, "required": ["days"], "additionalProperties": false}),
                json!({"days": 7, "at": "03:00"}),
            ),
            _ => (
                json!({"type": "object", "additionalProperties": {"type": "string"}}),
                json!({"team": "crane", "stage": "prod"}),
            ),
        };
        properties.insert(format!("property{number}"), schema);
        value.insert(format!("property{number}"), example);
    }
    properties.insert("environment".to_owned(), json!({"type": "string"}));
    value.insert("environment".to_owned(), json!("dev"));
    let required = ["property0", "property1", "environment"];
    (json!({"type": "object", "properties": properties, "required": required}), Value::Object(value))
}

/// What resource types mean by listing properties: there are no others.
fn closed(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(members) = schema.as_object_mut() {
        members.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    schema
}
