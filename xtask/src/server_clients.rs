//! Real clients of ARM against a server: the SDKs for Python and JavaScript, and `az`.
//!
//! What they do is in `crates/server/tests/clients`; their versions are pinned beside it, and they are installed into the target folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::clients::python;
use crate::{Result, process, product};

const FOLDER: &str = "crates/server/tests/clients";

/// Runs the SDKs for Python and JavaScript.
pub(crate) fn sdks() -> Result {
    let target = product::target()?;
    let tendon = product::built()?.join("tendon");
    let python = python(&target.join("clients-sdk"), &format!("{FOLDER}/requirements.txt"))?;
    let packages = packages(&target)?;
    check(&python, &tendon, "python_sdk.py", &[])?;
    check(&python, &tendon, "javascript.py", &[&packages])
}

/// Runs `az`, whose installation takes minutes.
pub(crate) fn az() -> Result {
    let target = product::target()?;
    let tendon = product::built()?.join("tendon");
    let python = python(&target.join("clients-az"), &format!("{FOLDER}/requirements-az.txt"))?;
    let az = target.join("clients-az/bin/az");
    check(&python, &tendon, "az_cli.py", &[&az])
}

fn check(python: &Path, tendon: &Path, script: &str, more: &[&Path]) -> Result {
    let mut check = Command::new(python);
    check.arg(format!("{FOLDER}/{script}")).arg(tendon).args(more);
    println!("{}", process::shown(&check));
    process::run(check.env("PYTHONDONTWRITEBYTECODE", "1"))
}

/// Installs the packages for JavaScript, unless they are there with just these versions; answers their folder.
fn packages(target: &Path) -> Result<PathBuf> {
    let folder = target.join("clients-javascript");
    let pinned = format!("{FOLDER}/package.json");
    let text = std::fs::read(&pinned).map_err(|error| format!("cannot read `{pinned}`: {error}"))?;
    let stamp = folder.join("installed.json");
    if std::fs::read(&stamp).is_ok_and(|installed| installed == text) {
        return Ok(folder);
    }
    let write = |path: PathBuf| {
        std::fs::write(&path, &text).map_err(|error| format!("cannot write `{}`: {error}", path.display()))
    };
    std::fs::create_dir_all(&folder)
        .map_err(|error| format!("cannot make `{}`: {error}", folder.display()))?;
    write(folder.join("package.json"))?;
    let mut install = Command::new("npm");
    install.args(["install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]);
    process::run(install.current_dir(&folder))?;
    write(stamp)?;
    Ok(folder)
}
