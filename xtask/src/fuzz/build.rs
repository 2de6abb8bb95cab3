//! Builds the fuzz targets on the stable toolchain, or only checks them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Result, process};

/// Coverage instrumentation for libFuzzer, without a sanitizer: those need an unstable compiler, and code without
/// `unsafe` has little to show them.
const FLAGS: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Cdebug-assertions",
    "-Coverflow-checks",
    "-Ccodegen-units=1",
    "--cfg=fuzzing",
];

/// Builds the targets and returns the folder of the binaries.
pub(super) fn build(targets: &[String]) -> Result<PathBuf> {
    let host = host()?;
    let folder = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| "fuzz/target".into(), |folder| Path::new(&folder).join("fuzz"));
    let mut command = process::cargo();
    command.env("RUSTFLAGS", FLAGS.join(" "));
    command.args(["build", "--release", "--manifest-path", "fuzz/Cargo.toml"]);
    // With an explicit triple the flags reach the targets and not the build scripts.
    command.args(["--target", &host]).arg("--target-dir").arg(&folder);
    targets.iter().for_each(|target| {
        command.args(["--bin", target]);
    });
    process::run(&mut command)?;
    Ok(folder.join(host).join("release"))
}

/// Checks that the targets are formatted and compile without a warning. That needs no libFuzzer, hence no C++
/// compiler, and no readers of Thrift, which take longer than all else; dependencies are shared with the workspace.
pub(super) fn check() -> Result {
    let manifest = ["--manifest-path", "fuzz/Cargo.toml"];
    process::run(process::cargo().arg("fmt").args(manifest).arg("--check"))?;
    let folder = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    let mut command = process::cargo();
    command.arg("clippy").args(manifest).args(["--no-default-features", "--target-dir"]).arg(folder);
    process::run(command.args(["--", "-D", "warnings"]))
}

fn host() -> Result<String> {
    let version = process::output(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "`rustc -vV` names no host".to_owned())
}
