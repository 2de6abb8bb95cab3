//! The documentation, which builds without a warning.

use std::path::Path;

use crate::{Result, process};

/// Documents the workspace.
///
/// What cargo checks for clippy and what it checks for rustdoc are the same unless the wrapper around the compiler differs, so
/// that of clippy stands here too, with the arguments of the step `clippy`. Without it every library would be checked again.
pub(crate) fn run() -> Result {
    let mut doc = process::cargo();
    doc.args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
    let driver = Path::new(doc.get_program()).with_file_name("clippy-driver");
    if driver.is_file() {
        doc.env("RUSTC_WORKSPACE_WRAPPER", driver);
        doc.env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");
    }
    process::run(&mut doc)
}
