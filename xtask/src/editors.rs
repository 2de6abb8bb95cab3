//! Real editors with the language server, on copies of `examples/storefront`.
//!
//! What they do is in `crates/lsp/tests/editors`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::requirements::{self, Need};
use crate::{Result, folder, process, product, vscode};

const SCRIPTS: &str = "crates/lsp/tests/editors";
const EXAMPLE: &str = "examples/storefront";

/// Runs Neovim without a screen.
pub(crate) fn neovim() -> Result {
    let tendon = product::built()?.join("tendon");
    let home = product::target()?.join("editors-neovim");
    let program = home.join("storefront");
    folder::copy_anew(Path::new(EXAMPLE), &program)?;
    let script = format!("{SCRIPTS}/neovim.lua");
    let script = std::path::absolute(&script).map_err(|error| format!("cannot find `{script}`: {error}"))?;
    let mut editor = Command::new("nvim");
    // Nothing of the person who runs it counts: no settings, no plugins, no types or modules of their own.
    editor.args(["--headless", "-u", "NONE", "-i", "NONE", "-n", "-S"]).arg(script).current_dir(program);
    println!("{}", process::shown(&editor));
    for (variable, name) in HOMES {
        editor.env(variable, home.join(name));
    }
    process::run(without_own(&mut editor).env("TENDON", tendon).stdin(Stdio::null()))
}

/// Runs Emacs without a screen, with the client that it has.
pub(crate) fn emacs() -> Result {
    requirements::provide(Need::Emacs)?;
    let tendon = product::built()?.join("tendon");
    let home = product::target()?.join("editors-emacs");
    let program = home.join("storefront");
    folder::copy_anew(Path::new(EXAMPLE), &program)?;
    let script = format!("{SCRIPTS}/emacs.el");
    let script = std::path::absolute(&script).map_err(|error| format!("cannot find `{script}`: {error}"))?;
    let mut editor = Command::new("emacs");
    // Nothing of the person who runs it counts; packages of the system do.
    editor.args(["--batch", "-q", "--no-site-file", "-l"]).arg(script).current_dir(program);
    println!("{}", process::shown(&editor));
    process::run(without_own(&mut editor).env("HOME", &home).env("TENDON", tendon).stdin(Stdio::null()))
}

/// Runs VS Code itself: as a server that a browser without a screen opens, with the extension as people install it.
pub(crate) fn vscode() -> Result {
    requirements::provide(Need::VsCode)?;
    let extension = vscode::package()?;
    let tendon = product::built()?.join("tendon");
    let target = product::target()?;
    let server = code_server(&target)?;
    let home = target.join("editors-vscode");
    folder::remove(&home)?;
    folder::copy_anew(Path::new(EXAMPLE), &home.join("storefront"))?;
    let mut run = Command::new("node");
    run.arg(format!("{SCRIPTS}/vscode/run.mjs")).args([&server, &tendon, &extension, &home]);
    println!("{}", process::shown(&run));
    process::run(without_own(&mut run))
}

/// Installs VS Code's server, unless it is there in just this version; answers the folder of its package.
///
/// Scripts of packages do not run, because some want headers of libraries that are not needed here; the one native part that is needed to start is
/// built by name.
fn code_server(target: &Path) -> Result<PathBuf> {
    let folder = target.join("code-server");
    let package = folder.join("node_modules/code-server");
    let pinned = format!("{SCRIPTS}/vscode/package.json");
    let text = std::fs::read(&pinned).map_err(|error| format!("cannot read `{pinned}`: {error}"))?;
    let stamp = folder.join("installed.json");
    if std::fs::read(&stamp).is_ok_and(|installed| installed == text) {
        return Ok(package);
    }
    let write = |path: &Path| {
        std::fs::write(path, &text).map_err(|error| format!("cannot write `{}`: {error}", path.display()))
    };
    folder::remove(&folder)?;
    std::fs::create_dir_all(&folder)
        .map_err(|error| format!("cannot make `{}`: {error}", folder.display()))?;
    write(&folder.join("package.json"))?;
    let quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    let npm = |folder: &Path, words: &[&str]| {
        process::run(Command::new("npm").args(words).args(quiet).current_dir(folder))
    };
    npm(&folder, &["install", "--no-package-lock"])?;
    npm(&package.join("lib/vscode"), &["install", "--omit=dev"])?;
    let rebuild = ["rebuild", "argon2", "--build-from-source", "--loglevel=error"];
    process::run(Command::new("npm").args(rebuild).current_dir(&folder))?;
    write(&stamp)?;
    Ok(package)
}

/// The command without the variables that change what the server knows.
fn without_own(command: &mut Command) -> &mut Command {
    OWN.iter().fold(command, |command, variable| command.env_remove(variable))
}

/// Where the editor keeps settings, data, logs and caches.
const HOMES: &[(&str, &str)] = &[
    ("XDG_CONFIG_HOME", "config"),
    ("XDG_DATA_HOME", "data"),
    ("XDG_STATE_HOME", "state"),
    ("XDG_CACHE_HOME", "cache"),
];

/// Variables that change what the server knows.
const OWN: &[&str] = &["TENDON_TYPES", "TENDON_MODULES", "TENDON_REGISTRIES"];
