//! Real editors with the language server, on copies of `examples/storefront`.
//!
//! What they do is in `crates/lsp/tests/editors`.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::{Result, folder, process, product};

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
    OWN.iter().for_each(|variable| {
        editor.env_remove(variable);
    });
    process::run(editor.env("TENDON", tendon).stdin(Stdio::null()))
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
