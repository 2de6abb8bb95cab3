//! Real Thrift clients and servers on both sides of the proxy: Python's in an environment of their own, one in Go with
//! Apache's library, and kitex.
//!
//! What they do is in `crates/thrift-proxy/tests/clients/check.py`; the versions of their libraries are pinned beside it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Result, process, product};

const FOLDER: &str = "crates/thrift-proxy/tests/clients";

/// Runs everything, with so many calls under load.
pub(crate) fn run(calls: u32) -> Result {
    let target = product::target()?;
    let programs = product::built()?;
    let python = environment(&target)?;
    let go = |folder: &str| {
        let program = target.join(format!("clients-{folder}"));
        let mut build = Command::new("go");
        build.args(["build", "-o"]).arg(&program).arg(".").current_dir(format!("{FOLDER}/{folder}"));
        process::run(&mut build).map(|()| program)
    };
    let (apache, kitex) = (go("go")?, go("kitex")?);
    let mut check = Command::new(python);
    check.arg(format!("{FOLDER}/check.py")).arg(programs.join("tendon"));
    check.args(["--calls", &calls.to_string()]).arg("--go").arg(apache).arg("--kitex").arg(kitex);
    println!("{}", process::shown(&check));
    process::run(check.env("PYTHONDONTWRITEBYTECODE", "1"))
}

/// Makes the Python environment of these clients, unless it is there with just these libraries.
pub(crate) fn environment(target: &Path) -> Result<PathBuf> {
    python(&target.join("clients-python"), &format!("{FOLDER}/requirements.txt"))
}

/// Makes a Python environment with the libraries that a file pins, unless it is there with just these; answers its Python.
pub(crate) fn python(folder: &Path, pinned: &str) -> Result<PathBuf> {
    let python = folder.join("bin/python");
    let stamp = folder.join("requirements.txt");
    let text = std::fs::read(pinned).map_err(|error| format!("cannot read `{pinned}`: {error}"))?;
    if std::fs::read(&stamp).is_ok_and(|installed| installed == text) {
        return Ok(python);
    }
    process::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder))?;
    process::run(Command::new(&python).args(["-m", "pip", "install", "--quiet", "--requirement", pinned]))?;
    std::fs::write(&stamp, text).map_err(|error| format!("cannot write `{}`: {error}", stamp.display()))?;
    Ok(python)
}
