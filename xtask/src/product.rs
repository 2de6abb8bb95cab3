//! The programs of the project that other steps start.

use std::path::PathBuf;

use crate::{Result, process};

/// Builds the programs and answers the folder they are in.
///
/// They are built as the tests are: cargo gives dependencies the features that all packages it builds ask for together, so that one package on its
/// own, or the workspace without a test, would be built anew from the leaves up. Which test it is does not matter.
pub(crate) fn built() -> Result<PathBuf> {
    let programs = [
        "tendon",
        "tendon-bombs",
        "tendon-boundaries",
        "tendon-cluster",
        "tendon-json-schema-suite",
        "tendon-thrift-readers",
        "tendon-thrift-servers",
    ];
    let programs = programs.map(|program| ["--bin", program]);
    process::run(
        process::cargo()
            .args(["build", "--workspace"])
            .args(programs.as_flattened())
            .args(["--test", "messages"]),
    )?;
    Ok(target()?.join("debug"))
}

/// The folder that cargo builds into.
pub(crate) fn target() -> Result<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    std::path::absolute(&target).map_err(|error| format!("cannot find `{}`: {error}", target.display()))
}
