//! The official tests of JSON Schema: what `tools/json-schema-suite` does.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Result, process, product};

/// The sources of this package on PyPI have the suite in a folder `json`.
const PACKAGE: &str = "jsonschema";
const VERSION: &str = "4.26.0";

/// Judges every test of the suite.
pub(crate) fn run() -> Result {
    let suite = suite(&product::target()?)?;
    let built = product::built()?;
    let mut command = Command::new(built.join("tendon-json-schema-suite"));
    command.arg(built.join("tendon")).arg(suite);
    println!("{}", process::shown(&command));
    process::run(&mut command)
}

/// The folder of the suite, which is brought the first time.
fn suite(target: &Path) -> Result<PathBuf> {
    let folder = target.join("json-schema-suite");
    let unpacked = format!("{PACKAGE}-{VERSION}");
    let suite = folder.join(&unpacked).join("json");
    if suite.join("remotes").is_dir() {
        return Ok(suite);
    }
    // The Python of the system need not have `pip`; an environment has.
    process::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    let mut pip = Command::new(folder.join("bin/python"));
    pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest"]);
    pip.arg(&folder).arg(format!("{PACKAGE}=={VERSION}"));
    process::run(&mut pip)?;
    let mut tar = Command::new("tar");
    tar.arg("--extract").arg("--directory").arg(&folder);
    tar.arg("--file").arg(folder.join(format!("{unpacked}.tar.gz"))).arg(format!("{unpacked}/json"));
    process::run(&mut tar)?;
    Ok(suite)
}
