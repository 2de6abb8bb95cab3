//! `cargo xtask wheel`: what Python loads, as a wheel, in the target folder.
//!
//! The sources are `bindings/python`. The tests install the wheel into an environment of their own, as people do.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::arguments::Arguments;
use crate::clients::python;
use crate::playground::MANIFEST;
use crate::{Result, folder, process, product};

const SOURCE: &str = "bindings/python";

pub(crate) fn run(mut arguments: Arguments) -> Result {
    let out = arguments.value::<PathBuf>("--out")?;
    arguments.finish()?;
    println!("{}", build(out)?.display());
    Ok(())
}

/// The step `python`: the wheel in a fresh environment, its types, and its speed beside a peer.
pub(crate) fn check() -> Result {
    let mut lint = process::cargo();
    lint.args([
        "clippy",
        "--quiet",
        "--package",
        "tendon-python",
        "--manifest-path",
        MANIFEST,
        "--target-dir",
    ]);
    lint.arg(product::target()?.join("bindings"));
    process::run(lint.args(["--", "-D", "warnings"]))?;
    let wheel = build(None)?;
    let target = product::target()?;
    let python = python(&target.join("python-tests"), &format!("{SOURCE}/requirements.txt"))?;
    let install = ["-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall"];
    process::run(Command::new(&python).args(install).arg(&wheel))?;
    let run = |arguments: &[&str]| {
        let mut run = Command::new(&python);
        run.args(arguments).env("PYTHONDONTWRITEBYTECODE", "1");
        println!("{}", process::shown(&run));
        process::run(&mut run)
    };
    let tests = format!("{SOURCE}/tests");
    run(&["-m", "pytest", "-q", "-p", "no:cacheprovider", &tests])?;
    run(&["-m", "mypy", "--strict", "--cache-dir", "/dev/null", &format!("{tests}/typed.py")])?;
    run(&[&format!("{tests}/speed.py")])
}

/// Builds the wheel with maturin, and answers its path.
fn build(out: Option<PathBuf>) -> Result<PathBuf> {
    let target = product::target()?;
    let python = python(&target.join("python-tests"), &format!("{SOURCE}/requirements.txt"))?;
    let out = match out {
        Some(out) => {
            std::path::absolute(&out).map_err(|error| format!("cannot find `{}`: {error}", out.display()))?
        }
        None => target.join("wheels"),
    };
    folder::remove(&out)?;
    let mut build = Command::new(python.with_file_name("maturin"));
    build.args(["build", "--profile", "python", "--locked", "--target-dir"]).arg(target.join("bindings"));
    build.arg("--out").arg(&out).current_dir(Path::new(SOURCE));
    println!("{}", process::shown(&build));
    process::run(&mut build)?;
    let made =
        std::fs::read_dir(&out).map_err(|error| format!("cannot read `{}`: {error}", out.display()))?;
    let mut wheels =
        made.flatten().map(|entry| entry.path()).filter(|path| path.extension() == Some("whl".as_ref()));
    wheels.next().ok_or_else(|| format!("there is no wheel in `{}`", out.display()))
}
