//! Programs in Go: the pinned tools of others, and our own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// The folder that pins the versions of tools.
fn pins() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../thrift-codegen/tests/go")
}

/// Builds a pinned tool, or finds it built.
pub(crate) fn tool(package: &str) -> PathBuf {
    build(&pins(), package)
}

/// Builds a program of a module, or finds it built; it is called like the last part of its package.
pub(crate) fn build(module: &Path, package: &str) -> PathBuf {
    // A program that runs cannot be written, so that tests must not build one that others have started.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("go-tools");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join(package.rsplit('/').next().unwrap());
    run(Command::new("go").args(["build", "-o"]).arg(&file).arg(package).current_dir(module));
    file
}

/// Runs a program to its end and returns what it wrote; fails with everything it said if it fails.
#[track_caller]
pub(crate) fn run(command: &mut Command) -> String {
    let shown = format!("{command:?}");
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{shown}: {error}; `cargo xtask test` installs what is missing"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{shown}\n{}\n{said}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
