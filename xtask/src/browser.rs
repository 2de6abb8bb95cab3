//! A real browser with the pages of a real server: what people see, and what they do without a mouse or without scripts.
//!
//! What it does is in `crates/server/tests/browser`.

use std::path::Path;
use std::process::Command;

use crate::requirements::{self, Need};
use crate::{Result, folder, process, product};

const SCRIPTS: &str = "crates/server/tests/browser";

/// Runs the browser without a screen.
pub(crate) fn run() -> Result {
    requirements::provide(Need::Browser)?;
    let tendon = product::built()?.join("tendon");
    let target = product::target()?;
    let modules = modules(&target.join("browser-modules"))?;
    let home = target.join("browser");
    folder::remove(&home)?;
    let mut run = Command::new("node");
    run.arg(format!("{SCRIPTS}/run.mjs")).args([&tendon, &home, &modules]);
    println!("{}", process::shown(&run));
    process::run(&mut run)
}

/// Installs the accessibility checker, unless it is there in just this version; answers the folder of packages.
pub(crate) fn modules(folder: &Path) -> Result<std::path::PathBuf> {
    let pinned = format!("{SCRIPTS}/package.json");
    let text = std::fs::read(&pinned).map_err(|error| format!("cannot read `{pinned}`: {error}"))?;
    let stamp = folder.join("installed.json");
    let modules = folder.join("node_modules");
    if std::fs::read(&stamp).is_ok_and(|installed| installed == text) {
        return Ok(modules);
    }
    let failed = |error: std::io::Error| format!("cannot write to `{}`: {error}", folder.display());
    folder::remove(folder)?;
    std::fs::create_dir_all(folder).map_err(failed)?;
    std::fs::write(folder.join("package.json"), &text).map_err(failed)?;
    let words =
        ["install", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    process::run(Command::new("npm").args(words).current_dir(folder))?;
    std::fs::write(stamp, &text).map_err(failed)?;
    Ok(modules)
}
