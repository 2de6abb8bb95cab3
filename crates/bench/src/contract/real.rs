//! Public schemas with their documents: from npm when asked for, never part of the project.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::cases::Case;
use crate::Result;

/// A package that has what we look for.
struct Package {
    name: &'static str,
    version: &'static str,
}

const GEOJSON: Package = Package { name: "geojson-schema", version: "1.0.5" };
const DATASETS: Package = Package { name: "vega-datasets", version: "3.2.1" };

/// The cases that npm packages make.
pub(super) fn from_npm() -> Result<Vec<Case>> {
    let earthquakes = json(&DATASETS.unpacked()?.join("data/earthquakes.json"))?;
    let map = Case {
        name: "GeoJSON, earthquakes".to_owned(),
        schema: json(&GEOJSON.unpacked()?.join("GeoJSON.json"))?,
        documents: vec![earthquakes],
    };
    Ok(vec![map])
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

fn json(path: &Path) -> Result<Value> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}
