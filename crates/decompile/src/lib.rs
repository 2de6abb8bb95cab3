//! Template JSON to Bicep.
//!
//! [`decompile`] takes the text of a template and gives files: the program, one for each different nested template, and
//! those that the programs import from. What it writes compiles back to an equal template where that is possible;
//! [`compare`] tells what differs. The crate does no IO and compiles nothing itself.
//!
//! ```
//! let template = r#"{
//!   "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
//!   "contentVersion": "1.0.0.0",
//!   "parameters": { "name": { "type": "string" } },
//!   "resources": [],
//!   "outputs": { "hello": { "type": "string", "value": "[concat('hello ', parameters('name'))]" } }
//! }"#;
//! let made = decompile::decompile(template, &decompile::DecompileOptions::default()).unwrap();
//! assert_eq!(made.files[0].text, "param name string\n\noutput hello string = 'hello ${name}'\n");
//! ```

mod children;
mod code;
mod compare;
mod converter;
mod declared;
mod elements;
mod expressions;
mod flatten;
mod imports;
mod json;
mod loops;
mod modules;
mod names;
mod nested;
mod nesting;
mod outer_parameters;
mod output;
mod parameters;
mod parents;
mod problem;
mod references;
mod resources;
mod symbols;
mod template;
mod types;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use document::{Document, FileId, JsonOptions, ReadLimits};

pub use compare::{Difference, compare};
pub use parameters::decompile_parameters;
pub use problem::DecompileError;

use json::Json;
use output::Output;

/// How to name the files that are written, and what to leave as it is.
#[derive(Clone, Debug)]
pub struct DecompileOptions {
    /// The name of the first file; the others lie beside it.
    pub file: String,
    /// Files of an earlier run whose templates stay as they are, because what was written for them does not
    /// compile to the same.
    pub keep: BTreeSet<u64>,
}

impl Default for DecompileOptions {
    fn default() -> DecompileOptions {
        DecompileOptions { file: "main.bicep".to_owned(), keep: BTreeSet::new() }
    }
}

/// A file to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its path, relative to the folder of the first file. It can lead out of that folder if the template imports from there.
    pub path: String,
    /// What is in it.
    pub text: String,
    /// The nested template that it was written for, if it was; for [`DecompileOptions::keep`].
    pub template: Option<u64>,
}

/// What is worth knowing about a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Note {
    /// The path of the file, as in [`File::path`].
    pub file: String,
    /// What is worth knowing, as a fragment of a sentence.
    pub message: String,
}

/// The files of a template, and what is worth knowing about them.
#[derive(Clone, Debug, Default)]
pub struct Decompiled {
    /// The files, the program first.
    pub files: Vec<File>,
    /// What is worth knowing about them.
    pub notes: Vec<Note>,
    /// Whether a compiler wrote the template.
    pub is_generated: bool,
}

/// Writes a template as Bicep; or tells why that is not possible.
pub fn decompile(text: &str, options: &DecompileOptions) -> Result<Decompiled, DecompileError> {
    let json = read(text)?;
    let exact = template::is_generated(&json);
    let mut output = Output::default();
    output.kept = options.keep.iter().copied().collect();
    output.take(&options.file);
    let text = template::write(&mut output, options.file.clone(), &json, exact)?;
    let mut files = vec![File { path: options.file.clone(), text, template: None }];
    for (path, text) in output.files {
        let template = output.sources.get(&path).copied();
        files.push(File { path, text, template });
    }
    Ok(Decompiled { files, notes: output.notes, is_generated: exact })
}

/// Reads JSON as templates have it.
fn read(text: &str) -> Result<Json, DecompileError> {
    let document = Document::from_json_with(text, FileId::FIRST, &ReadLimits::DEFAULT, JsonOptions::TEMPLATE)
        .map_err(|error| {
            DecompileError::new(format!("line {}, column {}: {error}", error.line, error.column))
        })?;
    Ok(Json::of(document.root()))
}

/// The texts of the templates that are nested in another one, by the numbers that [`File::template`] gives them.
pub fn nested_texts(text: &str) -> Result<BTreeMap<u64, String>, DecompileError> {
    let json = read(text)?;
    let mut found = BTreeMap::new();
    let mut open = vec![&json];
    while let Some(value) = open.pop() {
        match value {
            Json::Object(members) => {
                for (name, value) in members {
                    if name == "template" && value.is_object() {
                        found.entry(value.digest()).or_insert_with(|| value.print());
                    }
                    open.push(value);
                }
            }
            Json::List(items) => open.extend(items),
            Json::Null | Json::Bool(_) | Json::Int(_) | Json::Number(_) | Json::Text(_) => {}
        }
    }
    Ok(found)
}
