//! The dependencies, held against `deny.toml` by `cargo-deny`.

use std::path::PathBuf;
use std::process::Command;

use crate::{Result, process, product};

/// The release that is installed into the target folder.
const VERSION: &str = "0.20.2";

/// Checks licences, sources and bans. Advisories are left to `cargo deny check`: they come from the network, and a test
/// that depends on the day cannot be repeated.
pub(crate) fn run() -> Result {
    let mut deny = Command::new(tool()?);
    deny.args(["--all-features", "check", "--hide-inclusion-graph", "bans", "licenses", "sources"]);
    println!("{}", process::shown(&deny));
    process::run(&mut deny)
}

/// The program, which is built first if it is not there: as quickly as can be, since it runs for a second.
fn tool() -> Result<PathBuf> {
    let root = product::target()?.join("tools").join(format!("cargo-deny-{VERSION}"));
    let program = root.join("bin/cargo-deny");
    if !program.is_file() {
        let mut install = process::cargo();
        install
            .args(["install", "--quiet", "--locked", "--debug", "--version", VERSION, "--root"])
            .arg(&root);
        install.arg("cargo-deny").env("CARGO_TARGET_DIR", root.join("build"));
        install.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_INCREMENTAL", "0");
        println!("{}", process::shown(&install));
        process::run(&mut install)?;
        // Only the program is needed from now on.
        let _ = std::fs::remove_dir_all(root.join("build"));
    }
    Ok(program)
}
