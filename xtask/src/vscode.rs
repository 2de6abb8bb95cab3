//! `cargo xtask vscode`: the extension for VS Code, checked, built and packaged, in the target folder.
//!
//! What it is made of is in `editors/vscode`; the versions of its packages are pinned there.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::arguments::Arguments;
use crate::{Result, folder, process, product};

const SOURCE: &str = "editors/vscode";

/// What is packed beside the sources.
const LICENCES: &[&str] = &["LICENSE-MIT", "LICENSE-APACHE"];

pub(crate) fn run(arguments: Arguments) -> Result {
    arguments.finish()?;
    println!("{}", package()?.display());
    Ok(())
}

/// Makes the package that people install and answers its path.
pub(crate) fn package() -> Result<PathBuf> {
    let target = product::target()?.join("vscode");
    install(&target)?;
    // Below the folder with the packages, so that Node.js finds them, and new each time.
    let work = target.join("extension");
    folder::copy_anew(Path::new(SOURCE), &work)?;
    for licence in LICENCES {
        copy(Path::new(licence), &work.join(licence))?;
    }
    let examples =
        std::path::absolute("examples").map_err(|error| format!("cannot find the examples: {error}"))?;
    npm(&work, &["run", "--silent", "check"])?;
    npm(&work, &["run", "--silent", "test", "--", &examples.to_string_lossy()])?;
    npm(&work, &["run", "--silent", "build"])?;
    let package = target.join("tendon-bicep.vsix");
    npm(&work, &["run", "--silent", "package", "--", "--out", &package.to_string_lossy()])?;
    Ok(package)
}

/// Installs the pinned packages, unless they are there with just these versions. Scripts of packages do not run.
fn install(target: &Path) -> Result {
    const LOCK: &str = "package-lock.json";
    let pinned = Path::new(SOURCE).join(LOCK);
    let text =
        std::fs::read(&pinned).map_err(|error| format!("cannot read `{}`: {error}", pinned.display()))?;
    let stamp = target.join("installed.json");
    if std::fs::read(&stamp).is_ok_and(|installed| installed == text) {
        return Ok(());
    }
    std::fs::create_dir_all(target)
        .map_err(|error| format!("cannot make `{}`: {error}", target.display()))?;
    for name in ["package.json", LOCK] {
        copy(&Path::new(SOURCE).join(name), &target.join(name))?;
    }
    npm(target, &["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])?;
    std::fs::write(&stamp, text).map_err(|error| format!("cannot write `{}`: {error}", stamp.display()))
}

fn npm(folder: &Path, arguments: &[&str]) -> Result {
    process::run(Command::new("npm").args(arguments).current_dir(folder))
}

fn copy(from: &Path, to: &Path) -> Result {
    std::fs::copy(from, to)
        .map(|_| ())
        .map_err(|error| format!("cannot copy `{}` to `{}`: {error}", from.display(), to.display()))
}
